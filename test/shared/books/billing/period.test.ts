/** Quota months and ledger hours. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  hourOf,
  hourStart,
  nextHour,
  quotaPeriod,
  spanAround,
  spanEnd,
  spanOf,
  spanStart,
} from "#shared/books/billing/period.ts";

const at = (text: string) => Date.parse(text);
const seed = 20261121;

describe("quota months", () => {
  test.each([
    ["2026-01-31T10:00:00Z", "2026-01-31T10:00:00Z", "20260131", "2026-02-28"],
    ["2026-01-31T10:00:00Z", "2026-02-27T23:59:59.999Z", "20260131", "2026-02-28"],
    ["2026-01-31T10:00:00Z", "2026-02-28T00:00:00Z", "20260228", "2026-03-31"],
    ["2026-01-31T10:00:00Z", "2026-03-30T12:00:00Z", "20260228", "2026-03-31"],
    ["2026-01-31T10:00:00Z", "2026-03-31T00:00:00Z", "20260331", "2026-04-30"],
    ["2027-12-31T00:00:00Z", "2028-02-29T00:00:00Z", "20280229", "2028-03-31"],
    ["2026-11-21T23:59:59.999Z", "2026-11-21T23:59:59.999Z", "20261121", "2026-12-21"],
    ["2026-11-21T08:00:00Z", "2026-12-31T00:00:00Z", "20261221", "2027-01-21"],
    ["2026-11-21T08:00:00Z", "2027-01-20T23:59:59Z", "20261221", "2027-01-21"],
  ])("started %s, at %s", (started, now, id, ends) => {
    const period = quotaPeriod(at(started), at(now));
    expect(period).toMatchObject({ id, ends_at: at(`${ends}T00:00:00Z`) });
    expect(new Date(period.starts_at).toISOString().slice(0, 10).replaceAll("-", "")).toBe(id);
  });

  const instant = fc.integer({ min: at("2024-01-01T00:00:00Z"), max: at("2040-01-01T00:00:00Z") });

  test("every instant is in its month, and months follow each other without a gap", () => {
    fc.assert(
      fc.property(instant, instant, (a, b) => {
        const [started, now] = a < b ? [a, b] : [b, a];
        const period = quotaPeriod(started, now);
        expect(period.starts_at).toBeLessThanOrEqual(now);
        expect(period.ends_at).toBeGreaterThan(now);
        expect(quotaPeriod(started, period.ends_at).starts_at).toBe(period.ends_at);
        expect(quotaPeriod(started, period.ends_at - 1)).toEqual(period);
      }),
      { seed },
    );
  });

  test("a month starts on the day of the first, or on its own last day", () => {
    fc.assert(
      fc.property(instant, instant, (a, b) => {
        const start = new Date(quotaPeriod(Math.min(a, b), Math.max(a, b)).starts_at);
        const wanted = new Date(Math.min(a, b)).getUTCDate();
        const dayAfter = new Date(start.getTime() + 86_400_000).getUTCDate();
        const clamped = start.getUTCDate() < wanted && dayAfter === 1;
        expect(start.getUTCDate() === wanted || clamped).toBe(true);
      }),
      { seed, numRuns: 2_000 },
    );
  });
});

describe("hours", () => {
  test("are named after their start", () => {
    expect(hourOf(at("2026-11-21T05:59:59.999Z"))).toBe("2026-11-21T05");
    expect(hourStart("2026-11-21T05")).toBe(at("2026-11-21T05:00:00Z"));
    expect(nextHour("2026-12-31T23")).toBe("2027-01-01T00");
  });

  test.each(["2026-11-21", "2026-11-21T24", "2026-02-30T05", "2026-11-21T05:00", "now"])(
    "%s is none",
    (text) => {
      expect(() => hourStart(text)).toThrow(RangeError);
    },
  );
});

describe("spans", () => {
  test.each([
    ["2028-02-29T23", "2028-02-29T23:00:00Z", "2028-03-01T00:00:00Z"],
    ["2028-02-29", "2028-02-29T00:00:00Z", "2028-03-01T00:00:00Z"],
    ["2028-02", "2028-02-01T00:00:00Z", "2028-03-01T00:00:00Z"],
    ["2027-02", "2027-02-01T00:00:00Z", "2027-03-01T00:00:00Z"],
    ["2026-12-31", "2026-12-31T00:00:00Z", "2027-01-01T00:00:00Z"],
    ["2026-12", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"],
  ])("%s is from %s to %s", (span, from, to) => {
    expect([spanStart(span), spanEnd(span)]).toEqual([at(from), at(to)]);
  });

  test("are named by the beginning of their start, so that each lies in the one its name begins with", () => {
    const instant = at("2026-11-21T05:59:59.999Z");
    expect(spanOf(instant, "day")).toBe("2026-11-21");
    expect(spanOf(instant, "month")).toBe("2026-11");
    expect(spanAround(hourOf(instant), "month")).toBe("2026-11");
  });

  test.each(["", "2026", "2026-11-21T05:30"])("%j is none", (text) => {
    expect(() => spanStart(text)).toThrow(RangeError);
  });
});
