/** Documents as bills: their ids, their days, our names, and what they replace. */
import { describe, expect, test } from "vitest";
import { BillRefused } from "#shared/books/reports/bills/bill.ts";
import type { BillFormatName } from "#shared/books/reports/bills/formats/index.ts";
import { billOf } from "#shared/books/reports/bills/import.ts";
import { afterwards, openAiUsage, usage } from "#test/support/bills/documents.ts";

describe("days", () => {
  const csv = (...days: string[]) => ["day,model,requests", ...days.map((day) => `${day},a,1`)].join("\n");
  const of = (text: string, format: BillFormatName = "csv") =>
    billOf({ provider: "acme", format, text, file: "a", now: afterwards }, []).head;
  const problems = (text: string) => {
    try {
      of(text);
    } catch (error) {
      if (error instanceof BillRefused) return error.problems.map(({ line, why }) => [line, why]);
      throw error;
    }
    return [];
  };

  test("that have not come yet are refused with their line; a vendor's tomorrow may have begun", () => {
    expect(problems(csv("2026-11-30", "2026-12-03", "2062-11-30"))).toEqual([
      [3, "2026-12-03 has not come yet"],
      [4, "2062-11-30 has not come yet"],
    ]);
    expect(of(csv("2026-11-30", "2026-12-02")).last_day).toBe("2026-12-02");
  });

  test("that are far from the others are refused with their line", () => {
    const all = ["2026-11-01", "2026-11-02", "2025-11-03", "2026-11-04", "2026-11-05"];
    expect(problems(csv(...all))).toEqual([
      [4, expect.stringMatching(/^2025-11-03 is far from the other days: a bill is of at most 190 days/)],
    ]);
    expect(of(csv("2026-05-25", "2026-11-30")).first_day).toBe("2026-05-25");
    expect(problems(csv("2026-05-24", "2026-11-30")).length).toBeGreaterThan(0);
  });

  test("that are empty and have not come yet are not told of", () => {
    const bucket = (day: string, results: object[]) => ({ start_time: Date.parse(day) / 1000, results });
    const asked = [bucket("2026-12-01", [usage]), bucket("2026-12-02", []), bucket("2026-12-03", [])];
    const page = (data: object[]) => JSON.stringify({ data });
    expect(of(page(asked), "openai-usage")).toMatchObject({
      first_day: "2026-12-01",
      last_day: "2026-12-02",
    });
    expect(() => of(page(asked.slice(2)), "openai-usage")).toThrow("all its days are still to come");
  });
});

describe("an import", () => {
  const document = (text: string, now: number) => ({
    ...{ provider: "acme", format: "csv" as const, text, file: "a.csv", now: afterwards + now },
  });
  const text = "day,model,requests\n2026-11-03,a,1\n2026-11-09,a,2\n";

  test("has one id for the same words, and names what it replaces", () => {
    const first = billOf(document(text, 1), []);
    expect(billOf(document(text, 9), [first.head]).head).toMatchObject({ id: first.head.id, replaces: [] });
    const newer = billOf(document("day,model,requests\n2026-11-09,a,3\n", 2), [first.head]);
    expect(newer.head.replaces).toEqual([first.head.id]);
    const later = billOf(document("day,model,requests\n2026-11-10,a,3\n", 3), [first.head]);
    const costs = billOf(document("day,model,cost,currency\n2026-11-09,a,3,USD\n", 3), [first.head]);
    const other = billOf({ ...document(text, 4), credential: "KEY" }, [first.head]);
    expect([later, costs, other].map(({ head }) => head.replaces)).toEqual([[], [], []]);
    expect(other.head).toMatchObject({ credential: "KEY", by_credential: false });
  });

  test("of a file whose bill was withdrawn is a bill of its own, as often as that happens", () => {
    const ids: string[] = [];
    for (let again = 0; again < 3; again++) ids.push(billOf(document(text, 1), [], new Set(ids)).head.id);
    expect(new Set(ids).size).toBe(3);
    expect(billOf(document(text, 2), [], new Set(ids.slice(0, 1))).head.id).toBe(ids[1]);
  });

  test("gives our names to the vendor's ids and models", () => {
    const results = openAiUsage(usage);
    const of = (more: object) => billOf({ ...document(results, 1), format: "openai-usage", ...more }, []);
    expect(of({})).toMatchObject({
      head: { by_credential: false },
      lines: [{ credential: "" }, {}, {}, {}, {}],
    });
    const named = of({
      credential: new Map([["key_1", "OPENAI_KEY"]]),
      models: new Map([["gpt-4o-2024-08-06", "gpt-4o"]]),
    });
    expect(named.head.by_credential).toBe(true);
    expect(named.lines[0]).toMatchObject({
      credential: "OPENAI_KEY",
      model: "gpt-4o",
      named: "gpt-4o-2024-08-06",
    });
    const stranger = of({ credential: new Map([["key_2", "OPENAI_KEY"]]) });
    expect(stranger.lines[0]).toMatchObject({ credential: "key_1" });
  });
});
