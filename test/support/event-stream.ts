/** AWS's event streams as AWS's own codec writes and reads them. It checks every checksum. */
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

interface EventMessage {
  headers: Record<string, unknown>;
  payload: string;
}

/** The messages of a stream. Throws where one is cut or damaged. */
export function messagesOf(bytes: Buffer): EventMessage[] {
  const messages: EventMessage[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at)) {
    const { headers, body } = codec.decode(bytes.subarray(at, at + bytes.readUInt32BE(at)));
    const told = Object.entries(headers).map(([name, { value }]) => [name, value]);
    messages.push({ headers: Object.fromEntries(told), payload: Buffer.from(body).toString() });
  }
  return messages;
}
