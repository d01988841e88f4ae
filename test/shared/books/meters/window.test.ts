/** The sliding minute: no sixty seconds ever hold more than the limit, and a refusal says when to come back. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  bucketAt,
  bucketUnusedFrom,
  clearsAt,
  dayCounter,
  dayEnd,
  fitsAt,
  isInWindow,
  packBucket,
  windowAt,
} from "#shared/books/meters/window.ts";

const seed = 20261121;
const start = Date.parse("2026-11-21T05:00:00Z");

/** A meter that admits by the window alone, as the store does: add, look, take back what is too much. */
class Meter {
  readonly counters = new Map<string, bigint>();
  readonly rpm: number;

  constructor(rpm: number) {
    this.rpm = rpm;
  }

  admit(at: number): boolean {
    this.add(at, 1);
    const fits = windowAt(this.counters, at).requests <= this.rpm;
    if (!fits) this.add(at, -1);
    return fits;
  }

  private add(at: number, requests: number): void {
    const name = bucketAt(at, this.rpm);
    this.counters.set(name, (this.counters.get(name) ?? 0n) + packBucket(requests, 0));
  }
}

describe("a limit of requests per minute", () => {
  test.each([3, 60, 65, 600])("of %i is kept in every window of 60 s", (rpm) => {
    const gaps = fc.array(
      fc.oneof(fc.integer({ min: 0, max: Math.floor(60_000 / rpm) }), fc.integer({ min: 0, max: 4000 })),
      {
        minLength: rpm,
        maxLength: rpm * 3,
      },
    );
    fc.assert(
      fc.property(gaps, (all) => {
        const meter = new Meter(rpm);
        const admitted: number[] = [];
        let now = start;
        for (const gap of all) {
          now += gap;
          if (meter.admit(now)) admitted.push(now);
        }
        const most = admitted.map((at, i) => admitted.slice(i).filter((other) => other < at + 60_000).length);
        expect(Math.max(...most)).toBeLessThanOrEqual(rpm);
        expect(admitted.length).toBeGreaterThanOrEqual(Math.min(rpm, all.length));
      }),
      { seed, numRuns: 20 },
    );
  });

  test.each([3, 600])("of %i is whole again after the window", (rpm) => {
    const meter = new Meter(rpm);
    for (let i = 0; i < rpm; i++) expect(meter.admit(start)).toBe(true);
    expect(meter.admit(start + 59_999)).toBe(false);
    const clear = clearsAt(windowAt(meter.counters, start), start);
    expect(clear - start).toBeGreaterThanOrEqual(60_000);
    expect(clear - start).toBeLessThanOrEqual(61_000);
    expect(meter.admit(clear - 1)).toBe(false);
    expect(meter.admit(clear)).toBe(true);
  });
});

describe("counters", () => {
  test("are a millisecond wide for small limits and a second for large ones", () => {
    expect(bucketAt(start, 64)).not.toBe(bucketAt(start + 1, 64));
    expect(bucketAt(start, 65)).toBe(bucketAt(start + 999, 65));
    expect(bucketAt(start, null)).not.toBe(bucketAt(start + 1000, null));
  });

  test("of both widths add up, and other attributes do not count", () => {
    const counters: [string, bigint][] = [
      [bucketAt(start - 1000, 3), packBucket(1, 20)],
      [bucketAt(start - 2000, 600), packBucket(4, 300)],
      [bucketAt(start - 70_000, 3), packBucket(50, 50)],
      ["avail", 7n],
      ["d20413", 9n],
    ];
    expect(windowAt(counters, start)).toMatchObject({ requests: 5, tokens: 320 });
  });

  test("hold any number of tokens beside the requests, and take back what they were given", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 600 }),
        fc.integer({ min: 0, max: 2 ** 40 }),
        (requests, tokens) => {
          const name = bucketAt(start, 3);
          expect(windowAt([[name, packBucket(requests, tokens)]], start)).toMatchObject({ requests, tokens });
          expect(packBucket(requests, tokens) + packBucket(-requests, -tokens)).toBe(0n);
        },
      ),
      { seed },
    );
  });

  test("go out of use only after they left every clock's window", () => {
    const name = bucketAt(start, 3);
    expect(isInWindow(name, start + 59_999)).toBe(true);
    expect(isInWindow(name, start + 60_000)).toBe(false);
    expect(bucketUnusedFrom(name)).toBe(start + 65_000);
    expect(bucketUnusedFrom("used")).toBe(Infinity);
  });

  test("of a day end at midnight UTC", () => {
    expect(dayCounter(start)).toBe(dayCounter(dayEnd(start) - 1));
    expect(dayCounter(dayEnd(start))).not.toBe(dayCounter(start));
    expect(new Date(dayEnd(start)).toISOString()).toBe("2026-11-22T00:00:00.000Z");
  });
});

describe("when a refused call would fit", () => {
  const window = windowAt(
    [
      [bucketAt(start - 50_000, 3), packBucket(1, 100)],
      [bucketAt(start - 20_000, 3), packBucket(1, 500)],
      [bucketAt(start, 3), packBucket(2, 400)],
    ],
    start,
  );

  test("is when enough of the oldest have left", () => {
    expect(fitsAt(window, "requests", 3, 1)).toBe(start + 10_000);
    expect(fitsAt(window, "requests", 2, 1)).toBe(start + 40_000);
    expect(fitsAt(window, "tokens", 900, 400)).toBe(start + 10_000);
    expect(fitsAt(window, "tokens", 400, 400)).toBe(start + 40_000);
  });

  test("is never, when it alone is too much", () => {
    expect(fitsAt(window, "tokens", 399, 400)).toBeNull();
  });
});
