/**
 * AWS's event streams (`application/vnd.amazon.eventstream`): messages in binary, each with text headers and a payload.
 * The length of the whole and of its headers come first, with a CRC of their own, and a CRC of all ends the message.
 */

/** The content type of such a stream. */
export const eventStreamType = "application/vnd.amazon.eventstream";

/** Lengths and their CRC before the headers, and the CRC behind the payload; bytes. */
export const preludeBytes = 12;
export const trailerBytes = 4;

/** The type of a header whose value is a text. */
export const textHeader = 7;

/** Loaded with the first message: most calls have none. */
export const crc32 = (bytes: Uint8Array): number => process.getBuiltinModule("node:zlib").crc32(bytes);

/** A message with these headers, in their order, and this payload. A header's name has at most 255 bytes. */
export function encodeMessage(headers: Readonly<Record<string, string>>, payload: Uint8Array): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => encodeHeader(name, value)));
  const message = Buffer.allocUnsafe(preludeBytes + head.length + payload.length + trailerBytes);
  message.writeUInt32BE(message.length, 0);
  message.writeUInt32BE(head.length, 4);
  message.writeUInt32BE(crc32(message.subarray(0, 8)), 8);
  head.copy(message, preludeBytes);
  message.set(payload, preludeBytes + head.length);
  const end = message.length - trailerBytes;
  message.writeUInt32BE(crc32(message.subarray(0, end)), end);
  return message;
}

function encodeHeader(name: string, value: string): Buffer {
  const [key, text] = [Buffer.from(name), Buffer.from(value)];
  const length = Buffer.from([textHeader, text.length >> 8, text.length & 0xff]);
  return Buffer.concat([Buffer.from([key.length]), key, length, text]);
}
