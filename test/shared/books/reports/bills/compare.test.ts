/** Comparisons that no made-up month has: bills of costs alone, of one credential, of some days, and versions. */
import { describe, expect, test } from "vitest";
import { dayMs } from "#shared/books/billing/period.ts";
import { compareBills } from "#shared/books/reports/bills/compare/compare.ts";
import type { OurAttempt } from "#shared/books/reports/bills/ours.ts";
import { providerReport } from "#shared/books/reports/bills/report.ts";
import {
  all,
  attempt,
  attempts,
  bill,
  causesOf,
  costBill,
  countBill,
  counted,
  days,
  dayText,
  exact,
  month,
  none,
} from "#test/support/bills/days.ts";
import { monthStart } from "#test/support/bills/month.ts";

describe("a bill of costs alone", () => {
  test("agrees, also under the dated name of a snapshot", () => {
    expect(causesOf([costBill(exact)])).toEqual(all(""));
    expect(causesOf([costBill(exact, "Large-1-2026-08-06")])).toEqual(all(""));
  });

  test("shows another price of everything, and of one kind of token", () => {
    expect(causesOf([costBill((each) => (exact(each) * 11n) / 10n)])).toEqual(all("other_price"));
    const output = (each: OurAttempt) => exact(each) + BigInt(each.tokens?.output_tokens ?? 0) * 3_000_000n;
    expect(causesOf([costBill(output)])).toEqual(all("other_price"));
    const sections = compareBills({ month, bills: [costBill(output)], attempts, currency: "USD" });
    const why = sections[0]?.cells[0]?.causes[0]?.why;
    expect(why).toBe("the vendor's price of output tokens differs from ours by 20 %");
  });

  test("shows reads of the cache that cost what input costs, on all days and on one", () => {
    const dearReads = (each: OurAttempt) =>
      exact(each) + BigInt(each.tokens?.cache_read_tokens ?? 0) * 2_700_000n;
    expect(causesOf([costBill(dearReads)])).toEqual(all("cache_rule"));
    const once = (each: OurAttempt) => (each.call === "req_3" ? dearReads(each) : exact(each));
    expect(causesOf([costBill(once)])).toEqual([["1", "2", "3 cache_rule", "4", "5"]]);
  });

  test("of two days with the same ratio says nothing: they may by chance", () => {
    const two = (each: OurAttempt) =>
      ["req_1", "req_2"].includes(each.call) ? (exact(each) * 13n) / 10n : exact(each);
    expect(causesOf([costBill(two)])).toEqual([["1 ?", "2 ?", "3", "4", "5"]]);
  });

  test("whose difference a tier of ours explains", () => {
    const tiered = attempts.map((each) => (each.call === "req_2" ? { ...each, tier: "flex" } : each));
    const half = (each: OurAttempt) => (each.call === "req_2" ? exact(each) / 2n : exact(each));
    expect(causesOf([costBill(half)], tiered)).toEqual([["1", "2 tier", "3", "4", "5"]]);
    const tooDear = (each: OurAttempt) => exact(each) * (each.call === "req_2" ? 12n : 1n);
    expect(causesOf([costBill(tooDear)], tiered)).toEqual([["1", "2 ?", "3", "4", "5"]]);
  });
});

describe("attempts that broke off", () => {
  const unsure = (prompt: number | null) => attempt(2, { call: "req_x", tokens: null, cost: null, prompt });
  const more = (requests: number, output: number) => [
    ...attempts.map(counted),
    [dayText(2), "large-1", requests, output],
  ];

  test("explain as many requests as they are, and beyond them nobody knows whose the tokens are", () => {
    const own = [...attempts, unsure(null)];
    expect(causesOf([bill("requests,output_tokens", more(1, 50))], own)).toEqual([
      ["1", "2 timed_out_and_billed", "3", "4", "5"],
    ]);
    expect(causesOf([bill("requests,output_tokens", more(3, 50))], own)).toEqual([
      ["1", "2 timed_out_and_billed not_ours ?", "3", "4", "5"],
    ]);
    expect(causesOf([bill("requests,output_tokens", more(1, 50))])).toEqual([
      ["1", "2 not_ours", "3", "4", "5"],
    ]);
  });

  test("explain no larger prompt than their own", () => {
    const rows = (input: number) => [
      ...attempts.map((each, at) => [
        dayText(at + 1),
        "large-1",
        1,
        each.tokens?.input_tokens ?? 0,
        each.tokens?.cache_read_tokens ?? 0,
      ]),
      [dayText(2), "large-1", 1, input, 0],
    ];
    const of = (input: number) =>
      causesOf([bill("requests,input_tokens,cache_read_tokens", rows(input))], [...attempts, unsure(500)]);
    expect(of(500)).toEqual([["1", "2 timed_out_and_billed", "3", "4", "5"]]);
    expect(of(501)).toEqual([["1", "2 not_ours", "3", "4", "5"]]);
  });

  test("without requests in the bill, more input alone has no cause: it may be counted otherwise", () => {
    const rows = (input: number, output: number) => [
      ...attempts.map((each, at) => [
        dayText(at + 1),
        "large-1",
        each.tokens?.input_tokens ?? 0,
        each.tokens?.cache_read_tokens ?? 0,
        each.tokens?.output_tokens ?? 0,
      ]),
      [dayText(2), "large-1", input, 0, output],
    ];
    const columns = "input_tokens,cache_read_tokens,output_tokens";
    expect(causesOf([bill(columns, rows(3, 0))])).toEqual([["1", "2 ?", "3", "4", "5"]]);
    expect(causesOf([bill(columns, rows(30, 5))])).toEqual([["1", "2 not_ours", "3", "4", "5"]]);
  });

  test("more tokens of as many requests have no cause", () => {
    expect(causesOf([bill("requests,output_tokens", more(0, 50))], [...attempts, unsure(null)])).toEqual([
      ["1", "2 ?", "3", "4", "5"],
    ]);
  });
});

describe("the end of a day", () => {
  const midnight = monthStart + 2 * dayMs;
  const late = attempt(2, { call: "req_late", at: midnight - 1000, ended_at: midnight + 1000 });
  const row = (day: number, each: OurAttempt) => [
    dayText(day),
    "large-1",
    1,
    each.tokens?.output_tokens ?? 0,
  ];
  const rows = attempts.map((each, at) => row(at + 1, each));

  test("moves a call that crosses it only where the next day has it too much", () => {
    const own = [...attempts, late];
    expect(causesOf([bill("requests,output_tokens", [...rows, row(3, late)])], own)).toEqual([
      ["1", "2 day_boundary", "3 day_boundary", "4", "5"],
    ]);
    expect(causesOf([bill("requests,output_tokens", rows)], own)).toEqual([
      ["1", "2 missing_there", "3", "4", "5"],
    ]);
  });

  test("is another one where the vendor's zone explains most, beside a call that is not ours", () => {
    const evening = days.map((day) =>
      attempt(day, { call: `req_e${day}`, at: monthStart + (day - 1) * dayMs + 20 * 3_600_000 }),
    );
    const moved = evening.slice(0, 4).map((each, at) => row(at + 2, each));
    const text = bill("requests,output_tokens", [...rows, ...moved, [dayText(3), "large-1", 1, 77]]);
    expect(causesOf([text], [...attempts, ...evening])).toEqual([
      ["1 day_boundary", "2 day_boundary", "3 day_boundary not_ours", "4 day_boundary", "5 day_boundary"],
    ]);
  });
});

describe("what is compared", () => {
  test("are the days that a bill tells of", () => {
    const sections = compareBills({
      month,
      bills: [countBill(attempts.slice(0, 2))],
      attempts,
      currency: "USD",
    });
    const { sections: told } = providerReport("acme", sections, {
      days: [1, 2, 3].map(dayText),
      counting: () => [],
      unbilled: [],
    });
    expect(told).toMatchObject([
      { days_without_bill: [dayText(3)], cells: [{ causes: [] }, { causes: [] }] },
    ]);
  });

  test("is one credential, by a bill of one", () => {
    const other = days.map((day) => attempt(day, { call: `req_o${day}`, credential: "OTHER" }));
    const own = countBill(attempts, { credential: "KEY" });
    expect(causesOf([own], [...attempts, ...other])).toEqual(all(""));
    const whole = countBill([...attempts], { now: 2 });
    const [account, single] = causesOf([own, whole], [...attempts, ...other]);
    expect([account, single]).toEqual([days.map((day) => `${day} missing_there`), days.map(String)]);
  });

  test("is each credential, where both sides name all of them, and else the account", () => {
    const rows = attempts.map((each, at) => [...counted(each, at), "KEY"]);
    const named = bill("requests,output_tokens,credential", rows);
    const sections = (own: readonly OurAttempt[]) =>
      compareBills({ month, bills: [named], attempts: own, currency: "USD" })[0]?.by_credential;
    expect(sections(attempts)).toBe(true);
    expect(sections([...attempts, attempt(1, { credential: null })])).toBe(false);
  });

  test("is what bills tell: without tokens of the cache, these are input", () => {
    const rows = attempts.map(({ tokens = none }, at) => [
      ...[dayText(at + 1), "large-1", (tokens?.input_tokens ?? 0) + (tokens?.cache_read_tokens ?? 0)],
    ]);
    expect(causesOf([bill("input_tokens", rows)])).toEqual(all(""));
  });
});

describe("of two bills of the same days", () => {
  const wrong = attempts.map((each) => ({
    ...each,
    tokens: each.tokens && { ...each.tokens, output_tokens: 1 },
  }));

  test("the later one counts, whatever the earlier one said", () => {
    const [first, second] = [countBill(wrong, { now: 1 }), countBill(attempts, { now: 2 })];
    expect(causesOf([first, second])).toEqual(all(""));
    expect(causesOf([second, first])).toEqual(all(""));
  });

  test("the later one differs from us where the earlier one did not: a correction", () => {
    expect(causesOf([countBill(attempts, { now: 1 }), countBill(wrong, { now: 2 })])).toEqual(
      all("late_correction"),
    );
  });

  test("the later one counts for its days alone", () => {
    const part = bill("requests,output_tokens", wrong.slice(0, 2).map(counted), { now: 2 });
    expect(causesOf([countBill(attempts, { now: 1 }), part])).toEqual([
      ["1 late_correction", "2 late_correction", "3", "4", "5"],
    ]);
  });

  test("one of counts and one of costs stand beside each other", () => {
    expect(causesOf([countBill(attempts, { now: 2 }), costBill(exact)])).toEqual(all(""));
  });
});

test("without a bill there is nothing to compare", () => {
  expect(compareBills({ month, bills: [], attempts, currency: "USD" })).toEqual([]);
  expect(compareBills({ month: "2026-12", bills: [countBill()], attempts, currency: "USD" })).toEqual([]);
});
