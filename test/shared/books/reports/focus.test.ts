/**
 * Exports against FOCUS: random entries of every kind, every column that the specification asks for, and every one
 * of its rules by number. What comes out must still add up to the report and to the wallet.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import { charge } from "#shared/books/billing/pricing/charge.ts";
import { pinPrice } from "#shared/books/billing/pricing/pin-price.ts";
import { withDetails } from "#shared/books/billing/usage.ts";
import type { Seller } from "#shared/books/catalog/catalog.ts";
import { creditEntry, creditedBy, creditKinds, isPossible } from "#shared/books/ledger/credit.ts";
import type { Entry } from "#shared/books/ledger/ledger.ts";
import { feeEntry, feePoints } from "#shared/books/ledger/plan-fee.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { focusColumns } from "#shared/books/reports/export-columns.ts";
import { exportLines } from "#shared/books/reports/export-line.ts";
import { addSums, noSums, sumsOf } from "#shared/books/reports/report.ts";
import { finalEvents } from "#shared/edges/audit/rollups.ts";
import { adjustmentEntry, usageEntry } from "#shared/edges/store/ledger/postings.ts";
import {
  type Column,
  columns,
  equal,
  type Line,
  rules,
  rulesOfAll,
  times,
  types,
} from "#test/shared/books/reports/focus.ts";
import {
  anyDetails,
  count,
  perImage,
  perSecond,
  pinned,
  pinnedWithRates,
  seed,
} from "#test/support/prices.ts";
import { eventOf, walletHold } from "#test/support/store.ts";

const terms: fc.Arbitrary<Seller> = fc.record({
  issuer: fc.constant("Acme"),
  currency: fc.constantFrom(
    undefined,
    ...["1", "100", "0.25", "8", "1000000", "0.000064"].map((points_per_unit) => ({
      code: "CNY",
      points_per_unit,
    })),
  ),
});

/** An instant around the ends of months and years. */
const instant = fc
  .tuple(fc.constantFrom("2026-01-31", "2026-12-31", "2028-02-29", "2026-06-10"), fc.nat(2 * 86_400_000))
  .map(([day, ms]) => Date.parse(day) + ms);
const amount = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
const decimalAmount = fc.bigInt({ min: 0n, max: 10n ** 24n }).map(formatPoints);
const counts = fc.record({
  input_tokens: count,
  output_tokens: count,
  cache_read_tokens: count,
  cache_write_tokens: count,
  generated_images: fc.nat(15),
  video_seconds: fc.nat(15),
});
const usage = fc
  .tuple(counts, fc.option(anyDetails, { nil: undefined }))
  .map(([counted, details]) => withDetails(counted, details));

const media = [perImage, perSecond].map((price) =>
  fc.constantFrom(pinPrice(price, "1"), pinPrice(price, "0.95")),
);

/** A call of any kind, end and payer. One in four has a list value or a cost that its lines do not come to. */
const event: fc.Arbitrary<UsageEvent> = fc
  .record({
    at: instant,
    lasts: fc.nat(900_000),
    price: fc.oneof({ arbitrary: pinned, weight: 2 }, { arbitrary: pinnedWithRates, weight: 2 }, ...media),
    usage,
    kind: fc.constantFrom("chat", "embedding", "image", "video"),
    mode: fc.constantFrom("payg", "subscription"),
    end: fc.constantFrom("whole", "whole", "free", "capped", "odd"),
    odd: decimalAmount,
    project: fc.constantFrom("", "p", "q"),
    user: fc.constantFrom(null, "=1+1", 'a "b", c'),
    tags: fc.constantFrom(undefined, "feature=rag,team=search", "team=-1"),
    model: fc.constantFrom("acme/one", "acme/two", "other/three"),
  })
  .map(({ at, lasts, price, usage: used, kind, mode, end, odd, project, user, tags, model }) => {
    const resolution = price.price.mode === "per_second" ? { resolution: "720p" } : {};
    const value = end === "free" ? 0n : charge(used, price, resolution).points;
    const list = end === "odd" ? odd : formatPoints(value);
    const paid = end === "capped" ? formatPoints(value / 3n) : list;
    return eventOf(walletHold("mtr_1", "1", at), mode === "payg" ? paid : "0", {
      ...resolution,
      ...(tags !== undefined && { tags }),
      ...{ kind, mode, project, user, model, price, usage: used, calls: end === "free" ? 0 : 1 },
      ...{ list_points: list, ended_at: at + lasts, organization: "org_1" },
    });
  });

interface Case {
  entry: Entry;
  corrected: UsageEvent | null;
}

const usageCases: fc.Arbitrary<Case[]> = fc
  .tuple(event, event, fc.boolean(), fc.nat(3 * 86_400_000))
  .map(([real, other, isCorrected, late]) => {
    const posted = real.admitted_at + late;
    if (!isCorrected) return [{ entry: usageEntry(real, posted), corrected: null }];
    const { usage: guessed, cost_points, list_points, calls } = other;
    const cost = real.mode === "payg" ? cost_points : "0";
    const same = { price: other.price, ...(other.resolution && { resolution: other.resolution }) };
    const estimate = {
      ...real,
      ...same,
      usage: guessed,
      cost_points: cost,
      list_points,
      calls,
      source: "sweeper" as const,
    };
    return [
      { entry: usageEntry(estimate, posted), corrected: null },
      { entry: adjustmentEntry(real, estimate, posted), corrected: estimate },
    ];
  });

const creditCases: fc.Arbitrary<Case[]> = fc
  .record({ kind: fc.constantFrom(undefined, ...creditKinds), points: amount, at: instant })
  .filter(({ kind, points }) => points !== 0n && (kind === undefined || isPossible(kind, points)))
  .map(({ kind, points, at }) => {
    const credit = { organization: "org_1", meter: "mtr_1", points, at, reference: newId("request", at) };
    return [{ entry: creditEntry(kind === undefined ? credit : { ...credit, kind }), corrected: null }];
  });

const feeCases: fc.Arbitrary<Case[]> = fc
  .record({
    plan: fc.constantFrom("free", "lite", "pro"),
    period: fc.constantFrom("monthly", "quarterly", "yearly"),
    starts_at: instant,
    price_points: fc.constantFrom("0", "129", "599.5"),
    unused: fc.option(decimalAmount, { nil: undefined }),
  })
  .map(({ unused, ...fee }) => {
    const period = { ...fee, meter: "mtr_2", ends_at: fee.starts_at + 86_400_000 };
    const whole = unused === undefined ? period : { ...period, unused_points: unused };
    return [{ entry: feeEntry("org_1", whole, fee.starts_at), corrected: null }];
  });

const someCases = fc
  .array(fc.oneof({ arbitrary: usageCases, weight: 4 }, creditCases, feeCases), {
    minLength: 1,
    maxLength: 12,
  })
  .map((cases) => cases.flat());

const sum = (lines: Line[], column: Column) =>
  lines.reduce((total, line) => total + parsePoints(String(line[column] ?? 0)), 0n);
const countOf = (lines: Line[], column: Column) =>
  lines.reduce((total, line) => total + Number(line[column]), 0);

test("the specification asks for the columns that an export has, and for their types", () => {
  const typed = (all: readonly { name: string; type: string }[]) =>
    all.map(({ name, type }) => `${name}: ${type}`).toSorted();
  expect(typed(focusColumns)).toEqual(typed(columns));
  expect(columns.filter(({ presence }) => presence === "mandatory")).toHaveLength(23);
});

describe("an export", () => {
  test("has in every column what the specification asks, and keeps every rule", () => {
    const law = fc.property(terms, someCases, (given, cases) => {
      const checked = cases.flatMap((each) =>
        exportLines({ ...each, account: "Acme Ltd" }, given).map((line) => ({
          line,
          entry: each.entry,
          terms: given,
        })),
      );
      const wrong: string[] = [];
      for (const { line, entry } of checked) {
        for (const { name, type, null: nulls, allowed } of columns) {
          const value = line[name];
          const isRight = value === null ? nulls === "may" : types[type]?.test(String(value));
          const isAllowed = !allowed || value === null || allowed.includes(String(value));
          if (!isRight || !isAllowed) wrong.push(`${entry.kind} ${name}: ${value}`);
        }
      }
      for (const each of checked) {
        for (const [name, { holds }] of Object.entries(rules)) {
          if (!holds(each)) wrong.push(`${name} ${each.entry.kind} ${JSON.stringify(each.line)}`);
        }
      }
      const lines = checked.map(({ line }) => line);
      for (const [name, { holds }] of Object.entries(rulesOfAll)) if (!holds(lines)) wrong.push(name);
      expect(wrong).toEqual([]);
    });
    fc.assert(law, { seed, numRuns: 400 });
  });

  test("adds up to the report, to the wallet and to what was paid, in points and in money", () => {
    const law = fc.property(terms, someCases, (given, cases) => {
      const entries = cases.map(({ entry }) => entry);
      const lines = cases.flatMap((each) => exportLines({ ...each, account: "Acme Ltd" }, given));
      const report = finalEvents(entries).map(sumsOf).reduce(addSums, noSums());
      expect({
        calls: countOf(lines, "x_Calls"),
        input_tokens: countOf(lines, "x_InputTokens"),
        output_tokens: countOf(lines, "x_OutputTokens"),
        cache_read_tokens: countOf(lines, "x_CacheReadTokens"),
        cache_write_tokens: countOf(lines, "x_CacheWriteTokens"),
        generated_images: countOf(lines, "x_GeneratedImages"),
        video_seconds: countOf(lines, "x_VideoSeconds"),
        cost_points: sum(lines, "x_CostPoints"),
        list_points: sum(lines, "x_ListPoints"),
      }).toEqual(report);
      const paid = entries.reduce(
        (total, { event, points }) => total + (event?.mode === "payg" ? parsePoints(points) : 0n),
        0n,
      );
      const credited = entries.reduce((total, entry) => total + creditedBy(entry), 0n);
      expect(sum(lines, "x_WalletPoints")).toBe(credited - paid);
      // Each value of a tag has what the report by this tag says, and so have the calls without it.
      const teamOf = ({ Tags }: Line) => (JSON.parse(String(Tags)) as { team?: string }).team;
      for (const [value, tags] of [
        ["search", "feature=rag,team=search"],
        ["-1", "team=-1"],
        [undefined, undefined],
      ]) {
        const own = finalEvents(entries).filter((event) => event.tags === tags);
        const { cost_points } = own.map(sumsOf).reduce(addSums, noSums());
        expect(
          sum(
            lines.filter((line) => teamOf(line) === value),
            "x_CostPoints",
          ),
        ).toBe(cost_points);
      }

      // Money by plain fractions: each amount times the rate is the points it stands for.
      const rate = given.currency?.points_per_unit ?? "1";
      const inMoney = (of: Line[], column: Column, points: bigint) => {
        const total = of.reduce(
          (before, line) => {
            const { over, under } = times(line[column], rate);
            return { over: before.over * under + over * before.under, under: before.under * under };
          },
          { over: 0n, under: 1n },
        );
        expect(equal(total, { over: points, under: 10n ** 18n }), column).toBe(true);
      };
      const revenue = entries.reduce((total, entry) => {
        const isMoney = ["bought", "refund", "payment"].includes(entry.kind);
        return total + (entry.fee ? feePoints(entry.fee) : isMoney ? creditedBy(entry) : 0n);
      }, 0n);
      inMoney(lines, "BilledCost", revenue);
      const used = lines.filter((line) => line.ChargeCategory === "Usage");
      inMoney(used, "EffectiveCost", report.cost_points);
      inMoney(used, "ListCost", report.list_points);
    });
    fc.assert(law, { seed, numRuns: 150 });
  });
});
