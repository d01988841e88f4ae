/** Anthropic streams, read on the side (protocols.md §2.3). */

import type { ErrorDetail, ErrorKey } from "../../../../base/errors.ts";
import { errorBody } from "../../../../base/http/error-styles.ts";
import type { ErrorStyle } from "../../../../base/http/routes.ts";
import { type Fields, isObject, objectsOf } from "../../../../base/json/fields.ts";
import { frameObject, hasWord, renderFrame } from "../../../../base/sse/frames.ts";
import type { ChatCall } from "../../../../books/billing/call.ts";
import type { Usage, UsageDetails } from "../../../../books/billing/usage.ts";
import { laterUsage, sumUsage } from "../../counters.ts";
import { anthropicDeltas, anthropicEvents, finishOf, isOutput } from "../../output.ts";
import type { FrameHandling, StreamReader } from "../../streaming.ts";
import { laterDetails } from "../../switches.ts";
import { readContainer, readDetails } from "../switches.ts";
import { blockBytes, isAnswer, nextUsage, readIterations, readUsage } from "./reply.ts";

/** Names of the events that must be read. Once output has begun, every other frame passes unparsed. */
const telling = /message_(?:start|delta|stop)|"error"/;

/** A reader of one stream. Totals so far replace each other and are never added (protocols.md pitfall 5). */
export function createReader(call?: ChatCall): StreamReader {
  let details: UsageDetails = {};
  let early: Usage | undefined;
  let usage: Usage | undefined;
  let iterations: Usage | undefined;
  let reason: unknown;
  let produced = false;
  let over = false;

  /** Details of an object with a usage, a container or both. */
  const tell = (owner: unknown): void => {
    const usage = isObject(owner) ? owner.usage : undefined;
    details = laterDetails(details, laterDetails(readDetails(usage), readContainer(owner, call)));
  };

  /** The input side, before there is any output. */
  const readStart = (message: Fields): void => {
    const told = isObject(message.usage) ? message.usage : undefined;
    early = told && readUsage({ output_tokens: 0, ...told });
    iterations = readIterations(told);
    reason = message.stop_reason;
    tell(message);
    produced ||= objectsOf(message.content).some(isAnswer);
  };

  const readEvent = (event: Fields): FrameHandling => {
    switch (event.type) {
      case "error":
        return "failed";
      case "message_start":
        readStart(isObject(event.message) ? event.message : {});
        return "pass";
      case "message_delta":
        tell(event);
        tell(event.delta);
        usage = nextUsage(early, usage, readUsage(event.usage, usage ?? early)) ?? usage;
        iterations = laterUsage(iterations, readIterations(event.usage));
        if (isObject(event.delta)) reason = event.delta.stop_reason ?? reason;
        return "hold";
      case "message_stop":
        over = true;
        return "hold";
      default:
        produced ||= isOutputEvent(event);
        return isObject(event.error) ? "failed" : "pass";
    }
  };

  return {
    read(frame) {
      if (produced && !hasWord(frame, telling)) return "pass";
      const event = frameObject(frame);
      return event ? readEvent(event) : "pass";
    },
    passes: (frames) => produced && !hasWord(frames, telling),
    usage: () => usage && sumUsage(usage, iterations),
    early: () => early && sumUsage(early, iterations),
    produced: () => produced,
    details: () => details,
    finish: () => finishOf([reason]),
    over: () => over,
  };
}

/** Whether an event brings output: by the block it opens, by its fragment of one, or by its kind. */
function isOutputEvent(event: Fields): boolean {
  const { type, content_block: block, delta } = event;
  if (type === "content_block_start" && isObject(block)) return isAnswer(block);
  if (type === "content_block_delta" && isObject(delta)) return isOutput(delta, anthropicDeltas);
  return isOutput(event, anthropicEvents);
}

/** Bytes an event adds to the answer. An opened text or thinking block is empty until its first delta. */
export function outputBytes(event: Fields): number {
  const block = event.content_block;
  if (event.type === "content_block_start" && isObject(block)) return blockBytes(block);
  const delta = event.delta;
  if (event.type !== "content_block_delta" || !isObject(delta)) return 0;
  const text = delta.text ?? delta.thinking ?? delta.partial_json ?? delta.content;
  return typeof text === "string" ? Buffer.byteLength(text) : 0;
}

/** The last frame of a stream that failed; the SDK only sees it with its event name (protocols.md §2.3). */
export function errorFrame(style: ErrorStyle, key: ErrorKey, detail?: ErrorDetail): Buffer {
  return renderFrame(JSON.stringify(errorBody(style, key, detail)), "error");
}
