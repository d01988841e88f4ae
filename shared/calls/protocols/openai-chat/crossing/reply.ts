/** Whole OpenAI chat replies to the neutral form and back (protocols.md §1.2, §6.4). */

import { type Fields, isObject } from "../../../../base/json/fields.ts";
import { tokensOf } from "../../../../books/billing/usage.ts";
import { omitUndefined } from "../../../chat/omit-undefined.ts";
import type { ChatReply, ReplyUsage } from "../../../chat/reply.ts";
import type { ToolCallPart } from "../../../chat/request.ts";
import { counter, isReported } from "../../counters.ts";
import type { ReplyTarget } from "../../crossing.ts";
import { tierOf } from "../../openai-tier.ts";
import { choicesOf, isFailure } from "../pass-through/reply.ts";
import { readUsage, reasoningOf, usageOf } from "../pass-through/usage.ts";
import { textOf } from "./content.ts";
import { decodeStopReason, encodeStopReason } from "./ending.ts";
import { asksForOldCalls, oldCall } from "./old-functions.ts";
import { decodeReasoning, encodeReasoning } from "./reasoning.ts";
import { encodeToolCall, signatureOf, textToolsOf, toolCall } from "./tools.ts";

const idPrefix = "chatcmpl-";

/** Id and time of a reply or a chunk; empty and 0 where a vendor names none. */
export function decodeHead(fields: Fields): Pick<ChatReply, "id" | "created"> {
  const { id, created } = fields;
  return {
    id: typeof id !== "string" ? "" : id.startsWith(idPrefix) ? id.slice(idPrefix.length) : id,
    created: Number.isSafeInteger(created) ? (created as number) : 0,
  };
}

/** The members every reply and every chunk begins with. */
export function encodeHead(head: Pick<ChatReply, "id" | "created">, object: string, model: string): Fields {
  return { id: idPrefix + head.id, object, created: head.created, model };
}

/** The id of a call the provider gave none: the same whenever the answer is read. */
export function callId(reply: string, index: number): string {
  return `call_${reply}_${index}`;
}

/** Counters and reasoning of a reply or a chunk; undefined where nothing is reported. */
export function decodeUsage(reply: Fields): ReplyUsage | undefined {
  const reported = usageOf(reply);
  const usage = readUsage(reported);
  if (!usage || !reported) return undefined;
  const reasoning = reasoningOf(reported);
  if (!isReported(reasoning)) return usage;
  return { ...usage, reasoning_tokens: Math.min(counter(reasoning), usage.output_tokens) };
}

/** OpenAI's counters: `prompt_tokens` is all input, cached or not (protocols.md §6.4). */
export function encodeUsage(usage: ReplyUsage): Fields {
  return omitUndefined({
    prompt_tokens: usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens,
    completion_tokens: usage.output_tokens,
    total_tokens: tokensOf(usage),
    prompt_tokens_details: {
      cached_tokens: usage.cache_read_tokens,
      cache_write_tokens: usage.cache_write_tokens,
    },
    completion_tokens_details:
      usage.reasoning_tokens === undefined ? undefined : { reasoning_tokens: usage.reasoning_tokens },
  });
}

/** A provider's `chat.completion`. Throws `TypeError` when it is none, or a failure. */
export function decodeReply(reply: Fields): ChatReply {
  const [choice] = choicesOf(reply);
  const message = choice?.message;
  if (isFailure(reply) || !choice || !isObject(message)) throw new TypeError("no chat completion");
  const head = decodeHead(reply);
  const text = textOf(message.content);
  const calls = decodeCalls(message.tool_calls, head.id);
  const refusal = message.refusal;
  return omitUndefined({
    ...head,
    parts: [...decodeReasoning(message), ...(text === "" ? [] : [{ type: "text" as const, text }]), ...calls],
    refusal: typeof refusal === "string" && refusal !== "" ? refusal : undefined,
    stop_reason: decodeStopReason(choice.finish_reason, calls.length > 0),
    usage: decodeUsage(reply),
  });
}

function decodeCalls(calls: unknown, reply: string): ToolCallPart[] {
  if (!Array.isArray(calls)) return [];
  return calls.map((call: unknown, index) => {
    const named = isObject(call) ? call.function : undefined;
    if (!isObject(call) || !isObject(named) || typeof named.name !== "string" || named.name === "") {
      throw new TypeError("a tool call without a name");
    }
    const id = typeof call.id === "string" && call.id !== "" ? call.id : callId(reply, index);
    return toolCall(id, named, signatureOf(call));
  });
}

/** The client's `chat.completion`. */
export function encodeReply(reply: ChatReply, { model, request, unsigned }: ReplyTarget): Fields {
  const text = reply.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  const calls = encodeCalls(reply, request);
  const silent = Object.keys(calls).length > 0 || reply.refusal !== undefined;
  const message = {
    role: "assistant",
    content: text === "" && silent ? null : text,
    refusal: reply.refusal ?? null,
    ...encodeReasoning(reply.parts, unsigned),
    ...calls,
  };
  const finish_reason = encodeStopReason(reply.stop_reason, asksForOldCalls(request));
  return omitUndefined({
    ...encodeHead(reply, "chat.completion", model),
    choices: [{ index: 0, message, logprobs: null, finish_reason }],
    ...tierOf(reply.usage),
    usage: reply.usage && encodeUsage(reply.usage),
  });
}

/** The calls of an answer. The old form has place for the first one, and the model calls the others again. */
function encodeCalls({ parts }: ChatReply, request: Fields): Fields {
  const calls = parts.filter((part) => part.type === "tool_call");
  const [first] = calls;
  if (!first) return {};
  if (asksForOldCalls(request)) return oldCall(first);
  const own = textToolsOf(request);
  return { tool_calls: calls.map((call) => encodeToolCall(call, own)) };
}
