/** Whole answers of Converse, read on the side. */
import { type Fields, isObject, objectsOf } from "../../../base/json/fields.ts";
import { noUsage, type Usage, type UsageDetails } from "../../../books/billing/usage.ts";
import type { ReplyUsage } from "../../chat/reply.ts";
import type { ServedWays } from "../../chat/ways.ts";
import { counter, isCount } from "../counters.ts";
import { finishOf, isEmpty } from "../output.ts";
import type { ReplyFacts } from "../protocol.ts";
import { readBody } from "../reply-body.ts";
import { detailsOf, objectAt, objectsAt } from "../switches.ts";
import { words } from "./ways.ts";

/** Reads a whole answer. One without an output is an error, such as that of a path that AWS does not know. */
export function readReply(bytes: Buffer): ReplyFacts {
  const reply = readBody(bytes);
  const blocks = blocksOf(reply);
  const usage = readUsage(reply.usage);
  return {
    usage,
    produced: !isEmpty(blocks),
    finish: finishOf([reply.stopReason]),
    details: readDetails(reply),
    output_bytes: usage ? 0 : blocks.reduce((sum, block) => sum + blockBytes(block), 0),
    failed: !isObject(reply.output),
  };
}

/** The content blocks of a whole answer. */
export function blocksOf(reply: Fields): Fields[] {
  return objectsOf(objectAt(objectAt(reply, "output"), "message").content);
}

/** Bytes of a block, or of a fragment of one: those of its text, else of its JSON. */
export function blockBytes(block: Fields): number {
  const { text, toolUse, reasoningContent } = block;
  if (typeof text === "string") return Buffer.byteLength(text);
  const thought = isObject(reasoningContent) ? reasoningContent : {};
  const told = isObject(thought.reasoningText) ? thought.reasoningText.text : thought.text;
  if (typeof told === "string") return Buffer.byteLength(told);
  const call = isObject(toolUse) ? toolUse.input : undefined;
  return Buffer.byteLength(typeof call === "string" ? call : JSON.stringify(block));
}

/** Converse's disjoint counters (protocols.md §8.2). Undefined unless both sides are counted. */
export function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value) || !isCount(value.inputTokens) || !isCount(value.outputTokens)) return undefined;
  return {
    ...noUsage,
    input_tokens: counter(value.inputTokens),
    output_tokens: counter(value.outputTokens),
    cache_read_tokens: counter(value.cacheReadInputTokens),
    cache_write_tokens: counter(value.cacheWriteInputTokens),
  };
}

/** The counters of a whole answer, or of the last event of a stream, with how the call was served. */
export function replyUsage(told: Fields): ReplyUsage | undefined {
  const usage = readUsage(told.usage);
  const { service_tier, speed } = readDetails(told);
  const ways: ServedWays = {
    ...(service_tier !== undefined && { service_tier: ourWord(words.service_tier, service_tier) }),
    ...(speed !== undefined && { speed: ourWord(words.speed, speed) }),
  };
  return usage && Object.keys(ways).length > 0 ? { ...usage, ways } : usage;
}

/** Our word for one of Converse's. One that we do not know stays. */
function ourWord(table: Readonly<Record<string, string>>, word: string): string {
  return Object.keys(table).find((own) => table[own] === word) ?? word;
}

/** What a whole answer, or the last event of a stream, says besides its counts: tier, latency, and what is kept for an hour. */
export function readDetails(told: Fields): UsageDetails {
  const kept = objectsAt(objectAt(told, "usage"), "cacheDetails").filter(({ item }) => item.ttl === "1h");
  return detailsOf({
    ways: {
      service_tier: objectAt(told, "serviceTier").type,
      speed: objectAt(told, "performanceConfig").latency,
    },
    tokens: { cache_write_1h: kept.reduce((sum, { item }) => sum + counter(item.inputTokens), 0) },
  });
}
