/**
 * AWS's event streams (`application/vnd.amazon.eventstream`) as messages: each has its lengths and two checksums in
 * front and behind. Tests compare it with AWS's own codec, which would weigh 9 KB of the gateway's code.
 */
import { crc32, preludeBytes, textHeader, trailerBytes } from "./event-message.ts";

/** One message of a stream. */
export interface StreamMessage {
  /** The headers whose values are texts. AWS gives its events no others. */
  headers: Readonly<Record<string, string>>;
  payload: Buffer;
}

interface MessageSplitter {
  /** The messages that `chunk` completes. Throws `RangeError` behind the last one that is whole and within the bound. */
  push(chunk: Buffer): Iterable<StreamMessage>;
  /** Whether the last message is whole. */
  isWhole(): boolean;
}

const nothing: Buffer = Buffer.alloc(0);

/** A splitter that keeps at most `bytesMax` of an unfinished message. Its room doubles, so a byte is copied few times. */
export function createMessageSplitter(bytesMax: number): MessageSplitter {
  let room: Buffer = nothing;
  let kept: Buffer = nothing;

  const append = (chunk: Buffer): Buffer => {
    if (kept.length === 0) return chunk;
    const length = kept.length + chunk.length;
    if (length > room.length) {
      room = Buffer.allocUnsafe(Math.max(length, 2 * room.length));
      kept.copy(room);
    }
    chunk.copy(room, kept.length);
    return room.subarray(0, length);
  };

  return {
    *push(chunk) {
      const bytes = append(chunk);
      let from = 0;
      for (;;) {
        const length = lengthAt(bytes, from, bytesMax);
        if (length === undefined || from + length > bytes.length) break;
        yield messageOf(bytes.subarray(from, from + length));
        from += length;
      }
      // The payloads are parts of the bytes, so what is left moves to a room of its own.
      if (from > 0 || kept.length === 0) room = Buffer.from(bytes.subarray(from));
      kept = room.subarray(0, bytes.length - from);
    },
    isWhole: () => kept.length === 0,
  };
}

/** The length of the message that begins here, once it can be read. The checksum is tested before any of it is kept. */
function lengthAt(bytes: Buffer, from: number, bytesMax: number): number | undefined {
  if (bytes.length - from < preludeBytes) return undefined;
  const length = bytes.readUInt32BE(from);
  const headers = bytes.readUInt32BE(from + 4);
  if (crc32(bytes.subarray(from, from + 8)) !== bytes.readUInt32BE(from + 8))
    throw new RangeError("a message with a wrong checksum of its lengths");
  if (length < preludeBytes + headers + trailerBytes) throw new RangeError("a message with a wrong length");
  if (length > bytesMax) throw new RangeError(`a message is larger than ${bytesMax} bytes`);
  return length;
}

function messageOf(bytes: Buffer): StreamMessage {
  const end = bytes.length - trailerBytes;
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end))
    throw new RangeError("a message with a wrong checksum");
  const body = preludeBytes + bytes.readUInt32BE(4);
  return { headers: headersOf(bytes.subarray(preludeBytes, body)), payload: bytes.subarray(body, end) };
}

/** How many bytes the value of each type of header has; -1 where its length is written in front of it. */
const valueBytes: readonly number[] = [0, 0, 1, 2, 4, 8, -1, -1, 8, 16];

/** The texts among the headers of a message. Throws `RangeError` for bytes that are no headers. */
function headersOf(bytes: Buffer): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at < bytes.length; ) {
    const nameEnd = at + 1 + bytes.readUInt8(at);
    const name = bytes.toString("utf8", at + 1, nameEnd);
    const type = bytes.readUInt8(nameEnd);
    const size = valueBytes[type];
    if (size === undefined) throw new RangeError("a header of a type that is not known");
    const start = nameEnd + (size === -1 ? 3 : 1);
    at = start + (size === -1 ? bytes.readUInt16BE(nameEnd + 1) : size);
    if (at > bytes.length) throw new RangeError("a header that is longer than its message");
    if (type === textHeader) headers[name] = bytes.toString("utf8", start, at);
  }
  return headers;
}
