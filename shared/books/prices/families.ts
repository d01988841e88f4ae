/**
 * What families of models take, by patterns of their ids. `operator catalog import --add` writes the traits with the
 * models. An id that no row fits gets none.
 */
import { isAmong } from "../catalog/catalog.ts";
import type { InputForm, SamplingParameter, StatedTraits } from "../catalog/traits.ts";

/** What models whose ids fit a pattern take. */
interface Family {
  models: readonly string[];
  traits: StatedTraits;
}

const modelsDev = { source: "models.dev", as_of: "2026-07-02" };
const profiles = (file: string) => ({
  source: `pydantic-ai 2.68 profiles/${file}.py; models.dev`,
  as_of: "2026-11-20",
});
const pictures = ["image_url", "image_bytes"] as const;

const everyMedium = [
  ...pictures,
  ...["pdf_url", "pdf_bytes", "audio_url", "audio_bytes", "video_url", "video_bytes"],
] as InputForm[];
const samplingWhileReasoning = [
  ...["temperature", "top_p", "frequency_penalty", "presence_penalty"],
  ...["logit_bias", "logprobs", "top_logprobs"],
] as SamplingParameter[];

/** What Claude 4.5 and 4.6 have in common. */
const claude4: Pick<StatedTraits, "sampling" | "inputs"> = {
  sampling: {
    refused_reasoning: ["temperature", "top_p", "top_k"],
    one_of: [["temperature", "top_p"]],
    temperature_max: 1,
  },
  inputs: [...pictures, "pdf_url", "pdf_bytes"],
};

/** What DeepSeek's models of this year have in common. */
const deepseek: StatedTraits = {
  source:
    "pydantic-ai 2.68 profiles/deepseek.py; models.dev; api-docs.deepseek.com/guides/thinking_mode (TypeWhisper/typewhisper-mac#1345); tickernelz/opencode-mem#253",
  as_of: "2026-11-28",
  reasoning: {
    forms: ["effort", "switch"],
    efforts: ["low", "high", "max"],
    by_default: true,
    tool_choice: ["auto", "none"],
  },
};

/** The first family that a model fits is its own. */
const families: readonly Family[] = [
  {
    models: ["openai/gpt-5.2"],
    traits: {
      ...profiles("openai"),
      reasoning: {
        forms: ["effort"],
        efforts: ["none", "low", "medium", "high", "xhigh"],
        by_default: false,
      },
      sampling: { refused: ["top_k"], refused_reasoning: [...samplingWhileReasoning] },
      stop_max: 0,
      inputs: [...pictures],
    },
  },
  {
    models: ["openai/gpt-5.1"],
    traits: {
      ...profiles("openai"),
      reasoning: { forms: ["effort"], efforts: ["none", "low", "medium", "high"], by_default: false },
      sampling: { refused: ["top_k"], refused_reasoning: [...samplingWhileReasoning] },
      stop_max: 0,
      inputs: [...pictures],
    },
  },
  {
    models: ["openai/o3", "openai/o4-mini"],
    traits: {
      ...profiles("openai"),
      reasoning: { forms: ["effort"], efforts: ["low", "medium", "high"], always: true },
      sampling: { refused: ["top_k"], refused_reasoning: [...samplingWhileReasoning] },
      stop_max: 0,
      inputs: [...pictures],
    },
  },
  {
    models: ["openai/gpt-4.1-mini*", "openai/gpt-4.1-nano*", "openai/gpt-4o", "openai/gpt-4o-2024-*"],
    traits: {
      ...profiles("openai"),
      reasoning: { forms: [] },
      sampling: { refused: ["top_k"], temperature_max: 2 },
      inputs: [...pictures, "pdf_url", "pdf_bytes"],
    },
  },
  {
    models: ["anthropic/claude-opus-4-5*"],
    traits: {
      ...profiles("anthropic"),
      reasoning: {
        forms: ["budget"],
        budget_tokens: { min: 1024, max: 63_999 },
        by_default: false,
        tool_choice: ["auto", "none"],
      },
      ...claude4,
    },
  },
  {
    models: ["anthropic/claude-opus-4-6*"],
    traits: {
      ...profiles("anthropic"),
      prefill: false,
      reasoning: {
        forms: ["adaptive", "effort", "budget"],
        efforts: ["low", "medium", "high", "max"],
        budget_tokens: { min: 1024, max: 63_999 },
        by_default: false,
        tool_choice: ["auto", "none"],
        tool_choice_with: ["budget"],
      },
      ...claude4,
    },
  },
  {
    models: ["google/gemini-3-flash-preview"],
    traits: {
      ...profiles("google"),
      reasoning: { forms: ["effort"], efforts: ["minimal", "low", "medium", "high"], always: true },
      inputs: [...everyMedium],
    },
  },
  {
    models: ["google/gemini-2.5-flash-lite"],
    traits: {
      ...modelsDev,
      result_media: false,
      reasoning: {
        forms: ["budget", "adaptive"],
        budget_tokens: { min: 512, max: 24_576 },
        by_default: false,
      },
      inputs: [...everyMedium],
    },
  },
  {
    models: ["zhipu/glm-5v-turbo", "zhipu/glm-5.3-flash", "zhipu/glm-4.5v"],
    traits: { ...modelsDev, reasoning: { forms: ["switch"] }, inputs: [...pictures] },
  },
  {
    models: ["zhipu/glm-4.5*", "zhipu/glm-4.6", "zhipu/glm-5-turbo", "zhipu/glm-5.2", "zhipu/glm-5.3"],
    traits: { ...modelsDev, reasoning: { forms: ["switch"] }, inputs: [] },
  },
  {
    models: ["deepseek/deepseek-v4-pro"],
    traits: { ...deepseek, inputs: [] },
  },
  {
    models: ["deepseek/deepseek-*flash*"],
    traits: deepseek,
  },
  {
    models: ["moonshot/kimi-k2.6"],
    traits: {
      ...profiles("moonshotai"),
      reasoning: { forms: ["switch"], by_default: true },
      inputs: [...pictures, "video_url", "video_bytes"],
    },
  },
  {
    models: ["moonshot/kimi-k2.7-code*"],
    traits: {
      ...profiles("moonshotai"),
      reasoning: { forms: [], always: true },
      inputs: [...pictures, "video_url", "video_bytes"],
    },
  },
  {
    models: ["xai/grok-4.20*-non-reasoning", "xai/grok-4-fast-non-reasoning*"],
    traits: { ...profiles("grok"), reasoning: { forms: [] }, inputs: [...pictures] },
  },
  {
    models: ["xai/grok-4.3"],
    traits: {
      ...profiles("grok"),
      reasoning: { forms: ["effort"], efforts: ["none", "low", "medium", "high"] },
      inputs: [...pictures],
    },
  },
  {
    models: ["xai/grok-4.7"],
    traits: {
      ...profiles("grok"),
      reasoning: { forms: ["effort"], efforts: ["low", "medium", "high", "xhigh"], always: true },
      inputs: [...pictures],
    },
  },
  {
    models: ["xai/grok-4.5", "xai/grok-4.6"],
    traits: {
      ...profiles("grok"),
      reasoning: { forms: ["effort"], efforts: ["low", "medium", "high"], always: true },
      inputs: [...pictures],
    },
  },
  {
    models: ["xai/grok-4.20*", "xai/grok-build*"],
    traits: { ...profiles("grok"), reasoning: { forms: [], always: true }, inputs: [...pictures] },
  },
  {
    models: ["mistral/magistral-*"],
    traits: {
      source:
        "pydantic-ai 2.68 profiles/mistral.py; models.dev; pydantic-ai 2.68 providers/mistral.py (seen on 2026-10-22)",
      as_of: "2026-11-28",
      reasoning: { forms: ["effort"], efforts: ["none", "high"] },
    },
  },
  {
    models: ["mistral/mistral-small-*", "mistral/mistral-medium*", "mistral/mistral-large-4"],
    traits: {
      ...modelsDev,
      reasoning: { forms: ["effort"], efforts: ["none", "high"] },
      inputs: [...pictures],
    },
  },
  {
    models: [
      "mistral/codestral-*",
      "mistral/ministral-*",
      "mistral/devstral-*",
      "mistral/mistral-large-*",
      "mistral/pixtral-*",
    ],
    traits: { ...modelsDev, reasoning: { forms: [] } },
  },
  {
    models: [
      "groq/gpt-oss-*",
      "cerebras/*gpt-oss-*",
      "together/gpt-oss-*",
      "deepinfra/gpt-oss-*",
      "novita/gpt-oss-*",
    ],
    traits: {
      ...profiles("groq"),
      reasoning: { forms: ["effort"], efforts: ["low", "medium", "high"], always: true },
      inputs: [],
    },
  },
  {
    models: ["cohere/command-a-reasoning-*"],
    traits: {
      source: "pydantic-ai 2.68 profiles/cohere.py; models.dev; cohere-ai/cohere-developer-experience#649",
      as_of: "2026-11-28",
      reasoning: { forms: ["effort"], efforts: ["none", "high"] },
    },
  },
  {
    models: ["cohere/command-*"],
    traits: { ...profiles("cohere"), reasoning: { forms: [] } },
  },
  {
    models: ["stepfun/step-3.7-flash"],
    traits: {
      ...modelsDev,
      reasoning: { forms: ["effort"], efforts: ["low", "medium", "high"], always: true },
      inputs: [...pictures],
    },
  },
];

/** What the model of this id takes, where a family of the table says so. */
export function familyTraits(id: string): StatedTraits | undefined {
  return families.find(({ models }) => isAmong(id, models))?.traits;
}
