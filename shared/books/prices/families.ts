/** What families of models take, by patterns of ids, for `operator catalog import --add`. No row, no traits. */
import { isAmong } from "../catalog/catalog.ts";
import type { EffortWord, InputForm, SamplingParameter, StatedTraits } from "../catalog/traits.ts";

const modelsDev = { source: "models.dev", as_of: "2026-07-02" };
const profiles = (file: string) => ({
  source: `pydantic-ai 2.68 profiles/${file}.py; models.dev`,
  as_of: "2026-11-20",
});

const pictures: InputForm[] = ["image_url", "image_bytes"];
const documents: InputForm[] = [...pictures, "pdf_url", "pdf_bytes"];
const videos: InputForm[] = ["video_url", "video_bytes"];
const everyMedium: InputForm[] = [...documents, "audio_url", "audio_bytes", ...videos];

/** Reasoning that is asked for with one of these words. */
const effort = (...efforts: EffortWord[]) => ({ forms: ["effort" as const], efforts });

/** What OpenAI's models that reason have in common. */
const openai: Pick<StatedTraits, "sampling" | "stop_max" | "inputs"> = {
  sampling: {
    refused: ["top_k"],
    refused_reasoning: [
      ...["temperature", "top_p", "frequency_penalty", "presence_penalty"],
      ...["logit_bias", "logprobs", "top_logprobs"],
    ] as SamplingParameter[],
  },
  stop_max: 0,
  inputs: pictures,
};

/** What Claude 4.5 and 4.6 have in common. */
const claude4: Pick<StatedTraits, "sampling" | "inputs"> = {
  sampling: {
    refused_reasoning: ["temperature", "top_p", "top_k"],
    one_of: [["temperature", "top_p"]],
    temperature_max: 1,
  },
  inputs: documents,
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

/** By patterns of ids, with spaces between. The first row that a model fits is its own. */
const families: Readonly<Record<string, StatedTraits>> = {
  "openai/gpt-5.2": {
    ...profiles("openai"),
    reasoning: { ...effort("none", "low", "medium", "high", "xhigh"), by_default: false },
    ...openai,
  },
  "openai/gpt-5.1": {
    ...profiles("openai"),
    reasoning: { ...effort("none", "low", "medium", "high"), by_default: false },
    ...openai,
  },
  "openai/o3 openai/o4-mini": {
    ...profiles("openai"),
    reasoning: { ...effort("low", "medium", "high"), always: true },
    ...openai,
  },
  "openai/gpt-4.1-mini* openai/gpt-4.1-nano* openai/gpt-4o openai/gpt-4o-2024-*": {
    ...profiles("openai"),
    reasoning: { forms: [] },
    sampling: { refused: ["top_k"], temperature_max: 2 },
    inputs: documents,
  },
  "anthropic/claude-opus-4-5*": {
    ...profiles("anthropic"),
    reasoning: {
      forms: ["budget"],
      budget_tokens: { min: 1024, max: 63_999 },
      by_default: false,
      tool_choice: ["auto", "none"],
    },
    ...claude4,
  },
  "anthropic/claude-opus-4-6*": {
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
  "google/gemini-3-flash-preview": {
    ...profiles("google"),
    reasoning: { ...effort("minimal", "low", "medium", "high"), always: true },
    inputs: everyMedium,
  },
  "google/gemini-2.5-flash-lite": {
    ...modelsDev,
    result_media: false,
    reasoning: {
      forms: ["budget", "adaptive"],
      budget_tokens: { min: 512, max: 24_576 },
      by_default: false,
    },
    inputs: everyMedium,
  },
  "zhipu/glm-5v-turbo zhipu/glm-5.3-flash zhipu/glm-4.5v": {
    ...modelsDev,
    reasoning: { forms: ["switch"] },
    inputs: pictures,
  },
  "zhipu/glm-4.5* zhipu/glm-4.6 zhipu/glm-5-turbo zhipu/glm-5.2 zhipu/glm-5.3": {
    ...modelsDev,
    reasoning: { forms: ["switch"] },
    inputs: [],
  },
  "deepseek/deepseek-v4-pro": { ...deepseek, inputs: [] },
  "deepseek/deepseek-*flash*": deepseek,
  "moonshot/kimi-k2.6": {
    ...profiles("moonshotai"),
    reasoning: { forms: ["switch"], by_default: true },
    inputs: [...pictures, ...videos],
  },
  "moonshot/kimi-k2.7-code*": {
    ...profiles("moonshotai"),
    reasoning: { forms: [], always: true },
    inputs: [...pictures, ...videos],
  },
  "xai/grok-4.20*-non-reasoning xai/grok-4-fast-non-reasoning*": {
    ...profiles("grok"),
    reasoning: { forms: [] },
    inputs: pictures,
  },
  "xai/grok-4.3": {
    ...profiles("grok"),
    reasoning: effort("none", "low", "medium", "high"),
    inputs: pictures,
  },
  "xai/grok-4.7": {
    ...profiles("grok"),
    reasoning: { ...effort("low", "medium", "high", "xhigh"), always: true },
    inputs: pictures,
  },
  "xai/grok-4.5 xai/grok-4.6": {
    ...profiles("grok"),
    reasoning: { ...effort("low", "medium", "high"), always: true },
    inputs: pictures,
  },
  "xai/grok-4.20* xai/grok-build*": {
    ...profiles("grok"),
    reasoning: { forms: [], always: true },
    inputs: pictures,
  },
  "mistral/magistral-*": {
    source:
      "pydantic-ai 2.68 profiles/mistral.py; models.dev; pydantic-ai 2.68 providers/mistral.py (seen on 2026-10-22)",
    as_of: "2026-11-28",
    reasoning: effort("none", "high"),
  },
  "mistral/mistral-small-* mistral/mistral-medium* mistral/mistral-large-4": {
    ...modelsDev,
    reasoning: effort("none", "high"),
    inputs: pictures,
  },
  "mistral/codestral-* mistral/ministral-* mistral/devstral-* mistral/mistral-large-* mistral/pixtral-*": {
    ...modelsDev,
    reasoning: { forms: [] },
  },
  "groq/gpt-oss-* cerebras/*gpt-oss-* together/gpt-oss-* deepinfra/gpt-oss-* novita/gpt-oss-*": {
    ...profiles("groq"),
    reasoning: { ...effort("low", "medium", "high"), always: true },
    inputs: [],
  },
  "cohere/command-a-reasoning-*": {
    source: "pydantic-ai 2.68 profiles/cohere.py; models.dev; cohere-ai/cohere-developer-experience#649",
    as_of: "2026-11-28",
    reasoning: effort("none", "high"),
  },
  "cohere/command-*": { ...profiles("cohere"), reasoning: { forms: [] } },
  "stepfun/step-3.7-flash": {
    ...modelsDev,
    reasoning: { ...effort("low", "medium", "high"), always: true },
    inputs: pictures,
  },
};

/** What the model of this id takes, where a family of the table says so. */
export function familyTraits(id: string): StatedTraits | undefined {
  return Object.entries(families).find(([patterns]) => isAmong(id, patterns.split(" ")))?.[1];
}
