/** Whole Anthropic messages as replies and back, and the words both share with streams (protocols.md §6.4). */

import { type Fields, isObject } from "../../../../base/json/fields.ts";
import { noUsage } from "../../../../books/billing/usage.ts";
import { joinTexts } from "../../../chat/join-texts.ts";
import type { ChatReply, ReplyUsage } from "../../../chat/reply.ts";
import type { AssistantPart } from "../../../chat/request.ts";
import { counter, isReported } from "../../counters.ts";
import type { ReplyTarget } from "../../crossing.ts";
import { readUsage } from "../pass-through/reply.ts";
import { decodeReplyBlock, encodeText, encodeThinking, encodeToolUse } from "./blocks.ts";
import { decodeEnding, encodeEnding, endingOf } from "./ending.ts";
import { encodeToolId } from "./tool-calls.ts";

const idPrefix = "msg_";

/** The message's id without its prefix; "" where the provider gave none. */
export function decodeId(id: unknown): string {
  if (typeof id !== "string") return "";
  return id.startsWith(idPrefix) ? id.slice(idPrefix.length) : id;
}

export function encodeId(id: string): string {
  return `${idPrefix}${id}`;
}

/** Reads counters. One that is not repeated keeps its `earlier` value (pitfall 5). Undefined if none is reported. */
export function decodeUsage(value: unknown, earlier: ReplyUsage = noUsage): ReplyUsage | undefined {
  const usage = readUsage(value, earlier);
  if (!usage) return undefined;
  const details = isObject(value) ? value.output_tokens_details : undefined;
  const told = isObject(details) ? details.thinking_tokens : undefined;
  const reasoning = isReported(told) ? counter(told) : earlier.reasoning_tokens;
  return reasoning === undefined ? usage : { ...usage, reasoning_tokens: reasoning };
}

/** Writes all counters; `input_tokens` excludes the cache (pitfalls 1–4). SDKs break without them, so none are 0. */
export function encodeUsage(usage: ReplyUsage = noUsage): Fields {
  const { reasoning_tokens: reasoning, ways } = usage;
  return {
    input_tokens: usage.input_tokens,
    cache_creation_input_tokens: usage.cache_write_tokens,
    cache_read_input_tokens: usage.cache_read_tokens,
    output_tokens: usage.output_tokens,
    ...(reasoning === undefined ? {} : { output_tokens_details: { thinking_tokens: reasoning } }),
    ...ways,
  };
}

/** A provider's whole message. Anthropic tells no time: `created` is 0. Throws `TypeError` unless it is finished. */
export function decodeReply(reply: Fields): ChatReply {
  const content = reply.content;
  const ending = decodeEnding(reply);
  if (reply.type !== "message" || !Array.isArray(content) || !ending) {
    throw new TypeError("not a finished message");
  }
  const usage = decodeUsage(reply.usage);
  const parts = joinTexts(content.filter(isObject).flatMap(decodeReplyBlock));
  const called = parts.some(({ type }) => type === "tool_call");
  return {
    id: decodeId(reply.id),
    created: 0,
    parts,
    ...endingOf(ending, called),
    ...(usage ? { usage } : {}),
  };
}

/** A whole message for the client. */
export function encodeReply(reply: ChatReply, target: ReplyTarget): Fields {
  return {
    id: encodeId(reply.id),
    type: "message",
    role: "assistant",
    model: target.model,
    content: reply.parts.flatMap((part) => encodePart(part, target.unsigned)),
    ...encodeEnding(reply),
    usage: encodeUsage(reply.usage),
  };
}

function encodePart(part: AssistantPart, unsigned: string | undefined): Fields[] {
  switch (part.type) {
    case "text":
      return encodeText(part);
    case "reasoning":
      return [encodeThinking(part, unsigned)];
    case "tool_call":
      return [encodeToolUse(part, encodeToolId(part.id, part.signature))];
    default:
      return part satisfies never;
  }
}
