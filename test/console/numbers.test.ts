/** Numbers as the console shows and draws them. */
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import type { UsageSeries } from "../../console/api-types.ts";
import { type ChartSeries, labelEvery, largest, stacked, ticks } from "../../console/chart-scale.ts";
import {
  allPoints,
  away,
  clock,
  day,
  minute,
  money,
  percent,
  points,
  second,
  step,
  took,
} from "../../console/format.ts";
import { locale } from "../../console/locale.ts";
import { bucketsOf, labelOf, seriesOf } from "../../console/series.ts";

const runs = { seed: 16, numRuns: 300 };

afterEach(() => {
  locale.value = "en";
});

describe("points", () => {
  test.each([
    ["0", "0"],
    ["0.000", "0"],
    ["-0.00", "0"],
    ["412.338201", "412.34"],
    ["1234567.891", "1,234,567.89"],
    ["0.00431725", "0.00432"],
    ["0.000000000000000001", "0.000000000000000001"],
    ["-0.5", "-0.5"],
    ["-12.5", "-12.50"],
    ["0.10", "0.1"],
  ])("%s is read as %s", (given, shown) => {
    expect(points(given)).toBe(shown);
  });

  test("whole, no digit is lost, also where a float would lose it", () => {
    expect(allPoints("12345678901234567890.123456789012345678")).toBe(
      "12,345,678,901,234,567,890.123456789012345678",
    );
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 12n), fc.bigInt(1n, 10n ** 18n - 1n), (whole, part) => {
        const digits = part.toString().padStart(18, "0").replace(/0+$/, "");
        expect(allPoints(`${whole}.${digits}`).replaceAll(",", "")).toBe(`${whole}.${digits}`);
      }),
      runs,
    );
  });

  test("money keeps its minor units, and those of a currency without any", () => {
    expect(money("100.00", "CNY")).toBe("CN¥100.00");
    expect(money("12345678901234567.89", "USD")).toBe("$12,345,678,901,234,567.89");
    expect(money("500", "JPY")).toBe("¥500");
    locale.value = "zh";
    expect(money("100.00", "CNY")).toBe("¥100.00");
  });
});

test("parts, spans and distances in both languages", () => {
  expect([percent(0.25), percent(0.015), percent(0)]).toEqual(["25%", "1.5%", "0%"]);
  expect([took(2), took(2_450)]).toEqual(["2 ms", "2.5 sec"]);
  const now = Date.parse("2026-11-23T12:00:00Z");
  const told = () => [away("2026-11-23T12:00:40Z", now), away("2026-11-21T12:00:00Z", now)];
  expect(told()).toEqual(["in 40 seconds", "2 days ago"]);
  locale.value = "zh";
  expect(told()).toEqual(["40秒钟后", "前天"]);
});

describe("a chart", () => {
  test("has lines at round values from 0 to the largest one or above", () => {
    expect(ticks(23)).toEqual([0, 10, 20, 30]);
    expect(ticks(0)).toEqual([0, 1]);
    expect(ticks(Number.NaN)).toEqual([0, 1]);
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 1e15, noNaN: true }), (max) => {
        const lines = ticks(max);
        expect(lines[0]).toBe(0);
        expect(lines.at(-1)).toBeGreaterThanOrEqual(max * (1 - 1e-9));
        expect(lines.length).toBeGreaterThan(1);
        expect(lines.length).toBeLessThanOrEqual(6);
      }),
      runs,
    );
  });

  const seriesArbitrary = fc
    .integer({ min: 1, max: 6 })
    .chain((buckets) =>
      fc.array(fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: buckets, maxLength: buckets }), {
        minLength: 1,
        maxLength: 12,
      }),
    )
    .map((all): ChartSeries[] => all.map((values, at) => ({ name: `${at}`, label: `${at}`, values })));
  const sumAt = (series: ChartSeries[], bucket: number) =>
    series.reduce((sum, { values }) => sum + (values[bucket] ?? 0), 0);

  test("of many series keeps the largest, and loses nothing of the others", () => {
    fc.assert(
      fc.property(seriesArbitrary, fc.integer({ min: 1, max: 5 }), (series, kept) => {
        const shown = largest(series, kept, "others");
        expect(shown.length).toBeLessThanOrEqual(Math.max(kept + 1, 1));
        for (const bucket of series[0]?.values.keys() ?? [])
          expect(sumAt(shown, bucket)).toBe(sumAt(series, bucket));
      }),
      runs,
    );
  });

  test("stacks its parts without gap, up to their sum", () => {
    fc.assert(
      fc.property(seriesArbitrary, (series) => {
        const parts = stacked(series, 0, 1000);
        expect(parts[0]?.from).toBe(0);
        for (const [at, part] of parts.entries()) if (at > 0) expect(part.from).toBe(parts[at - 1]?.to);
        expect(parts.at(-1)?.to).toBeCloseTo(sumAt(series, 0) / 1000, 9);
      }),
      runs,
    );
  });

  test("labels as many bars as fit", () => {
    expect(labelEvery(30, 800, 62)).toBe(3);
    expect(labelEvery(5, 800, 62)).toBe(1);
    expect(labelEvery(5, 0, 62)).toBeGreaterThan(1);
  });
});

describe("usage over time", () => {
  const usage = (over: Partial<UsageSeries>): UsageSeries => ({
    ...{ from: "2026-10-30T00:00:00Z", to: "2026-11-02T05:00:00Z", by: "model", step: "day" },
    ...{ object: "usage_series", columns: ["at", "calls", "input_tokens", "output_tokens"], series: [] },
    totals: {} as UsageSeries["totals"],
    ...over,
  });

  test.each([
    ["day", 4, "2026-10-30T00:00:00.000Z", "2026-11-02T00:00:00.000Z"],
    ["hour", 77, "2026-10-30T00:00:00.000Z", "2026-11-02T04:00:00.000Z"],
    ["month", 2, "2026-10-01T00:00:00.000Z", "2026-11-01T00:00:00.000Z"],
  ] as const)("by %s has every bucket, also the empty ones", (step, number, first, last) => {
    const buckets = bucketsOf(usage({ step }));
    expect([buckets.length, buckets[0], buckets.at(-1)]).toEqual([number, first, last]);
  });

  test("puts each point at its bucket, by the columns that the answer names", () => {
    const line = {
      ...{ name: "m", label: null, totals: {} as UsageSeries["totals"] },
      points: [
        ["2026-10-30T00:00:00Z", 1, 10, 5],
        ["2026-11-01T00:00:00Z", 2, 30, 7],
      ],
    };
    const given = usage({ series: [line] });
    const buckets = bucketsOf(given);
    const [calls] = seriesOf(given, buckets, ["calls"], labelOf);
    expect(calls).toEqual({ name: "m", label: "m", values: [1, 0, 2, 0] });
    const [tokens] = seriesOf(given, buckets, ["input_tokens", "output_tokens"], labelOf);
    expect(tokens?.values).toEqual([15, 0, 37, 0]);
  });
});

test("times are UTC wherever the reader is, and what names no zone itself stands under one", () => {
  const before = process.env.TZ;
  try {
    for (const zone of ["America/Los_Angeles", "Asia/Kolkata", "UTC"]) {
      process.env.TZ = zone;
      const at = "2026-11-28T23:59:58Z";
      expect(minute(at).replaceAll("\u202f", " ")).toBe("Nov 28, 2026, 11:59 PM UTC");
      expect(second(at).replaceAll("\u202f", " ")).toBe("Nov 28, 2026, 11:59:58 PM UTC");
      expect([day(at), clock(at)]).toEqual(["Nov 28, 2026", "Nov 28, 23:59:58"]);
      expect([step(at, "hour"), step(at, "day"), step(at, "month")]).toEqual([
        "Nov 28, 23:59",
        "Nov 28",
        "Nov 2026",
      ]);
    }
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
});
