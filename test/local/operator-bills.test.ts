/** `operator bills`, run as an operator runs it on a stand-in of DynamoDB: what it keeps, compares, and refuses. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { useOperatedBills } from "#test/support/bills/operated.ts";

const { operated, folder, written, theirs, place } = useOperatedBills();

const head = "day,model,requests,input_tokens,cost,currency";
const row = (day: number, requests: number, millions: number, dollars: string) =>
  `2026-11-${day},${theirs},${requests},${millions * 1_000_000},${dollars},USD`;

const second = [head, row(21, 3, 3, "6.00"), row(22, 1, 1, "2.00"), row(23, 1, 1, "2.40")].join("\n");

describe("a bill", () => {
  const good = written(
    "good.csv",
    [head, row(21, 2, 2, "4.00"), row(22, 1, 1, "2.00"), row(23, 1, 1, "2.00")].join("\n"),
  );

  test("is kept once, and agrees", async () => {
    const first = await operated.operate(`bills import ${good} --provider test ${place}`);
    expect(first).toMatchObject({
      code: 0,
      value: { imported: true, bill: { format: "csv", lines: 9, replaces: [] } },
    });
    const again = await operated.operate(`bills import ${good} --provider test ${place}`);
    expect(again.value).toEqual({ imported: false, bill: first.value.bill, replaces_days: [] });
    const { code, value } = await operated.operate(`bills compare --month 2026-11 ${place}`);
    expect(code).toBe(0);
    const [{ provider, sections }] = value.providers;
    expect([value.month, value.currency, provider]).toEqual(["2026-11", "USD", "test"]);
    expect(sections[0]).toMatchObject({
      ...{ credential: "", by_credential: false, bills: [first.value.bill.id], broken_off: 1 },
      totals: {
        ours: { requests: "4", input_tokens: "4000000", "cost USD": "8" },
        theirs: { requests: "4", input_tokens: "4000000", "cost USD": "8" },
        ...{ difference: {}, unexplained: {}, causes: [] },
      },
    });
    expect(sections[0].days_without_bill).toHaveLength(27);
  });

  test("that is newer counts in its place, and both are listed", async () => {
    const more = written("more.csv", second);
    const { value } = await operated.operate(`bills import ${more} --provider test ${place}`);
    expect(value.bill.replaces).toHaveLength(1);
    const { value: list } = await operated.operate("bills list --provider test --month 2026-11");
    expect(
      list.map(({ replaced_by, replaces }: Record<string, string[]>) => [replaced_by, replaces]),
    ).toEqual([
      [[], value.bill.replaces],
      [[value.bill.id], []],
    ]);
    expect((await operated.operate("bills list --month 2026-12")).value).toEqual([]);
    const compared = await operated.operate(`bills compare --month 2026-11 --provider test ${place}`);
    expect(compared.code).toBe(0);
    const [{ sections }] = compared.value.providers;
    expect(sections[0].totals).toMatchObject({
      difference: { requests: "1", input_tokens: "1000000", "cost USD": "2.4" },
      causes: [{ cause: "late_correction", cells: 2, amounts: { requests: "1", "cost USD": "2.4" } }],
      unexplained: {},
    });
  });

  test("that no earlier one agreed with is explained by what we have, and the rest is shown", async () => {
    const same = written("same.csv", `${second}\n`);
    await operated.operate(`bills import ${same} --provider test ${place}`);
    const { code, value } = await operated.operate(`bills compare --month 2026-11 ${place}`);
    expect(code).toBe(3);
    expect(value.providers[0].sections[0].totals).toMatchObject({
      causes: [{ cause: "timed_out_and_billed", cells: 1, amounts: { requests: "1", "cost USD": "2" } }],
      unexplained: { "cost USD": "0.4" },
    });
    const shown = await operated.look(`bills compare --month 2026-11 ${place}`);
    expect(shown.code).toBe(3);
    expect(shown.out).toMatch(/^ {4}cost USD +8 +10.4 +2.4 +0.4$/m);
    expect(shown.out).toMatch(/^ {4}timed_out_and_billed +1 +requests 1, input_tokens 1000000, cost USD 2$/m);
    expect(shown.out.indexOf("2026-11-23 ")).toBeLessThan(shown.out.indexOf("2026-11-21 "));
    expect(value.providers[0].sections[0].bills).toHaveLength(1);
    expect(shown.out).not.toContain("unmatched_models");
    const empty = await operated.look(`bills compare --month 2026-10 ${place}`);
    expect(empty).toMatchObject({ code: 0 });
    expect(empty.out).toContain("bills: none: give them to bills import");
  });
});

const page = written(
  "page.json",
  '{\n "data": [\n  {"start_time": 1762128000, "results": [\n   {"model": "a"}\n  ]}\n ]\n}',
);
/** The same with a mark of UTF-8. */
const marked = written("marked.json", `\uFEFF${readFileSync(page, "utf8")}`);
const odd = written("odd.csv", `${head}\n2026-11-21,a,x,1,1,USD\n2026-11-99,a,1,1,1,USD`);
test.each([
  [
    `bills import ${odd} --provider test ${place}`,
    `${odd}:2: requests must be a whole number, and is "x"\n${odd}:3: day must be a day`,
  ],
  [`bills import ${odd} --provider test ${place}`, "\nnothing was imported"],
  [
    `bills import ${page} --provider test --format openai-usage ${place}`,
    `${page}:4:4: input_tokens must be a whole number, and is missing`,
  ],
  [
    `bills import ${marked} --provider test --format openai-usage ${place}`,
    `${marked}:4:4: input_tokens must be a whole number, and is missing`,
  ],
  [`bills import ${page} --provider nobody ${place}`, "the catalog has no provider nobody: "],
  [`bills import ${page} --provider test ${place}`, `what ${page} is cannot be seen: give --format`],
  [`bills import ${join(folder, "none.csv")} --provider test ${place}`, "there is no file "],
  [`bills import ${odd} ${place}`, "--provider is needed"],
  [
    `bills import ${odd} --provider test --credential a=b,c ${place}`,
    "--credential takes pairs such as theirs=ours",
  ],
  [
    `bills import ${odd} --provider test --credential a/b ${place}`,
    "--credential takes the name of a secret",
  ],
  [`bills import --provider test ${place}`, "give the file of the bill"],
  ["bills withdraw bill_none --reason mistake", "there is no bill bill_none: bills list shows them"],
  ["bills withdraw bill_none", "--reason is needed"],
  ["bills withdraw bill_none --reason", "--reason"],
  [`bills compare --month 2026-13 ${place}`, "--month takes a month such as 2026-11"],
])("%s is refused with 2", async (line, told) => {
  const before = (await operated.operate("bills list")).value.length;
  const { code, out, error } = await operated.look(line);
  expect([code, out]).toEqual([2, ""]);
  expect(error).toContain(told);
  expect((await operated.operate("bills list")).value).toHaveLength(before);
});
