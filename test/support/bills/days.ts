/** Five days of attempts, bills of them in a few words, and the causes that a comparison names by day. */
import { expect } from "vitest";
import { dayMs } from "#shared/books/billing/period.ts";
import type { BillHead, HeldBill } from "#shared/books/reports/bills/bill.ts";
import { compareBills } from "#shared/books/reports/bills/compare/compare.ts";
import { billOf } from "#shared/books/reports/bills/import.ts";
import type { OurAttempt } from "#shared/books/reports/bills/ours.ts";
import { lawProblems } from "#test/support/bills/history.ts";
import { costAt, models, monthEnd, monthStart } from "#test/support/bills/month.ts";

export const month = "2026-11";
const rates = models["large-1"] ?? null;
export const none = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 };

/** An attempt of a day, with other tokens on each. */
export function attempt(day: number, more: Partial<OurAttempt> = {}): OurAttempt {
  const tokens = {
    ...{ input_tokens: 100_000 + 7_919 * day, output_tokens: 20_000 + 104_729 * (day % 3) },
    ...{ cache_read_tokens: 50_000 + 1_299 * day * day, cache_write_tokens: 0 },
  };
  return {
    ...{
      call: `req_${day}`,
      at: monthStart + (day - 1) * dayMs + 1000,
      ended_at: monthStart + (day - 1) * dayMs + 9000,
    },
    ...{ provider: "acme", model: "large-1", credential: "KEY", tokens, rates, prompt: null, tier: "" },
    cost: rates && costAt(tokens, rates),
    ...more,
  };
}
export const days = [1, 2, 3, 4, 5];
export const attempts = days.map((day) => attempt(day));
export const dayText = (day: number) => `${month}-${String(day).padStart(2, "0")}`;
export const dollars = (cost: bigint) =>
  `${cost / 10n ** 12n}.${String(cost % 10n ** 12n).padStart(12, "0")}`;

/** A CSV bill with a row for each of these attempts. */
export function bill(
  columns: string,
  rows: readonly (readonly (string | number)[])[],
  { now = 1, known = [], credential }: { now?: number; known?: BillHead[]; credential?: string } = {},
): HeldBill {
  const text = [`day,model,${columns}`, ...rows.map((row) => row.join())].join("\n");
  const document = { provider: "acme", format: "csv" as const, text, file: "a.csv", now: monthEnd + now };
  return billOf({ ...document, ...(credential !== undefined && { credential }) }, known);
}
export const costBill = (costOf: (attempt: OurAttempt) => bigint, model = "large-1") =>
  bill(
    "cost,currency",
    attempts.map((each, at) => [dayText(at + 1), model, dollars(costOf(each)), "USD"]),
  );
export const counted = (each: OurAttempt, at: number) => [
  dayText(at + 1),
  each.model,
  1,
  each.tokens?.output_tokens ?? 0,
];
export const countBill = (rows = attempts, more: Parameters<typeof bill>[2] = {}) =>
  bill("requests,output_tokens", rows.map(counted), more);

/** The causes by day, of bills that have one section. */
export function causesOf(bills: readonly HeldBill[], own: readonly OurAttempt[] = attempts) {
  const sections = compareBills({ month, bills, attempts: own, currency: "USD" });
  expect(lawProblems(sections)).toEqual([]);
  return sections.map(({ cells }) =>
    cells.map(({ day, causes, rest }) =>
      [
        Number(day.slice(8)),
        ...causes.map(({ cause }) => cause),
        ...(Object.keys(rest).length > 0 ? ["?"] : []),
      ].join(" "),
    ),
  );
}
export const all = (cause: string) => [days.map((day) => `${day} ${cause}`.trim())];
export const exact = ({ cost }: OurAttempt) => cost ?? 0n;
