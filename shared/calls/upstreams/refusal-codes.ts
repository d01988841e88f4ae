/**
 * The errors that applications branch on, and each vendor's names of them (`shared/base/http/error-codes.md`). Names are
 * from the vendors' references, messages from answers posted in public.
 */
import type { ProviderNames } from "../../base/errors.ts";
import { isOneOf } from "./provider-error.ts";

/** The vendors whose names an error can have. Image calls of OpenAI have some names of their own. */
export const forms = ["openai", "images", "anthropic", "gemini", "ark", "zhipu"] as const;
export type VendorForm = (typeof forms)[number];

export type Meaning =
  | "context_length"
  | "content_filter"
  | "image_content"
  | "image_address"
  | "unsupported_parameter"
  | "unsupported_value"
  | "request_too_large";

interface Spoken extends Pick<ProviderNames, "code" | "type" | "status"> {
  /** How its message begins, where clients read that. */
  says?: string;
  /** The same, where it is known how many tokens were sent and how many fit. */
  counted?: string;
}

interface Row {
  /** Codes, types, statuses and reasons that mean it, from any vendor. */
  names: readonly (string | RegExp)[];
  /** Beginnings of messages that mean it. A quoted prompt comes only after such a beginning. */
  messages: readonly RegExp[];
  /** What clients are told. A vendor that is not listed has no name for it. */
  spoken: Partial<Record<VendorForm, Spoken>>;
}

const openaiLength: Spoken = {
  code: "context_length_exceeded",
  type: "invalid_request_error",
  says: "Your input exceeds the context window of this model.",
  counted:
    "This model's maximum context length is {max} tokens. However, your messages resulted in {count} tokens.",
};
const refusedBy = (code: string): Spoken => ({ code, type: "invalid_request_error" });
const anthropic: Spoken = { type: "invalid_request_error" };
const gemini: Spoken = { status: "INVALID_ARGUMENT" };
const ark = (code: string): Spoken => ({ code, type: "BadRequest" });

/** Rows are tried in this order, each by its names and then by its messages. */
export const refusalCodes: Readonly<Record<Meaning, Row>> = {
  context_length: {
    names: ["context_length_exceeded", "1261"],
    messages: [
      /^This (?:model|endpoint)'s maximum context length is (?<max>\d{1,12}) tokens\b(?:.{0,80}?(?:resulted in|requested(?: about)?) (?<count>\d{1,12}) tokens)?/s,
      /^Your input exceeds the context window/,
      /^prompt is too long(?:: (?<count>\d{1,12}) tokens > (?<max>\d{1,12}) maximum)?/i,
      /^input length and `max_tokens` exceed context limit/,
      /^The input token count(?: \((?<count>\d{1,12})\))? exceeds the maximum number of tokens allowed(?: \(?(?<max>\d{1,12})\)?)?/,
      /^Total tokens of image and text exceed max message tokens/,
      /^Input length (?<count>\d{1,12}) exceeds the maximum length (?<max>\d{1,12})/,
      /^(?:\[1261\]\[)?Prompt ?(?:exceeds max length|超长)/,
      /^invalid params, context window exceeds limit/,
      // xAI, Moonshot, Mistral, Together, Groq and Cerebras, Alibaba, Cohere (dialects.md "What they refuse").
      /^This model's maximum prompt length is (?<max>\d{1,12}) but the request contains (?<count>\d{1,12}) tokens/,
      /^(?:Invalid request: )?Your request exceeded model token limit: (?<max>\d{1,12}) \(requested: (?<count>\d{1,12})\)/,
      /^Prompt contains (?<count>\d{1,12}) tokens\b.{0,80}?too large for model with (?<max>\d{1,12}) maximum context length/s,
      /^The input \((?<count>\d{1,12}) tokens\) is longer than the model's context length \((?<max>\d{1,12}) tokens\)/,
      /^Please reduce the length of the messages/,
      /^(?:<400> )?(?:InternalError\.Algo\.InvalidParameter: )?Range of input length should be/,
      /^too many tokens: .{0,80}size limit exceeded/i,
      // Bedrock, for the models of several makers (strands-agents/harness-sdk#3969).
      /^Input is too long for requested model/,
      /^too many total text bytes/,
    ],
    spoken: {
      openai: openaiLength,
      images: openaiLength,
      anthropic: {
        ...anthropic,
        says: "prompt is too long",
        counted: "prompt is too long: {count} tokens > {max} maximum",
      },
      gemini: {
        ...gemini,
        says: "The input token count exceeds the maximum number of tokens allowed.",
        counted: "The input token count ({count}) exceeds the maximum number of tokens allowed ({max}).",
      },
      ark: {
        ...ark("InvalidParameter"),
        says: "Total tokens of image and text exceed max message tokens.",
      },
      zhipu: { code: "1261", says: "Prompt exceeds max length" },
    },
  },
  content_filter: {
    names: [
      "content_filter",
      /^(?:image_)?content_policy_violation$/,
      /^(?:bio_policy|cyber_policy|misalignment_policy_violation)$/,
      "moderation_blocked",
      "1301",
      /^(?:(?:Input|Output)(?:Text|Image|Video|Audio))?SensitiveContentDetected(?:\.|$)/,
      "data_inspection_failed",
    ],
    messages: [
      /^Output blocked by content filtering policy/,
      /^Invalid prompt: your prompt was flagged/,
      /^The prompt could not be submitted\. .{0,80}Responsible AI/s,
      /^(?:\[1301\]\[)?系统检测到输入或生成内容可能包含不安全或敏感内容/,
    ],
    spoken: {
      openai: refusedBy("content_filter"),
      images: refusedBy("content_policy_violation"),
      anthropic: { ...anthropic, says: "Output blocked by content filtering policy" },
      gemini: { ...gemini, says: "The request was blocked by the content filter." },
      ark: ark("SensitiveContentDetected"),
      zhipu: { code: "1301" },
    },
  },
  image_content: {
    names: [
      "image_parse_error",
      /^(?:invalid_(?:base64_)?image|invalid_image_(?:format|mode)|image_(?:file_)?too_(?:large|small))$/,
      /^(?:unsupported_image_media_type|empty_image_file)$/,
      "InvalidImageURL.InvalidFormat",
    ],
    messages: [
      /^(?:messages\.[\w.]+: )?Could not process image/,
      /^messages\.[\w.]+: Image does not match the provided media type/,
      /^(?:Unable to process input image|Provided image is not valid)/,
      /^The image data you provided does not represent a valid image/,
      /^(?:\[1210\]\[)?图片输入格式\/解析错误/,
    ],
    spoken: {
      openai: refusedBy("image_parse_error"),
      images: refusedBy("image_parse_error"),
      anthropic: { ...anthropic, says: "Could not process image" },
      gemini: { ...gemini, says: "Unable to process input image." },
      ark: ark("InvalidImageURL.InvalidFormat"),
      zhipu: { code: "1210" },
    },
  },
  image_address: {
    names: [
      /^(?:invalid_image_url|failed_to_download_image|image_file_not_found)$/,
      /^InvalidImageURL(?:\.|$)/,
    ],
    messages: [
      /^(?:messages\.[\w.]+: )?Unable to download the file/,
      /^Cannot fetch content from the provided URL/,
      /^(?:Error|Timeout) while downloading /,
    ],
    spoken: {
      openai: refusedBy("invalid_image_url"),
      images: refusedBy("invalid_image_url"),
      anthropic: { ...anthropic, says: "Unable to download the file." },
      gemini: { ...gemini, says: "Cannot fetch content from the provided URL." },
      ark: ark("InvalidImageURL"),
      zhipu: { code: "1210" },
    },
  },
  unsupported_parameter: {
    names: ["unsupported_parameter", "unknown_parameter"],
    messages: [
      /^Unsupported parameter/,
      /^(?:Unrecognized request argument|Unknown parameter)/,
      /^[\w.[\]]+: Extra inputs are not permitted/,
      /^(?:adaptive thinking|[`"']?[\w.[\]]+[`"']?) (?:is|are) (?:not supported|deprecated) (?:for|by|on|with) this model/i,
      /^`temperature` and `top_p` cannot both be specified for this model/,
      /^Invalid JSON payload received\. Unknown name "/,
    ],
    spoken: {
      openai: refusedBy("unsupported_parameter"),
      images: refusedBy("unsupported_parameter"),
      anthropic,
      gemini,
      ark: ark("InvalidParameter"),
      zhipu: { code: "1210" },
    },
  },
  unsupported_value: {
    names: ["unsupported_value"],
    messages: [/^Unsupported value/, /^Budget \d+ is invalid\./, /^Thinking level \w+ is not supported/],
    spoken: {
      openai: refusedBy("unsupported_value"),
      images: refusedBy("unsupported_value"),
      anthropic,
      gemini,
      ark: ark("InvalidParameter"),
      zhipu: { code: "1210" },
    },
  },
  request_too_large: {
    names: ["request_too_large"],
    messages: [],
    spoken: { anthropic: { type: "request_too_large", says: "Request exceeds the maximum size" } },
  },
};

/** A meaning, with the counts in the provider's message. */
interface Recognised {
  meaning: Meaning;
  /** How many tokens were sent, and how many fit. */
  counts?: { count: string; max: string };
}

/** What a provider's refusal means; undefined where it has none of these meanings. */
export function recognise(
  names: readonly string[],
  message: string | undefined,
  status: number,
): Recognised | undefined {
  for (const [meaning, row] of Object.entries(refusalCodes) as [Meaning, Row][]) {
    const named = names.some((name) => isNameOf(meaning, name));
    const found = row.messages.map((known) => known.exec(message ?? "")).find((match) => match !== null);
    if (!named && !found) continue;
    const { count, max } = found?.groups ?? {};
    return { meaning, ...(count !== undefined && max !== undefined && { counts: { count, max } }) };
  }
  return status === 413 ? { meaning: "request_too_large" } : undefined;
}

/** Whether a vendor has this name for a meaning. */
export function isNameOf(meaning: Meaning, name: string | undefined): boolean {
  return isOneOf(name, refusalCodes[meaning].names);
}

/** A meaning's names in a vendor's form, and how its message begins there; undefined without such a name. */
export function spokenIn(
  form: VendorForm,
  { meaning, counts }: Recognised,
): (Pick<ProviderNames, "code" | "type" | "status"> & { begins?: string }) | undefined {
  const spoken = refusalCodes[meaning].spoken[form];
  if (!spoken) return undefined;
  const { says, counted, ...names } = spoken;
  const begins =
    counts && counted ? counted.replace("{count}", counts.count).replace("{max}", counts.max) : says;
  return { ...names, ...(begins !== undefined && { begins }) };
}
