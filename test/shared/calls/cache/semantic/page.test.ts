/** Pages of questions: what is kept, what is found, and that a broken or foreign page is none. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bounds } from "#shared/calls/cache/semantic/bounds.ts";
import {
  type Neighbour,
  nearest,
  openPage,
  packPage,
  pageOf,
  sealPage,
  unpackPage,
  withNeighbour,
} from "#shared/calls/cache/semantic/page.ts";
import { sketchBytes } from "#shared/calls/cache/semantic/sketch.ts";

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const record: fc.Arbitrary<Neighbour> = fc.record({
  name: bytes(16).map((name) => Buffer.from(name).toString("base64url")),
  sketch: bytes(sketchBytes).map((sketch) => Buffer.from(sketch)),
  until: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
});
const records = fc.array(record, { maxLength: bounds.recordsMax });

const named = (at: number) => Buffer.alloc(16, at).toString("base64url");
/** A record whose sketch has so many ones. */
const withOnes = (at: number, ones: number, until = 1000): Neighbour => {
  const sketch = Buffer.alloc(sketchBytes);
  for (let bit = 0; bit < ones; bit++) sketch[bit >> 3] = (sketch[bit >> 3] ?? 0) | (1 << (bit & 7));
  return { name: named(at), sketch, until };
};
const zeros = Buffer.alloc(sketchBytes);

describe("a page", () => {
  test("gives back its records", () => {
    fc.assert(
      fc.property(records, (kept) => {
        expect(unpackPage(packPage(kept))).toEqual(kept);
      }),
    );
    expect(packPage([])).toHaveLength(1);
  });

  test("of any bytes is read, or refused with a RangeError", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (given) => {
        const page = Buffer.from(given);
        try {
          expect(packPage(unpackPage(page))).toEqual(page);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });

  test.each([
    ["empty", Buffer.alloc(0)],
    ["of another format", Buffer.from([2])],
    ["cut", packPage([withOnes(1, 1)]).subarray(0, -1)],
    ["longer than a page", packPage(Array.from({ length: 33 }, (_, at) => withOnes(at, 1)))],
  ])("that is %s is broken", (_, page) => {
    expect(() => unpackPage(page)).toThrow(RangeError);
  });

  test.each([
    ["name", { ...withOnes(1, 1), name: "short" }],
    ["name of base64", { ...withOnes(1, 1), name: `${"+".repeat(21)}A` }],
    ["sketch", { ...withOnes(1, 1), sketch: Buffer.alloc(31) }],
    ["end", { ...withOnes(1, 1), until: -1 }],
    ["whole end", { ...withOnes(1, 1), until: Number.NaN }],
  ])("takes no record without a %s", (_, wrong) => {
    expect(() => packPage([wrong])).toThrow(RangeError);
  });

  test("is chosen by the first hexadecimal digit of the name, and all are used alike", () => {
    expect(pageOf(Buffer.from("a7000000000000000000000000000000", "hex").toString("base64url"))).toBe("a");
    const pages = Array.from({ length: 256 }, (_, at) => pageOf(named(at)));
    expect(new Set(pages).size).toBe(bounds.pagesMax);
  });

  test("opens only at its own place, and with no bit changed", () => {
    const place = { scope: "s", context: "c", key: Buffer.alloc(32, 7) };
    const kept = [withOnes(3, 9)];
    const sealed = sealPage(place, "3", kept);
    expect(openPage(place, "3", sealed)).toEqual(kept);
    expect(sealed.includes(Buffer.alloc(16, 3))).toBe(false);
    const elsewhere: [typeof place, string][] = [
      [{ ...place, scope: "t" }, "3"],
      [{ ...place, context: "d" }, "3"],
      [{ ...place, key: Buffer.alloc(32, 8) }, "3"],
      [place, "4"],
    ];
    for (const [other, page] of elsewhere) expect(() => openPage(other, page, sealed)).toThrow();
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => openPage(place, "3", changed)).toThrow();
    }
  });
});

describe("the neighbours of a question", () => {
  test("are those within reach that have not ended, the nearest first, eight at most", () => {
    const kept = [12, 3, 80, 81, 200, 7, 50].map((ones, at) => withOnes(at, ones));
    const ended = withOnes(9, 1, 500);
    const found = nearest([...kept, ended], zeros, 500).map(({ name }) => name);
    expect(found).toEqual([1, 5, 0, 6, 2].map(named));
    const many = Array.from({ length: 20 }, (_, at) => withOnes(at, 20 - at));
    expect(nearest(many, zeros, 0).map(({ name }) => name)).toEqual(
      [19, 18, 17, 16, 15, 14, 13, 12].map(named),
    );
  });

  test("never grow beyond a page, and the new one is always there", () => {
    fc.assert(
      fc.property(records, record, fc.integer({ min: 0, max: 2 ** 48 - 1 }), (kept, added, now) => {
        const next = withNeighbour(kept, added, now);
        expect(next.length).toBeLessThanOrEqual(bounds.recordsMax);
        expect(next.filter(({ name }) => name === added.name)).toEqual([added]);
        expect(next.every((each) => each === added || (kept.includes(each) && each.until > now))).toBe(true);
      }),
    );
  });

  test("lose those that ended, then those that end first", () => {
    const full = Array.from({ length: bounds.recordsMax }, (_, at) => withOnes(at, 1, 1000 - at));
    const added = withOnes(99, 1, 2000);
    const next = withNeighbour(full, added, 0).map(({ name }) => name);
    expect(next).toHaveLength(bounds.recordsMax);
    expect(next).not.toContain(named(31));
    expect(next).toContain(named(30));
    expect(withNeighbour(full, added, 990).map(({ name }) => name)).toEqual(
      [9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 99].map(named),
    );
    expect(withNeighbour(full, { ...added, name: named(4) }, 0)).toHaveLength(bounds.recordsMax);
  });
});
