/** What the cache knows of a request in each protocol: its turns, and the fields a cached call may have. */
import type { Fields } from "../../base/json/fields.ts";
import { isObject } from "../../base/json/fields.ts";
import type { CrossingName } from "../protocols/crossing.ts";
import { camel } from "../protocols/gemini/names.ts";

/** A protocol's requests, as far as the cache reads them. */
export interface RequestFamily {
  /** The member of the body that has the turns, the last of which asks. */
  turns: string;
  /** The member of a turn that has its text, or its parts. */
  content: string;
  /** Members of a turn, and of its parts. */
  turnMembers: ReadonlySet<string>;
  partMembers: ReadonlySet<string>;
  /** The types of parts that are text. A part without a type is text where "" is among them. */
  textTypes: ReadonlySet<string>;
  userRoles: ReadonlySet<string>;
  roles: ReadonlySet<string>;
  /** Members of the body, in this spelling. */
  members: ReadonlySet<string>;
  /** Members of the body, or of its settings, that say what to do with the question, or the form of the answer. */
  guides: ReadonlySet<string>;
  /** The settings that make answers alike: in the body, or in a member of it. */
  settings(body: Fields): Fields;
  /** Members of such a member. Undefined where the settings stand in the body. */
  settingMembers?: ReadonlySet<string>;
  /** How the protocol spells a name that it reads in two spellings. */
  spelled(name: string): string;
  /** An answer counts as stored by the provider unless the request says otherwise. */
  storesUnlessTold?: true;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));
const asIs = (name: string): string => name;
const itself = (body: Fields): Fields => body;

/** What all bodies of OpenAI's kinds may have. */
const openai =
  "model temperature top_p stream stream_options user metadata safety_identifier prompt_cache_key service_tier " +
  "tool_choice parallel_tool_calls";

export const families: Record<CrossingName, RequestFamily> = {
  "openai-chat": {
    turns: "messages",
    content: "content",
    turnMembers: words("role content name"),
    partMembers: words("type text cache_control"),
    textTypes: words("text"),
    userRoles: words("user"),
    roles: words("system developer user assistant"),
    members: words(
      `${openai} messages stop max_tokens max_completion_tokens n top_k response_format reasoning_effort thinking ` +
        "seed frequency_penalty presence_penalty logit_bias verbosity min_p repetition_penalty",
    ),
    guides: words("response_format"),
    settings: itself,
    spelled: asIs,
  },
  "openai-responses": {
    turns: "input",
    content: "content",
    turnMembers: words("type role content id status"),
    partMembers: words("type text"),
    textTypes: words("input_text output_text"),
    userRoles: words("user"),
    roles: words("system developer user assistant"),
    members: words(`${openai} input instructions max_output_tokens store text reasoning truncation`),
    guides: words("instructions text"),
    settings: itself,
    spelled: asIs,
    storesUnlessTold: true,
  },
  anthropic: {
    turns: "messages",
    content: "content",
    turnMembers: words("role content"),
    partMembers: words("type text cache_control"),
    textTypes: words("text"),
    userRoles: words("user"),
    roles: words("user assistant"),
    members: words(
      "model messages system max_tokens metadata stop_sequences stream temperature top_k top_p thinking service_tier " +
        "tool_choice output_config",
    ),
    guides: words("system output_config"),
    settings: itself,
    spelled: asIs,
  },
  "bedrock-converse": {
    turns: "messages",
    content: "content",
    turnMembers: words("role content"),
    partMembers: words("text"),
    textTypes: new Set([""]),
    userRoles: words("user"),
    roles: words("user assistant"),
    members: words(
      "messages system inferenceConfig additionalModelRequestFields additionalModelResponseFieldPaths outputConfig " +
        "requestMetadata serviceTier performanceConfig",
    ),
    guides: words("system outputConfig"),
    settings: ({ inferenceConfig }) => (isObject(inferenceConfig) ? inferenceConfig : {}),
    settingMembers: words("maxTokens temperature topP stopSequences"),
    spelled: asIs,
  },
  gemini: {
    turns: "contents",
    content: "parts",
    turnMembers: words("role parts"),
    partMembers: words("text"),
    textTypes: new Set([""]),
    userRoles: words("user"),
    roles: words("user model"),
    members: words("model contents systemInstruction generationConfig safetySettings serviceTier"),
    guides: words("systemInstruction responseMimeType responseSchema responseJsonSchema"),
    settings: ({ generationConfig, generation_config }) => {
      const config = generationConfig ?? generation_config;
      return isObject(config) ? config : {};
    },
    settingMembers: words(
      "temperature topP topK maxOutputTokens stopSequences candidateCount responseMimeType responseSchema " +
        "responseJsonSchema thinkingConfig seed presencePenalty frequencyPenalty",
    ),
    spelled: camel,
  },
};
