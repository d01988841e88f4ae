/** Responses streams, read on the side (protocols.md §1.6). */

import { type ErrorDetail, type ErrorKey, type ErrorType, errorCodes } from "../../../../base/errors.ts";
import { errorBody } from "../../../../base/http/error-styles.ts";
import type { ErrorStyle } from "../../../../base/http/routes.ts";
import { type Fields, isObject } from "../../../../base/json/fields.ts";
import { frameObject, hasWord, renderFrame, splitFrames } from "../../../../base/sse/frames.ts";
import type { Usage, UsageDetails } from "../../../../books/billing/usage.ts";
import { laterUsage } from "../../counters.ts";
import { finishOf, isOutput, responsesEvents, responsesItems } from "../../output.ts";
import type { FrameHandling, StreamReader } from "../../streaming.ts";
import { laterDetails } from "../../switches.ts";
import { callsOf, readDetails, toolCall } from "../switches.ts";
import { hasOutput, isFailure, readUsage, reasoned } from "./reply.ts";

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

/** Whether an event brings output: in its item, in the response it repeats, or by its kind. */
function isAnswer(event: Fields): boolean {
  const { type, item, response } = event;
  if (type === "response.output_item.added" || type === itemDone) {
    return isObject(item) && isOutput(item, responsesItems);
  }
  return isOutput(event, responsesEvents) || (isObject(response) && hasOutput(response));
}

/** Bytes an event adds to the answer: a delta of words, or the name of the call that opens. */
export function outputBytes(event: Fields): number {
  if (event.type === "response.audio.delta") return 0;
  const item = event.type === "response.output_item.added" ? event.item : undefined;
  const text = isObject(item) ? item.name : event.delta;
  return typeof text === "string" ? Buffer.byteLength(text) : 0;
}

/**
 * The last frames of a failed stream, told twice: SDKs throw on the error event, and Codex reads only the response.
 * `opening` has the bytes that left first. SDKs overlook an error without a sequence number, so it has 0.
 */
export function errorFrame(
  style: ErrorStyle,
  key: ErrorKey,
  detail?: ErrorDetail,
  opening: Buffer = Buffer.alloc(0),
): Buffer {
  const error = { code: failureCode(key, detail), message: detail?.message ?? errorCodes[key].message };
  const response = { ...begunIn(opening), status: "failed", error, output: [] };
  const failed = { type: "response.failed", sequence_number: 1, response };
  return Buffer.concat([
    renderError(style, key, 0, detail),
    renderFrame(JSON.stringify(failed), failed.type),
  ]);
}

/** The response as the first event of a stream tells it. */
function begunIn(opening: Buffer): Fields {
  const responses = splitFrames(opening).map((frame) => frameObject(frame)?.response);
  return responses.find(isObject) ?? { object: "response" };
}

/** What a response that failed says in place of our own codes. Codex asks again after any but a few of these. */
const failureCodes: Partial<Record<ErrorType, string>> = {
  invalid_request_error: "invalid_prompt",
  quota_exceeded: "insufficient_quota",
  rate_limit_error: "rate_limit_exceeded",
};

/** The code of a response that failed: its refusal's own. A refusal by a filter is `invalid_prompt` here. */
function failureCode(key: ErrorKey, detail?: ErrorDetail): string {
  const code = detail?.names?.code;
  if (code !== undefined && code !== "content_filter") return code;
  return failureCodes[errorCodes[key].type] ?? "server_error";
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
