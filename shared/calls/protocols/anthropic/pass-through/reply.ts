/** Whole Anthropic messages, read on the side. */

import { type Fields, isObject, objectsOf } from "../../../../base/json/fields.ts";
import type { ChatCall } from "../../../../books/billing/call.ts";
import { noUsage, type Usage } from "../../../../books/billing/usage.ts";
import { counter, isCount, laterUsage, sumUsage } from "../../counters.ts";
import { anthropicBlocks, finishOf, isOutput } from "../../output.ts";
import type { ReplyFacts } from "../../protocol.ts";
import { readBody } from "../../reply-body.ts";
import { laterDetails } from "../../switches.ts";
import { readContainer, readDetails } from "../switches.ts";

/** Reads a whole message. */
export function readReply(bytes: Buffer, call?: ChatCall): ReplyFacts {
  const reply = readBody(bytes);
  const blocks = objectsOf(reply.content);
  const usage = readUsage(reply.usage);
  return {
    usage: usage && sumUsage(usage, readIterations(reply.usage)),
    produced: blocks.some(isAnswer),
    finish: finishOf([reply.stop_reason]),
    details: laterDetails(readDetails(reply.usage), readContainer(reply, call)),
    output_bytes: usage ? 0 : blocks.reduce((sum, block) => sum + blockBytes(block), 0),
    failed: reply.type === "error" || isObject(reply.error),
  };
}

/** Whether a content block, or its opening in a stream, is output. */
export function isAnswer(block: Fields): boolean {
  return isOutput(block, anthropicBlocks);
}

/** Bytes of a content block, or of its opening in a stream. Blocks other than text count by their JSON. */
export function blockBytes(block: Fields): number {
  const text = block.type === "text" ? block.text : block.type === "thinking" ? block.thinking : undefined;
  return typeof text === "string" ? Buffer.byteLength(text) : Buffer.byteLength(JSON.stringify(block));
}

/** Anthropic's disjoint counters (protocols.md §2.2). A missing one keeps its `earlier` value, or is unknown. */
export function readUsage(value: unknown, earlier?: Usage): Usage | undefined {
  if (!isObject(value)) return undefined;
  const names = ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
  if (!names.some((name) => isCount(value[name]))) return undefined;
  if (!earlier && !names.slice(0, 2).every((name) => isCount(value[name]))) return undefined;
  const read = (name: string, before = 0) => (isCount(value[name]) ? counter(value[name]) : before);
  return {
    ...noUsage,
    input_tokens: read("input_tokens", earlier?.input_tokens),
    output_tokens: read("output_tokens", earlier?.output_tokens),
    cache_read_tokens: read("cache_read_input_tokens", earlier?.cache_read_tokens),
    cache_write_tokens: read("cache_creation_input_tokens", earlier?.cache_write_tokens),
  };
}

/** The usage after one more event. The output of the stream's start does not count: the end may report less. */
export function nextUsage<Report extends Usage>(
  start: Report | undefined,
  before: Report | undefined,
  now: Report | undefined,
): Report | undefined {
  return now && laterUsage(before ?? (start && { ...start, output_tokens: 0 }), now);
}

/** Kinds of iterations whose tokens are missing in the counts beside them. Other kinds are included there. */
const apart: ReadonlySet<unknown> = new Set(["compaction", "advisor_message"]);

/** What a usage object reports beside its own counts: the compaction of a context, and advice by another model. */
export function readIterations(value: unknown): Usage | undefined {
  const iterations = isObject(value) ? value.iterations : undefined;
  if (!Array.isArray(iterations)) return undefined;
  return iterations
    .filter((iteration) => isObject(iteration) && apart.has(iteration.type))
    .map((iteration) => readUsage(iteration, noUsage) ?? noUsage)
    .reduce((sum, usage) => sumUsage(sum, usage), noUsage);
}
