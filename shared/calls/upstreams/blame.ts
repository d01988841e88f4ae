/** Whose fault a refusal is: one organization must not close a channel (shared/calls/routing/README.md "Whose fault"). */
import { isOneOf, namesOf, type ProviderError } from "./provider-error.ts";
import { recognise } from "./refusal-codes.ts";

/** What of a request names things that are not in it. */
export interface Carried {
  /** An id of something that the provider keeps. */
  ids: boolean;
}

/** A refusal whose status does not say whose fault it is. All that a row says must hold. */
interface Row {
  whose: "request" | "limit" | "channel";
  /** Absent: any. An error inside of a 200 has the status 200. */
  statuses?: readonly number[];
  /** Codes, types, statuses and reasons of the error, or beginnings of its message. One of them is enough. */
  names?: readonly (string | RegExp)[];
  begins?: readonly RegExp[];
  /** Only where the request carries an id, and the error does not speak of this. */
  carried?: "ids";
  unless?: RegExp;
  /** Another channel may take the request: it has other limits. */
  elsewhere?: true;
}

/** The first row that fits counts. Each has its source in front of it. */
export const blameRows: readonly Row[] = [
  // OpenAI, "Error codes" and the messages of its API: something that an id names is not there, or is over.
  {
    whose: "request",
    statuses: [200, 403, 404, 409, 410],
    names: [
      /^(?:previous_response|file|container|vector_store|item|prompt|conversation)_(?:not_found|expired)$/,
    ],
    begins: [
      /^No such (?:File object|file|vector store)/i,
      /^(?:Container|Vector store|Prompt|Item|Conversation|Previous response|Response|File) with id/i,
      /^Container (?:is|has) expired/i,
    ],
  },
  // Anthropic, "Errors" and "Files API": 404 `not_found_error` for a file or container. For a model it begins otherwise.
  { whose: "request", statuses: [200, 403, 404], begins: [/^(?:File|Container|Skill)s? not found/i] },
  // Google, "Gemini API troubleshooting": 403 for a file or a cache that belongs to another account, or is gone.
  {
    whose: "request",
    statuses: [403, 404],
    begins: [
      /^You do not have permission to access the (?:File|Cached ?Content|File ?Search ?Store)/i,
      /^(?:CachedContent|File ?Search ?Store|File)\b.{0,160}(?:not found|not exist)/i,
    ],
  },
  // OpenRouter, "Errors": 403 for a prompt that its moderation flags. 451 is RFC 7725, as Groq and Azure use it.
  {
    whose: "request",
    statuses: [403],
    names: [/moderation|flagged/i],
    begins: [/^.{0,160}(?:moderation|flagged)/is],
  },
  { whose: "request", statuses: [451] },
  // Amazon Bedrock, "Troubleshooting API error codes": 424 where the model failed. A model that is asked under a name
  // that is not sold there (strands-agents/harness-sdk#38) is the catalog's fault.
  { whose: "channel", statuses: [424], names: ["ModelErrorException", "ModelStreamErrorException"] },
  {
    whose: "channel",
    statuses: [400],
    begins: [
      /^Invocation of model ID \S{1,200} with on-demand throughput isn/,
      /^The provided model identifier is invalid/,
    ],
  },
  { whose: "limit", statuses: [400], names: ["ServiceQuotaExceededException"] },
  // OpenAI, "Remote MCP": 424 where a server that the request names does not answer.
  { whose: "request", statuses: [424] },
  // RFC 6585: headers are too large. The ones that differ between calls are the client's.
  { whose: "request", statuses: [431] },
  // OpenAI, "Rate limits", and Anthropic, "Rate limits": this request alone is larger than the limit of a minute. Groq
  // says it with 413 (continuedev/continue#10218).
  {
    whose: "request",
    statuses: [413, 429],
    begins: [/^Request too large for /, /^Extra usage is required for long context/i],
    elsewhere: true,
  },
  // Anthropic and Vertex AI: a beta of the client's that is not known here (anthropics/claude-code#12429). Its maker may
  // know it.
  {
    whose: "request",
    statuses: [400],
    begins: [/^Unexpected value\(s\) .{0,400} for the `anthropic-beta` header/],
    elsewhere: true,
  },
  // Any vendor: nothing is there by the id that the request carries. A model that is not there is the channel's.
  {
    whose: "request",
    statuses: [404, 409, 410],
    carried: "ids",
    unless: /model|deployment|endpoint|url|route/i,
  },
  // OpenAI and Anthropic, "Streaming": an error event repeats the type of the refusal that it would have been. Ark and
  // vLLM repeat theirs, and Bedrock's events have the names of its errors. Zhipu, "Error codes": parameters and messages
  // that are not valid.
  {
    whose: "request",
    statuses: [200],
    names: [
      "invalid_request_error",
      "invalid_prompt",
      "INVALID_ARGUMENT",
      "FAILED_PRECONDITION",
      "string_above_max_length",
      /^InvalidParameter(?:\.|$)/,
      /^BadRequest(?:Error)?$/,
      /^12(?:10|13|14)$/,
      "ValidationException",
    ],
  },
  {
    whose: "limit",
    statuses: [200],
    names: ["rate_limit_exceeded", "rate_limit_error", "RESOURCE_EXHAUSTED", "ThrottlingException"],
  },
];

/** The row of the table that a refusal is in; undefined where its status alone says whose fault it is. */
export function blameRow(
  status: number,
  error: ProviderError,
  { ids }: Carried = { ids: false },
): Pick<Row, "whose" | "elsewhere"> | undefined {
  const names = namesOf(error);
  const { message = "" } = error;
  const found = blameRows.find(({ statuses, carried, unless, ...row }) => {
    if (statuses && !statuses.includes(status)) return false;
    if (carried && !ids) return false;
    if (unless && [...names, message].some((text) => unless.test(text))) return false;
    if (!row.names && !row.begins) return true;
    const isNamed = names.some((name) => isOneOf(name, row.names ?? []));
    return isNamed || row.begins?.some((begins) => begins.test(message));
  });
  // An error that applications know is about the request, wherever it stands.
  return found ?? (recognise(names, message, status) ? { whose: "request" } : undefined);
}
