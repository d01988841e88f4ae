/** AWS's event streams: what AWS's own codec has written is read, however it was cut, and nothing that is damaged. */
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createMessageSplitter, type StreamMessage } from "#shared/base/sse/event-stream.ts";
import { codec, eventOf, messageOf } from "#test/support/event-stream.ts";

const name = fc.stringMatching(/^[:a-z-]{1,40}$/);
const value = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 30 }).map((value) => ({ type: "string" as const, value })),
  fc.boolean().map((value) => ({ type: "boolean" as const, value })),
  fc.integer({ min: -128, max: 127 }).map((value) => ({ type: "byte" as const, value })),
  fc.integer({ min: -32_768, max: 32_767 }).map((value) => ({ type: "short" as const, value })),
  fc.integer().map((value) => ({ type: "integer" as const, value })),
  fc.uint8Array({ maxLength: 30 }).map((value) => ({ type: "binary" as const, value })),
  fc.uuid().map((value) => ({ type: "uuid" as const, value })),
  fc.integer({ min: 0, max: 2 ** 40 }).map((at) => ({ type: "timestamp" as const, value: new Date(at) })),
);
const message = fc.record({
  headers: fc.dictionary(name, value, { maxKeys: 5 }),
  body: fc.uint8Array({ maxLength: 200 }),
});

/** All messages of these bytes, pushed in pieces that end at these places. */
function read(bytes: Buffer, cuts: number[], bytesMax = 10_000): StreamMessage[] {
  const splitter = createMessageSplitter(bytesMax);
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const messages = [...ends, bytes.length].flatMap((end, at) => {
    // A piece of its own, as a socket brings it: nobody may rely on what stands behind it.
    const piece = Buffer.from(bytes.subarray(ends[at - 1] ?? 0, end));
    return [...splitter.push(piece)];
  });
  expect(splitter.isWhole()).toBe(true);
  return messages;
}

test("are read as AWS's codec has written them, cut anywhere", () => {
  fc.assert(
    fc.property(
      fc.array(message, { minLength: 1, maxLength: 5 }),
      fc.array(fc.nat(), { maxLength: 30 }),
      (messages, cuts) => {
        const bytes = Buffer.concat(messages.map((each) => codec.encode(each as never)));
        const expected = messages.map(({ headers, body }) => ({
          headers: Object.fromEntries(
            Object.entries(headers).flatMap(([key, { type, value }]) =>
              type === "string" ? [[key, value]] : [],
            ),
          ),
          payload: Buffer.from(body),
        }));
        expect(read(bytes, cuts)).toEqual(expected);
      },
    ),
    { numRuns: 300 },
  );
});

test("are read byte by byte, and never hold a message back", () => {
  const splitter = createMessageSplitter(1_000);
  const bytes = Buffer.concat([eventOf("chunk", { a: 1 }), eventOf("chunk", { b: "é" })]);
  const ends: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    ends.push(...[...splitter.push(bytes.subarray(at, at + 1))].map(() => at + 1));
    expect(splitter.isWhole()).toBe(at + 1 === ends.at(-1));
  }
  expect(ends).toEqual([eventOf("chunk", { a: 1 }).length, bytes.length]);
});

test("of which any bit is wrong are refused, after the messages before it", () => {
  const [good, bad] = [eventOf("chunk", { bytes: "aGVsbG8=" }), eventOf("chunk", { bytes: "d29ybGQ=" })];
  for (let bit = 0; bit < 8 * bad.length; bit++) {
    const damaged = Buffer.from(bad);
    damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    const messages: StreamMessage[] = [];
    expect(() => {
      for (const each of createMessageSplitter(1_000).push(Buffer.concat([good, damaged])))
        messages.push(each);
    }, `bit ${bit}`).toThrow(RangeError);
    expect(messages).toHaveLength(1);
  }
});

test("are bounded before they are kept", () => {
  const splitter = createMessageSplitter(1_000);
  const large = messageOf({}, Buffer.alloc(1_000));
  expect(() => [...splitter.push(large.subarray(0, 12))]).toThrow("a message is larger than 1000 bytes");
  expect(read(messageOf({}, Buffer.alloc(984)), [], 1_000)).toHaveLength(1);
});

test("that end within a message are not whole", () => {
  const splitter = createMessageSplitter(1_000);
  expect([...splitter.push(eventOf("chunk", {}).subarray(0, -1))]).toEqual([]);
  expect(splitter.isWhole()).toBe(false);
});

test("with a header of no known type, or one longer than its message, are refused", () => {
  const whole = messageOf({ a: "b" }, "");
  for (const [at, byte] of [
    [2, 10],
    [4, 200],
  ] as const) {
    const headers = Buffer.from(whole.subarray(12, -4));
    headers[at] = byte;
    expect(() => [...createMessageSplitter(1_000).push(framed(headers))]).toThrow(RangeError);
  }
});

/** A message whose checksums are right, with these bytes as headers. */
function framed(headers: Buffer): Buffer {
  const bytes = messageOf({}, headers);
  bytes.writeUInt32BE(headers.length, 4);
  return withChecksums(bytes);
}

function withChecksums(bytes: Buffer): Buffer {
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, -4)), bytes.length - 4);
  return bytes;
}
