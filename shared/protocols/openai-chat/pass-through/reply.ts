/** Whole OpenAI chat replies, read on the side. */
import { noUsage, type Usage } from "../../../billing/usage.ts";
import { asText, type Fields, isObject, objectsOf } from "../../../json/fields.ts";
import { besideCounts, counter, hasReasoned, isCount, usageWithin } from "../../counters.ts";
import { bytesOf, finishOf, isEmpty, jsonBytes } from "../../output.ts";
import type { ReplyFacts } from "../../protocol.ts";
import { readBody } from "../../reply-body.ts";
import { readDetails } from "../switches.ts";

/** Reads a whole `chat.completion`. */
export function readReply(bytes: Buffer): ReplyFacts {
  const reply = readBody(bytes);
  const choices = choicesOf(reply);
  const messages = choices.map((choice) => choice.message).filter(isObject);
  const usage = readUsage(reply.usage);
  return {
    usage,
    produced: !isEmpty(choices) || reasoned(reply.usage),
    details: readDetails(reply),
    finish: finishOf(choices.map((choice) => choice.finish_reason)),
    output_bytes: usage ? 0 : messages.reduce((sum, message) => sum + messageBytes(message), 0),
    failed: isFailure(reply),
  };
}

/**
 * An error in place of a reply or a chunk: OpenAI's `error` object, Ark's `session.error` (protocols.md §1.3, §4.2), or
 * vLLM's object that is an error.
 */
export function isFailure(chunk: Fields): boolean {
  return isObject(chunk.error) || chunk.object === "error" || asText(chunk.type).endsWith("error");
}

/** The choices of a reply or a chunk. */
export function choicesOf(chunk: Fields): Fields[] {
  return objectsOf(chunk.choices);
}

/** Whether a usage object tells of reasoning. */
export function reasoned(usage: unknown): boolean {
  return isObject(usage) && hasReasoned(usage.completion_tokens_details);
}

/**
 * Bytes of the text, refusal, reasoning and tool calls of a message or a delta. A call counts its name, so that one
 * without arguments is not taken for nothing.
 */
export function messageBytes(message: Fields): number {
  let bytes = 0;
  for (const name of ["content", "refusal", "reasoning_content", "reasoning"]) {
    const text = message[name];
    if (typeof text === "string") bytes += Buffer.byteLength(text);
    else if (Array.isArray(text) && text.length > 0) bytes += jsonBytes(text);
  }
  if (isObject(message.audio)) bytes += jsonBytes(message.audio);
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  for (const call of [...calls, { function: message.function_call }]) {
    const named = isObject(call) && (isObject(call.function) ? call.function : call.custom);
    if (!isObject(named)) continue;
    bytes += bytesOf(named.name) + bytesOf(named.arguments ?? named.input);
  }
  return bytes;
}

/**
 * The four disjoint counters (protocols.md §6.4). `prompt_tokens` includes what was read from and written to the
 * cache, so both are subtracted. A report must have input and output: a missing side is unknown, not zero. What the
 * total has beyond both is output, unless it is the cache. Some providers report the cache as Anthropic does, and a
 * few of those leave it out of the prompt, again as Anthropic does.
 */
export function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  if (!isCount(value.prompt_tokens) || !isCount(value.completion_tokens)) return undefined;
  const prompt = counter(value.prompt_tokens);
  const completion = counter(value.completion_tokens);
  const { cached, stored } = readCache(value);
  const beside = Math.max(0, besideCounts(value.total_tokens, prompt, completion));
  const named = [value.cache_read_input_tokens, value.cache_creation_input_tokens].some(isCount);
  if (named && beside > 0 && beside === cached + stored) {
    const cache = { cache_read_tokens: cached, cache_write_tokens: stored };
    return { ...noUsage, input_tokens: prompt, ...cache, output_tokens: completion };
  }
  return usageWithin(prompt, { cached, stored }, completion + beside);
}

/** What was read from a cache and written to one, under every name that providers of this form have for it. */
function readCache(usage: Fields): { cached: number; stored: number } {
  const details = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const most = (...counts: unknown[]) => Math.max(...counts.map(counter));
  return {
    cached: most(
      details.cached_tokens,
      usage.cached_tokens,
      usage.prompt_cache_hit_tokens,
      usage.cache_read_input_tokens,
    ),
    stored: most(
      details.cache_write_tokens,
      details.cache_creation_tokens,
      details.cache_creation_input_tokens,
      usage.cache_creation_input_tokens,
    ),
  };
}
