/** Comparisons where a model has another name in the bill, or another price within the month. */
import { describe, expect, test } from "vitest";
import { compareBills } from "#shared/books/reports/bills/compare/compare.ts";
import type { OurAttempt } from "#shared/books/reports/bills/ours.ts";
import { isUnexplained, providerReport } from "#shared/books/reports/bills/report.ts";
import {
  attempt,
  attempts,
  bill,
  causesOf,
  counted,
  days,
  dayText,
  dollars,
  exact,
  month,
  none,
} from "#test/support/bills/days.ts";
import { costAt, models } from "#test/support/bills/month.ts";

describe("a model under another name in the bill", () => {
  const renamed = (model: string) => attempts.map((each) => ({ ...each, model }));
  const told = (rows: readonly OurAttempt[], own: readonly OurAttempt[]) => {
    const bills = [
      bill(
        "requests,output_tokens",
        rows.map((each) => counted(each, days.indexOf(dayNumber(each)))),
      ),
    ];
    const sections = compareBills({ month, bills, attempts: own, currency: "USD" });
    const report = providerReport("acme", sections, { days: [], counting: () => [], unbilled: [] });
    const whole = { month, currency: "USD", providers: [report] };
    return [report.sections[0]?.unmatched_models, isUnexplained(whole)];
  };
  const dayNumber = ({ call }: OurAttempt) => Number(call.slice(4));

  test("goes with the one of ours that is missing there, and is no explained difference", () => {
    expect(told(renamed("Large One"), attempts)).toEqual([[{ theirs: "Large One", ours: "large-1" }], true]);
  });

  test("goes with the nearest of several", () => {
    const small = days.map((day) =>
      attempt(day, { model: "small-1", tokens: { ...none, output_tokens: day } }),
    );
    const rows = [...renamed("A"), ...small.map((each) => ({ ...each, model: "B" }))];
    expect(told(rows, [...attempts, ...small])).toEqual([
      [
        { theirs: "A", ours: "large-1" },
        { theirs: "B", ours: "small-1" },
      ],
      true,
    ]);
  });

  test("is none where one side alone has a name more", () => {
    expect(told([...attempts, ...renamed("B")], attempts)).toEqual([[], false]);
    expect(told(attempts, [...attempts, attempt(1, { model: "small-1" })])).toEqual([[], false]);
  });
});

describe("a price of ours that changed within the month", () => {
  const [early, late] = [models["large-1"], models["small-1"]];
  const priced = days.map((day) => {
    const own = attempt(day);
    const at = (day < 3 ? early : late) ?? null;
    return { ...own, rates: at, cost: at && own.tokens && costAt(own.tokens, at) };
  });
  const row = (each: OurAttempt, day: number) => [
    ...[dayText(day), "large-1", 1, each.tokens?.input_tokens ?? 0, each.tokens?.output_tokens ?? 0],
    ...[each.tokens?.cache_read_tokens ?? 0, 0, dollars(exact(each)), "USD"],
  ];
  const columns = "requests,input_tokens,output_tokens,cache_read_tokens,cache_write_tokens,cost,currency";

  test("does not keep a call that is not ours from its cost: each day has its own price", () => {
    const tokens = { ...none, input_tokens: 900_000, output_tokens: 77_000 };
    const stranger = { ...attempt(4), tokens, cost: late ? costAt(tokens, late) : null };
    const rows = [...priced.map((each, at) => row(each, at + 1)), row(stranger, 4)];
    expect(causesOf([bill(columns, rows)], priced)).toEqual([["1", "2", "3", "4 not_ours", "5"]]);
  });
});
