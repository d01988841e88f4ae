/** The headers of Anthropic messages, and whole replies read. */
import { noUsage, type Usage } from "../../billing/usage.ts";
import { type Fields, isObject } from "../../http/fields.ts";
import { counter, isCount } from "../counters.ts";
import type { ReplyFacts } from "../protocol.ts";
import { readBody } from "../reply-body.ts";

/** What a client without a version of its own gets: the one that still takes sampling parameters. */
const defaultVersion = "2023-06-01";

/** The client's version and betas go with its body: they say how the body is to be read (protocols.md §0.2). */
export function forwardHeaders(headers: Record<string, string | undefined>): Record<string, string> {
  const beta = headers["anthropic-beta"];
  return {
    "anthropic-version": headers["anthropic-version"] ?? defaultVersion,
    ...(beta ? { "anthropic-beta": beta } : {}),
  };
}

/** Reads a whole message. */
export function readReply(bytes: Buffer): ReplyFacts {
  const reply = readBody(bytes);
  const blocks = Array.isArray(reply["content"]) ? reply["content"].filter(isObject) : [];
  const output = blocks.reduce((sum, block) => sum + blockBytes(block), 0);
  return {
    usage: readUsage(reply["usage"]),
    produced: output > 0,
    output_bytes: output,
    failed: reply["type"] === "error" || isObject(reply["error"]),
  };
}

/** Bytes of a content block, or of its opening in a stream. Blocks other than text count by their JSON. */
export function blockBytes(block: Fields): number {
  const text =
    block["type"] === "text" ? block["text"] : block["type"] === "thinking" ? block["thinking"] : undefined;
  if (typeof text === "string") return Buffer.byteLength(text);
  return Buffer.byteLength(JSON.stringify(block));
}

/**
 * Anthropic's counters are disjoint already: `input_tokens` excludes the cache (protocols.md §2.2). What
 * a later event does not repeat keeps its `earlier` value; undefined if it reports nothing at all, or, where there
 * is nothing earlier, only one side: the other is not zero, but unknown.
 */
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
