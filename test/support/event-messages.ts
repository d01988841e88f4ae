/** AWS's event streams, read by the codec of AWS's own SDKs, which checks every CRC. */
import { EventStreamCodec } from "@smithy/core/event-streams";

export interface EventMessage {
  headers: Record<string, unknown>;
  payload: string;
}

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString("utf8"),
  (text) => Buffer.from(text, "utf8"),
);

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
