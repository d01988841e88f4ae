/** Whole Gemini replies, read on the side. */

import { type Fields, isObject, objectsOf } from "../../../../base/json/fields.ts";
import type { Usage } from "../../../../books/billing/usage.ts";
import { counter, hasReasoned, isCount, usageWithin } from "../../counters.ts";
import { finishOf, isEmpty } from "../../output.ts";
import type { ReplyFacts } from "../../protocol.ts";
import { readBody } from "../../reply-body.ts";
import { readDetails } from "../switches.ts";

/** Reads a whole `GenerateContentResponse`. */
export function readReply(bytes: Buffer): ReplyFacts {
  const reply = readBody(bytes);
  const produced = isAnswer(reply);
  const usage = answerUsage(reply.usageMetadata, produced);
  return {
    usage,
    produced: produced || reasoned(reply.usageMetadata),
    details: readDetails(reply),
    finish: finishOf(reasonsOf(reply)),
    output_bytes: usage ? 0 : chunkBytes(reply),
    failed: isObject(reply.error),
  };
}

/** The candidates of a reply, or of one chunk of a stream: both have the same form. */
export function candidatesOf(chunk: Fields): Fields[] {
  return objectsOf(chunk.candidates);
}

/** The parts of one candidate. */
export function partsOf({ content }: Fields): Fields[] {
  return isObject(content) ? objectsOf(content.parts) : [];
}

/** Why the provider answers a prompt with no candidates at all, or undefined (protocols.md §3.2). */
export function blockReason({ promptFeedback }: Fields): string | undefined {
  const reason = isObject(promptFeedback) ? promptFeedback.blockReason : undefined;
  return typeof reason === "string" && reason !== "" ? reason : undefined;
}

/** The finish reasons of a reply or a chunk. A blocked prompt counts as one, because Google bills it. */
export function reasonsOf(chunk: Fields): unknown[] {
  return [blockReason(chunk), ...candidatesOf(chunk).map(({ finishReason }) => finishReason)];
}

/** Whether a chunk has output: anything in a candidate but its end and its ratings. */
export function isAnswer(chunk: Fields): boolean {
  return !isEmpty(candidatesOf(chunk));
}

/** Bytes of what a chunk answers. */
export function chunkBytes(chunk: Fields): number {
  const parts = candidatesOf(chunk).flatMap(partsOf);
  return parts.reduce((sum, part) => sum + partBytes(part), 0);
}

/** Text counts its bytes, calls and code their JSON; a picture's base64 says nothing about its tokens. */
function partBytes(part: Fields): number {
  const text = part.text;
  if (typeof text === "string") return Buffer.byteLength(text);
  if (isObject(part.inlineData)) return 1;
  const { thoughtSignature: _, ...rest } = part;
  return Object.keys(rest).length > 0 ? Buffer.byteLength(JSON.stringify(rest)) : 0;
}

/** The four disjoint counters (protocols.md §6.4). Google leaves zeros out, so a report without a prompt is none. */
export function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value) || !isCount(value.promptTokenCount)) return undefined;
  const prompt = counter(value.promptTokenCount) + counter(value.toolUsePromptTokenCount);
  const answer = counter(value.candidatesTokenCount) + counter(value.thoughtsTokenCount);
  return usageWithin(prompt, { cached: counter(value.cachedContentTokenCount) }, answer);
}

/** Whether a usage object counts thoughts. */
export function reasoned(usage: unknown): boolean {
  return hasReasoned(usage, "thoughtsTokenCount");
}

/** The usage of an answer. Undefined where the answer has output and the report does not count it. */
function answerUsage(value: unknown, produced: boolean): Usage | undefined {
  return tellsOutput(value) || !produced ? readUsage(value) : undefined;
}

/** Whether a usage object has a count of output, even 0. */
export function tellsOutput(value: unknown): boolean {
  return isObject(value) && [value.candidatesTokenCount, value.thoughtsTokenCount].some(isCount);
}
