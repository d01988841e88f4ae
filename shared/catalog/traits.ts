/**
 * What a model takes of what its protocol offers: the facts by which a request is made to fit before it is sent.
 * A provider's dialect says them once for all of its models, and a model's own word goes before it.
 */
import type { EffortWord } from "../chat/effort.ts";

export { type EffortWord, effortWords } from "../chat/effort.ts";

/**
 * Ways to ask for reasoning: a word for its `effort`, a `budget` of tokens, `adaptive` (the model decides how much), and
 * a `switch` that is on or off.
 */
export const reasoningForms = ["effort", "budget", "adaptive", "switch"] as const;
export type ReasoningForm = (typeof reasoningForms)[number];

/** Parameters of which some models take none, or not every company. By OpenAI's names, whatever the protocol calls them. */
export const samplingParameters = [
  "temperature",
  "top_p",
  "top_k",
  "frequency_penalty",
  "presence_penalty",
  "logit_bias",
  "logprobs",
  "top_logprobs",
  "seed",
] as const;
export type SamplingParameter = (typeof samplingParameters)[number];

/** What a message may bring beside text: media by their address, or as bytes inside the request. */
export const inputForms = [
  "image_url",
  "image_bytes",
  "pdf_url",
  "pdf_bytes",
  "audio_url",
  "audio_bytes",
  "video_url",
  "video_bytes",
] as const;
export type InputForm = (typeof inputForms)[number];

export const toolChoices = ["auto", "none", "required", "tool"] as const;
export type ToolChoiceForm = (typeof toolChoices)[number];

/** The protocols a model may refuse tools in while it takes them in the other. */
export const toolProtocols = ["openai", "responses"] as const;
export type ToolProtocol = (typeof toolProtocols)[number];

/** A member that is absent says nothing: the request is sent as the protocol has it. */
export interface Traits {
  reasoning?: {
    /** The ways the model takes, best first; none for a model that does not reason. */
    forms: ReasoningForm[];
    /** The words it takes, with the form `effort`. */
    efforts?: EffortWord[];
    /** The least and the largest budget it takes, in tokens. */
    budget_tokens?: { min: number; max: number };
    /** It reasons whatever is asked. */
    always?: boolean;
    /** Whether it reasons when a request says nothing of reasoning. */
    by_default?: boolean;
    /** It takes `tool_choice` in these forms only while it reasons. */
    tool_choice?: ToolChoiceForm[];
    /** The ways of reasoning that `tool_choice` holds for; absent: all of them. */
    tool_choice_with?: ReasoningForm[];
    /** Those of its provider's protocols in which it refuses function tools while it reasons. */
    tools_refused_in?: ToolProtocol[];
  };
  sampling?: {
    /** It refuses these. */
    refused?: SamplingParameter[];
    /** It refuses these while it reasons. */
    refused_reasoning?: SamplingParameter[];
    /** Of each of these groups it takes one at most; the first that the request has is kept. */
    one_of?: SamplingParameter[][];
    temperature_max?: number;
  };
  /** The name of the bound on an answer's tokens in OpenAI's chat form. */
  maximum?: "max_tokens" | "max_completion_tokens";
  /** The most stop sequences; 0 where it takes none. */
  stop_max?: number;
  /** Whether it takes the switch that says whether an answer may call several tools. */
  parallel_tools?: boolean;
  tool_choice?: ToolChoiceForm[];
  schema?: {
    /** `json`: any JSON object; `json_schema`: one that a schema describes. None for a model that promises neither. */
    forms: ("json" | "json_schema")[];
    /** Keywords of JSON Schema that it refuses. */
    refused?: string[];
  };
  /** Beside text. */
  inputs?: InputForm[];
  /** Types of the tools that its provider runs itself, as its protocol names them. */
  hosted_tools?: string[];
  /** Whether the provider can keep an answer for later calls. */
  store?: boolean;
  /** Its reasoning comes inside the text, between `<think>` and `</think>`. */
  think_tags?: boolean;
}

/** Traits as the catalog states them: where they were read, and on which day. */
export interface StatedTraits extends Traits {
  source: string;
  as_of: string;
}

/** What holds for a model at a provider: the model's own word, then the provider's dialect. */
export function traitsAt(model: { traits?: Traits }, provider: { traits?: Traits }): Traits {
  return { ...provider.traits, ...model.traits };
}
