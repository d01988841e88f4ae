/** Responses streams, read on the side (protocols.md §1.6). */
import type { Usage, UsageDetails } from "../../../billing/usage.ts";
import type { ErrorDetail, ErrorKey } from "../../../errors.ts";
import { errorBody } from "../../../http/error-styles.ts";
import type { ErrorStyle } from "../../../http/routes.ts";
import { asText, type Fields, isObject } from "../../../json/fields.ts";
import { frameObject, hasWord, renderFrame } from "../../../sse/frames.ts";
import { laterUsage } from "../../counters.ts";
import { finishOf, isOutput, responsesEvents, responsesItems } from "../../output.ts";
import type { FrameHandling, StreamReader } from "../../streaming.ts";
import { laterDetails } from "../../switches.ts";
import { callsOf, readDetails, toolCall } from "../switches.ts";
import { hasOutput, readUsage, reasoned } from "./reply.ts";

const itemDone = "response.output_item.done";

/** Names of the events that must be read. Once output has begun, every other frame passes unparsed. */
const telling = /response\.(?:completed|incomplete|failed|output_item\.done)|error"/;

/** The last events of an answer, with the status of each. */
const ends = new Map<unknown, string>([
  ["response.completed", "completed"],
  ["response.incomplete", "incomplete"],
]);

/** A reader of one stream. The usage stands in the last event only, with the whole response. */
export function createReader(): StreamReader {
  let usage: Usage | undefined;
  let produced = false;
  let end: unknown;
  let details: UsageDetails = {};
  const done: Fields[] = [];

  const readEvent = (event: Fields): FrameHandling => {
    const response = isObject(event.response) ? event.response : {};
    usage = laterUsage(usage, readUsage(response.usage));
    details = laterDetails(details, readDetails(response));
    if (event.type === itemDone && isObject(event.item)) done.push(toolCall(event.item));
    if (isFailure(event)) return "failed";
    produced ||= isAnswer(event) || reasoned(response.usage);
    end ??= ends.get(event.type);
    return end ? "hold" : "pass";
  };

  return {
    read(frame) {
      if (produced && !hasWord(frame, telling)) return "pass";
      const event = frameObject(frame);
      return event ? readEvent(event) : "pass";
    },
    passes: (frames) => produced && !hasWord(frames, telling),
    usage: () => usage,
    early: () => undefined,
    produced: () => produced,
    // The last event repeats every item. A stream that broke off has only those that were done.
    details: () => laterDetails(details, { calls: callsOf(done) }),
    finish: () => finishOf([end]),
    over: () => end !== undefined,
  };
}

/** `response.failed`, or an error in the stream's own band: flat, nested, or a vendor's `….error`. */
export function isFailure(event: Fields): boolean {
  const type = asText(event.type);
  return type === "response.failed" || type.endsWith("error") || isObject(event.error);
}

/** Whether an event brings output: in its item, in the response it repeats, or by its kind. */
function isAnswer(event: Fields): boolean {
  const { type, item, response } = event;
  if (type === "response.output_item.added" || type === itemDone) {
    return isObject(item) && isOutput(item, responsesItems);
  }
  return isOutput(event, responsesEvents) || (isObject(response) && hasOutput(response));
}

/** Bytes an event adds to the answer: a delta of words, or the name of the call that opens. */
function eventBytes(event: Fields): number {
  if (event.type === "response.audio.delta") return 0;
  const item = event.type === "response.output_item.added" ? event.item : undefined;
  const text = isObject(item) ? item.name : event.delta;
  return typeof text === "string" ? Buffer.byteLength(text) : 0;
}

/** Bytes of answer in one frame. */
export function outputBytes(frame: Buffer): number {
  const event = frameObject(frame);
  return event ? eventBytes(event) : 0;
}

/**
 * The last frame of a stream that failed. Client libraries overlook an error event without a sequence number. The
 * right one is not known here, so it is 0.
 */
export function errorFrame(style: ErrorStyle, key: ErrorKey, detail?: ErrorDetail): Buffer {
  return renderError(style, key, 0, detail);
}

/** An error event, nested so that every SDK throws on it, and flat as it is documented (protocols.md §1.6). */
export function renderError(
  style: ErrorStyle,
  key: ErrorKey,
  sequence_number: number,
  detail?: ErrorDetail,
): Buffer {
  const body: { error?: Fields } = errorBody(style, key, detail);
  const { code, message, param = null } = body.error ?? {};
  const event = { type: "error", sequence_number, code, message, param, error: body.error };
  return renderFrame(JSON.stringify(event), "error");
}
