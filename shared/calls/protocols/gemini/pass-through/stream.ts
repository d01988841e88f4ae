/** Gemini streams: read on the side, failed, and written as one JSON array (protocols.md §3.1, §3.4). */

import { type Fields, isObject } from "../../../../base/json/fields.ts";
import { frameData, frameObject, hasWord } from "../../../../base/sse/frames.ts";
import type { ChatCall } from "../../../../books/billing/call.ts";
import type { Usage, UsageDetails } from "../../../../books/billing/usage.ts";
import { laterUsage } from "../../counters.ts";
import { finishOf } from "../../output.ts";
import type { FrameHandling, StreamForm, StreamReader } from "../../streaming.ts";
import { laterDetails } from "../../switches.ts";
import { readDetails } from "../switches.ts";
import { blockReason, candidatesOf, isAnswer, readUsage, reasoned, reasonsOf, tellsOutput } from "./reply.ts";

/** What stands in the chunks that must be read. Once output has begun, every other chunk passes unparsed. */
const telling = /(?:usageMetadata|finishReason|blockReason|groundingMetadata)"|error"[ :]*\{/;

/**
 * A reader of one stream. Totals are final beside the finish reason (protocols.md pitfall 35). No frame says that it is
 * the last: some providers write a finish reason on every chunk, or first on an empty one.
 */
export function createReader(call: ChatCall): StreamReader {
  const finished = new Set<unknown>();
  const reasons = new Set<unknown>();
  let usage: Usage | undefined;
  let whole = false;
  let thought = false;
  let produced = false;
  let blocked = false;
  let details: UsageDetails = {};

  const over = () => blocked || finished.size >= call.choices;

  const readChunk = (chunk: Fields): FrameHandling => {
    if (isObject(chunk.error)) return "failed";
    const metadata = chunk.usageMetadata;
    usage = laterUsage(usage, readUsage(metadata));
    whole ||= tellsOutput(metadata);
    thought ||= reasoned(metadata);
    produced ||= isAnswer(chunk);
    details = laterDetails(details, readDetails(chunk));
    blocked ||= blockReason(chunk) !== undefined;
    for (const reason of reasonsOf(chunk)) reasons.add(reason);
    for (const { finishReason, index } of candidatesOf(chunk)) if (finishReason) finished.add(index ?? 0);
    return over() ? "hold" : "pass";
  };

  return {
    read(frame) {
      // Google breaks a stream off with a bare error object between the frames.
      if (frame[0] === 0x7b) return "failed";
      if (produced && !hasWord(frame, telling)) return "pass";
      const chunk = frameObject(frame);
      return chunk ? readChunk(chunk) : "pass";
    },
    usage: () => ((blocked || finished.size > 0) && (whole || !produced) ? usage : undefined),
    early: () => usage,
    produced: () => produced || thought || (usage?.output_tokens ?? 0) > 0,
    details: () => details,
    finish: () => finishOf(reasons),
    over,
    open_ended: true,
  };
}

/** A stream as one JSON array of its frames, for clients that did not ask for `alt=sse` (protocols.md §3.1). */
export function createArrayForm(): StreamForm {
  let begun = false;
  return {
    content_type: "application/json",
    push(frame) {
      const data = frameData(frame);
      if (data === "") return Buffer.alloc(0);
      const element = Buffer.from((begun ? ",\r\n" : "[") + data);
      begun = true;
      return element;
    },
    end: () => Buffer.from(begun ? "]" : "[]"),
  };
}
