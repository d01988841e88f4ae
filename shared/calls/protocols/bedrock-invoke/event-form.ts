/** Streams in Bedrock's form: messages of AWS's event streams, made of the frames of the protocol. */

import type { ErrorDetail, ErrorKey } from "../../../base/errors.ts";
import { awsType, errorBody } from "../../../base/http/error-styles.ts";
import type { ErrorStyle } from "../../../base/http/routes.ts";
import { encodeMessage, eventStreamType } from "../../../base/sse/event-message.ts";
import { frameData, renderFrame } from "../../../base/sse/frames.ts";
import type { StreamForm } from "../streaming.ts";

const nothing = Buffer.alloc(0);

/** A message of a stream, as its frame is told. */
interface Told {
  /** The type of the event. */
  event: string;
  payload: Buffer;
}

/** A form in which `tell` says what a frame with data becomes. A frame of `errorFrame` becomes an exception. */
export function createEventForm(tell: (data: string, frame: Buffer) => Told): StreamForm {
  return {
    content_type: eventStreamType,
    push(frame) {
      const data = frameData(frame);
      if (data === "") return nothing;
      const exception = exceptionOf(frame);
      if (exception) return message("exception", exception, Buffer.from(data));
      const { event, payload } = tell(data, frame);
      return message("event", event, payload);
    },
    end: () => nothing,
  };
}

function message(kind: "event" | "exception", type: string, payload: Buffer): Buffer {
  return encodeMessage(
    { [`:${kind}-type`]: type, ":content-type": "application/json", ":message-type": kind },
    payload,
  );
}

/** How a frame begins that `errorFrame` has written. */
const failing = /^event: (\w+Exception)\n/;
const failingBytesMax = 64;

function exceptionOf(frame: Buffer): string | undefined {
  return failing.exec(frame.toString("latin1", 0, failingBytesMax))?.[1];
}

/** Types of exceptions that have another name in a stream. */
const inStreams: Readonly<Record<string, string>> = { ModelErrorException: "ModelStreamErrorException" };

/** The last frame of a stream that failed, named as its exception. */
export function errorFrame(style: ErrorStyle, key: ErrorKey, detail?: ErrorDetail): Buffer {
  const type = awsType(key);
  const name = inStreams[type] ?? type;
  return renderFrame(JSON.stringify(errorBody(style, key, detail)), name[0]?.toLowerCase() + name.slice(1));
}
