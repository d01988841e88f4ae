/** AWS's event streams as AWS's own codec writes them. */
import { EventStreamCodec } from "@smithy/core/event-streams";

export const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString("utf8"),
  (text) => Buffer.from(text),
);

/** A message with these headers, all of them texts, and this payload. */
export function messageOf(headers: Record<string, string>, payload: string | Uint8Array): Buffer {
  const typed = Object.entries(headers).map(([name, value]) => [name, { type: "string", value }]);
  return Buffer.from(codec.encode({ headers: Object.fromEntries(typed), body: Buffer.from(payload) }));
}

/** An event of a stream: a JSON payload. */
export function eventOf(name: string, payload: object): Buffer {
  const headers = { ":event-type": name, ":content-type": "application/json", ":message-type": "event" };
  return messageOf(headers, JSON.stringify(payload));
}

/** An exception in the middle of a stream. */
export function exceptionOf(name: string, message: string): Buffer {
  const headers = { ":exception-type": name, ":message-type": "exception" };
  return messageOf(headers, JSON.stringify({ message }));
}
