/** Traits: what a model accepts of its protocol. Requests are made to fit. A model's own come before its provider's. */
import type { EffortWord } from "./effort.ts";

export { type EffortWord, effortWords } from "./effort.ts";

/** Ways to ask for reasoning: a word for its `effort`, a `budget` of tokens, `adaptive`, and a `switch`. */
export const reasoningForms = ["effort", "budget", "adaptive", "switch"] as const;
export type ReasoningForm = (typeof reasoningForms)[number];

/**
 * Parameters that some models refuse, alone or together with others. OpenAI's names stand for those of every protocol.
 */
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

/** The media that a message may contain beside text: by their address, or as bytes inside the request. */
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

/** The two protocols of one vendor. Some models refuse tools in one of them and take tools in the other. */
export const toolProtocols = ["openai", "responses"] as const;
export type ToolProtocol = (typeof toolProtocols)[number];

/** Fields of OpenAI's chat form that some vendors call otherwise, or refuse. */
export const chatFields = ["stream_options", "seed", "user", "metadata", "service_tier"] as const;
export type ChatField = (typeof chatFields)[number];

/**
 * How some vendors of OpenAI's chat form want to be asked for reasoning. `enable_thinking` goes with `thinking_budget`,
 * `reasoning` is an object, and `reasoning_enabled` is that object's `enabled` alone. Others read `reasoning_effort` and
 * `thinking`.
 */
export const askings = ["enable_thinking", "reasoning", "reasoning_enabled"] as const;
export type ReasoningSwitch = (typeof askings)[number];

/** Where the turns of a conversation in OpenAI's chat form have the reasoning that a model has told. */
export const replayPlaces = ["reasoning_content", "reasoning", "thinking_parts"] as const;
export type ReplayPlace = (typeof replayPlaces)[number];

/** Forms in which a vendor wants the ids of calls. */
export const callIdForms = ["alphanumeric_9"] as const;
export type CallIdForm = (typeof callIdForms)[number];

/** The parts of a Converse request that may have cache points. */
export const cachePlaces = ["tools", "system", "messages"] as const;
export type CachePlace = (typeof cachePlaces)[number];

/** Makers whose models take fields of their own in Converse (`additionalModelRequestFields`). */
export const fieldFamilies = ["claude", "nova", "gpt_oss"] as const;
export type FieldFamily = (typeof fieldFamilies)[number];

/** An absent member states nothing, and the request goes out as the protocol has it. */
export interface Traits {
  reasoning?: {
    /** The ways that the model takes, the best first; empty for a model that does not reason. */
    forms: ReasoningForm[];
    /** The words it takes, with the form `effort`. */
    efforts?: EffortWord[];
    /** The least and the largest budget it takes, in tokens. */
    budget_tokens?: { min: number; max: number };
    /** The model reasons whatever a request says. */
    always?: boolean;
    /** Whether the model reasons when a request does not mention reasoning. */
    by_default?: boolean;
    /** While it reasons, the model takes `tool_choice` in these forms only. */
    tool_choice?: ToolChoiceForm[];
    /** The ways of reasoning that `tool_choice` holds for; absent: all of them. */
    tool_choice_with?: ReasoningForm[];
    /** The protocols in which the model refuses function tools while it reasons. */
    tools_refused_in?: ToolProtocol[];
  };
  sampling?: {
    /** The model refuses these. */
    refused?: SamplingParameter[];
    /** The model refuses these while it reasons. */
    refused_reasoning?: SamplingParameter[];
    /** The model takes one parameter of each group. The gateway keeps the first that a request has. */
    one_of?: SamplingParameter[][];
    temperature_max?: number;
  };
  /** The name of the bound on an answer's tokens in OpenAI's chat form. */
  maximum?: "max_tokens" | "max_completion_tokens";
  /** The most stop sequences; 0 where the model takes none. */
  stop_max?: number;
  /** Whether the model takes the parameter that allows or forbids several tool calls in one answer. */
  parallel_tools?: boolean;
  tool_choice?: ToolChoiceForm[];
  schema?: {
    /**
     * `json` is any JSON object, `json_schema` one that a schema describes. Empty for a model that promises neither.
     */
    forms: ("json" | "json_schema")[];
    /** Keywords of JSON Schema that the model refuses. */
    refused?: string[];
  };
  /** The media that the model takes beside text. */
  inputs?: InputForm[];
  /** Types of the tools that its provider runs itself, as its protocol names them. */
  hosted_tools?: string[];
  /** Whether the provider can keep an answer for later calls. */
  store?: boolean;
  /** Anthropic: the model takes instructions between turns, as a turn of the role `system`. */
  system_turns?: boolean;
  /**
   * Gemini and Converse: the model takes media inside of a tool's result. Otherwise they follow the results. In Converse
   * the same models take the status of a result.
   */
  result_media?: boolean;
  /** Whether the model goes on with a last turn that is its own. */
  prefill?: boolean;
  /** The model puts its reasoning into the text, between `<think>` and `</think>`. */
  think_tags?: boolean;
  /** OpenAI chat: the vendor's own names of fields; null for a field that it refuses. */
  fields?: Partial<Record<ChatField, string | null>>;
  /** OpenAI chat: how the vendor is asked for reasoning. Absent: by `reasoning_effort` and `thinking`. */
  asking?: ReasoningSwitch;
  /** OpenAI chat: where earlier reasoning stands in the model's turns. Absent: in `reasoning_content`. */
  replay?: {
    as: ReplayPlace;
    /** The turns that must have some while the model reasons: those with calls, or all. */
    wanted?: "calls" | "turns";
  };
  call_ids?: CallIdForm;
  /** OpenAI chat and Converse: whose turns may follow whose. */
  turns?: {
    /** Whether words of the user may follow the result of a tool. */
    user_after_tool?: boolean;
  };
  /** Converse: where the model takes cache points. Absent: nowhere, because most models refuse a request with one. */
  cache_points?: CachePlace[];
  /** Converse: whose own fields the model takes, for reasoning and `top_k`. Absent: nobody's, and such wishes are dropped. */
  family?: FieldFamily;
  /** Converse: the guardrail that every call of the model goes through, by its id or ARN, and its version. */
  guardrail?: { id: string; version: string };
}

/** Traits as the catalog states them: where they were read, and on which day. */
export interface StatedTraits extends Traits {
  source: string;
  as_of: string;
}

/** The traits of a model at a provider: each member is the channel's own, or else the model's, or else the provider's. */
export function traitsAt(
  model: { traits?: Traits },
  provider: { traits?: Traits },
  channel: { traits?: Traits } = {},
): Traits {
  return { ...provider.traits, ...model.traits, ...channel.traits };
}
