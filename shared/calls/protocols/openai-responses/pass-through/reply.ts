/** Whole responses, read on the side. */

import { asText, type Fields, isObject, objectsOf } from "../../../../base/json/fields.ts";
import type { Usage } from "../../../../books/billing/usage.ts";
import { besideCounts, counter, hasReasoned, isCount, usageWithin } from "../../counters.ts";
import { bytesOf, finishOf, isOutput, jsonBytes, responsesItems } from "../../output.ts";
import type { ReplyFacts } from "../../protocol.ts";
import { readBody } from "../../reply-body.ts";
import { readDetails } from "../switches.ts";

/** Reads a whole response. */
export function readReply(bytes: Buffer): ReplyFacts {
  const reply = readBody(bytes);
  const usage = readUsage(reply.usage);
  return {
    usage,
    produced: hasOutput(reply) || reasoned(reply.usage),
    details: readDetails(reply),
    finish: finishOf([endOf(reply)]),
    output_bytes: usage ? 0 : outputBytes(reply),
    failed: reply.status === "failed" || isFailure(reply),
  };
}

/** `response.failed`, or an error in place of an answer or an event: flat, nested, or a vendor's `….error`. */
export function isFailure(event: Fields): boolean {
  const type = asText(event.type);
  return type === "response.failed" || type.endsWith("error") || isObject(event.error);
}

/** Whether a usage object counts reasoning. */
export function reasoned(usage: unknown): boolean {
  return isObject(usage) && hasReasoned(usage.output_tokens_details);
}

/** The status of a response that has ended, or undefined; an incomplete one was ended by a limit or a filter. */
function endOf({ status }: Fields): unknown {
  return status === "completed" || status === "incomplete" ? status : undefined;
}

/** Whether a response object has an item that is output. */
export function hasOutput(response: Fields): boolean {
  return objectsOf(response.output).some((item) => isOutput(item, responsesItems));
}

/** Bytes of all output items of a response object. */
export function outputBytes(response: Fields): number {
  return objectsOf(response.output).reduce((sum, item) => sum + itemBytes(item), 0);
}

/** Bytes of text and refusal, or of a call's name and arguments. Items of other kinds count by their JSON. */
function itemBytes(item: Fields): number {
  switch (item.type) {
    case "message":
      return objectsOf(item.content).reduce((sum, part) => sum + bytesOf(part.text ?? part.refusal), 0);
    case "function_call":
      return bytesOf(item.name) + bytesOf(item.arguments);
    default:
      return jsonBytes(item);
  }
}

/** The four disjoint counters (protocols.md §6.4). A missing side is unknown. What the total has more is output. */
export function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  if (!isCount(value.input_tokens) || !isCount(value.output_tokens)) return undefined;
  const input = counter(value.input_tokens);
  const output = counter(value.output_tokens);
  const details = isObject(value.input_tokens_details) ? value.input_tokens_details : {};
  const cache = { cached: counter(details.cached_tokens), stored: counter(details.cache_write_tokens) };
  const beside = Math.max(0, besideCounts(value.total_tokens, input, output));
  return usageWithin(input, cache, output + beside);
}
