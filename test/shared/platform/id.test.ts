/** Identifiers, held against the package `ulid` character by character. */
import fc from "fast-check";
import { decodeTime, ulid } from "ulid";
import { expect, test, vi } from "vitest";
import { encodeTime, isId, newId, timeOf } from "#shared/platform/id.ts";

// The package takes 0 for "now".
const instant = fc.integer({ min: 1, max: 2 ** 48 - 1 });
const chance = fc.uint8Array({ minLength: 16, maxLength: 16 });

test("are the same for any time and any random bytes", () => {
  fc.assert(
    fc.property(instant, chance, (at, bytes) => {
      const random = vi.spyOn(crypto, "getRandomValues").mockReturnValueOnce(bytes);
      const given = bytes.values();
      try {
        const id = newId("request", at);
        expect(id).toBe(`req_${ulid(at, () => (given.next().value ?? 0) / 256)}`);
        expect(isId(id, "request")).toBe(true);
        expect([timeOf(id), decodeTime(id.slice(4))]).toEqual([at, at]);
      } finally {
        random.mockRestore();
      }
    }),
  );
});

test("sort by their time", () => {
  fc.assert(
    fc.property(instant, instant, (one, other) => {
      expect(encodeTime(one) < encodeTime(other)).toBe(one < other);
    }),
  );
});

test.each([-1, 0.5, 2 ** 48, Number.NaN, Number.POSITIVE_INFINITY])("have no time %d", (at) => {
  expect(() => newId("request", at)).toThrow(RangeError);
});

test.each(["", "req_", `req_${"0".repeat(25)}`, `req_8${"0".repeat(25)}`, `req_U${"0".repeat(25)}`])(
  "%j tells no time",
  (id) => {
    expect(() => timeOf(id)).toThrow(RangeError);
  },
);
