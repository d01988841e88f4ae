/** Messages of AWS's event streams, read by AWS's own codec. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeMessage } from "#shared/base/sse/event-message.ts";
import { messagesOf } from "#test/support/event-stream.ts";

test("any headers and any payload are read as they were written", () => {
  const name = fc.stringMatching(/^:?[a-z-]{1,60}$/);
  const messages = fc.array(fc.record({ headers: fc.dictionary(name, fc.string()), payload: fc.string() }));
  fc.assert(
    fc.property(messages, (given) => {
      const bytes = given.map(({ headers, payload }) => encodeMessage(headers, Buffer.from(payload)));
      expect(messagesOf(Buffer.concat(bytes))).toEqual(given);
    }),
    { seed: 31, numRuns: 200 },
  );
});

test("a message is what AWS documents, byte by byte", () => {
  // Lengths of 16 bytes and of no header, whose CRC is known, and that of the whole.
  expect(encodeMessage({}, Buffer.alloc(0)).toString("hex")).toBe("000000100000000005c248eb7d98c8ff");
});
