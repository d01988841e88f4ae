/** OpenAI chat streams, read on the side (protocols.md §1.3). */

import { type Fields, isObject } from "../../../../base/json/fields.ts";
import { frameData, frameObject, hasWord } from "../../../../base/sse/frames.ts";
import type { ChatCall } from "../../../../books/billing/call.ts";
import type { Usage, UsageDetails } from "../../../../books/billing/usage.ts";
import { laterUsage } from "../../counters.ts";
import { finishOf, isEmpty } from "../../output.ts";
import type { FrameHandling, StreamReader } from "../../streaming.ts";
import { laterDetails } from "../../switches.ts";
import { readDetails, tellsOfSearch } from "../switches.ts";
import { choicesOf, isFailure, messageBytes } from "./reply.ts";
import { readUsage, reasoned, usageOf } from "./usage.ts";

/** What stands in every frame that must be read, after the first output. Twice as fast without `"` and `{` in front. */
const telling = /(?:usage|error)"[ :]*\{|DONE\]/;

/** A reader of one stream. Once output has begun, only frames that show a usage or an error object are parsed. */
export function createReader(call: ChatCall): StreamReader {
  let usage: Usage | undefined;
  let produced = false;
  let over = false;
  let details: UsageDetails = {};
  const reasons = new Set<unknown>();
  const hasTools = call.switches?.some(({ kind }) => kind === "tool") ?? false;

  const readChunk = (chunk: Fields): FrameHandling => {
    if (isFailure(chunk)) return "failed";
    const choices = choicesOf(chunk);
    details = laterDetails(details, readDetails(chunk));
    const reported = usageOf(chunk);
    produced ||= isAnswer(chunk, choices) || reasoned(reported);
    usage = laterUsage(usage, readUsage(reported));
    for (const { finish_reason } of choices) reasons.add(finish_reason);
    // Some vendors repeat a running total on every chunk: only one without choices, or beside a finish
    // reason, is the end (protocols.md pitfall 35).
    const last = choices.length === 0 || choices.some(({ finish_reason }) => Boolean(finish_reason));
    if (!reported || !last) return "pass";
    return call.hide_usage && choices.length === 0 ? "drop" : "hold";
  };

  return {
    read(frame) {
      if (produced && !hasWord(frame, telling) && !(hasTools && tellsOfSearch(frame))) return "pass";
      if (frameData(frame) === "[DONE]") {
        over = true;
        return "hold";
      }
      const chunk = frameObject(frame);
      return chunk ? readChunk(chunk) : "pass";
    },
    passes: (frames) => produced && !hasTools && !hasWord(frames, telling),
    usage: () => usage,
    early: () => undefined,
    produced: () => produced,
    details: () => details,
    finish: () => finishOf(reasons),
    over: () => over,
  };
}

/** What may stand around the choices of a chunk, or in one that has none. */
const envelope = new Set([
  "usage",
  "choices",
  "system_fingerprint",
  "service_tier",
  "provider",
  "request_id",
]);

/** Whether a chunk has output. One without choices is of an unknown kind, and counts unless it is empty. */
function isAnswer(chunk: Fields, choices: Fields[]): boolean {
  if (Array.isArray(chunk.choices)) return !isEmpty(choices);
  return Object.entries(chunk).some(([name, value]) => !envelope.has(name) && !isEmpty({ [name]: value }));
}

/** Bytes of answer in a chunk. */
export function outputBytes(chunk: Fields): number {
  return choicesOf(chunk).reduce((sum, { delta }) => sum + (isObject(delta) ? messageBytes(delta) : 0), 0);
}
