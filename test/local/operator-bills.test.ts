/** `operator bills`, run as an operator runs it on a stand-in of DynamoDB: what it keeps, compares, and refuses. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import { dayMs } from "#shared/books/billing/period.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { billHeadKey, billPartKey } from "#shared/edges/store/dynamodb/account-keys.ts";
import { getItem, putItem } from "#shared/edges/store/dynamodb/items.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { tables } from "#test/support/dynamodb.ts";
import { endedCall } from "#test/support/forecasts.ts";
import { testCatalog } from "#test/support/memory.ts";
import { useOperatedSecrets } from "#test/support/operated-secrets.ts";
import { signedUp } from "#test/support/orders.ts";
import { tokens } from "#test/support/prices.ts";
import { noon } from "#test/support/store.ts";

const operated = useOperatedSecrets();
const folder = mkdtempSync(join(tmpdir(), "bills-"));
afterAll(() => rmSync(folder, { recursive: true }));

function written(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

type File = { models: { id: string; channels: { model: string }[] }[] };
const file = testCatalog("https://acme.test") as File;
/** What a million tokens cost the house. */
const cost = { input: "2", output: "10" };
const priced = {
  ...file,
  models: file.models.map((model) => ({
    ...model,
    channels: model.channels.map((channel) => ({ ...channel, cost })),
  })),
};
const catalogFile = written("catalog.json", priced);
const catalog = createCatalog(parseCatalog(priced));
const model = catalog.find("test/model-1");
if (!model) throw new Error("no model");
const [{ model: theirs } = { model: "" }] = model.channels;

/** Three calls on the 21st, one of which broke off at another attempt first, and one an hour before its end. */
beforeAll(async () => {
  const organization = await signedUp({ aws: operated.aws, tables }, noon);
  const call = (at: number, more: Partial<UsageEvent> = {}): UsageEvent => {
    const id = newId("request", at);
    const identity = {
      id,
      organization: organization.id,
      meter: organization.wallet?.meter ?? "",
      model: model.id,
    };
    const end = { provider: "test", at: at + 500 };
    return { ...endedCall(catalog.price(model, at), tokens(1_000_000), identity, end), ...more };
  };
  const attempt = { provider: "test", ms: 9 };
  const route = {
    ...{ routing: "smart" as const, why: "first", of: 2 },
    attempts: [
      { ...attempt, outcome: "lost" as const },
      { ...attempt, outcome: "answered" as const },
    ],
  };
  await createLedger(operated.aws, tables).record([
    call(noon),
    call(noon + 1000, { route }),
    call(noon + dayMs),
    call(noon + 2 * dayMs),
  ]);
});

const place = `--catalog ${catalogFile}`;
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

describe("a withdrawn bill", () => {
  /** A provider's bill of its own month, so that no other test meets it. */
  const january = (requests: number) =>
    written(`january-${requests}.csv`, `day,model,requests\n2026-01-05,${theirs},${requests}\n`);
  const of = async (file: string) =>
    (await operated.operate(`bills import ${file} --provider test ${place}`)).value;
  const told = async () => {
    const { value } = await operated.operate(`bills compare --month 2026-01 ${place}`);
    return value.providers[0]?.sections[0].totals.theirs ?? null;
  };

  test("counts nowhere, what it replaced counts again, and its file can be given again", async () => {
    const first = await of(january(1));
    const second = await of(january(2));
    expect(await told()).toEqual({ requests: "2" });
    const { id } = second.bill;
    const withdraw = () => operated.operate(`bills withdraw ${id} --reason of_another_account`);
    const done = await withdraw();
    expect(done).toMatchObject({
      code: 0,
      value: {
        done: true,
        id,
        provider: "test",
        withdrawn: { by: "operator", why: "of_another_account" },
      },
    });
    expect((await withdraw()).value).toEqual({ ...done.value, done: false });
    expect(await told()).toEqual({ requests: "1" });
    const { value: list } = await operated.operate("bills list --month 2026-01");
    expect(list).toMatchObject([
      { id, withdrawn: done.value.withdrawn },
      { id: first.bill.id, replaced_by: [] },
    ]);
    expect((await operated.look("bills list --month 2026-01")).out).toContain("by operator, 20");
    const again = await of(january(2));
    expect(again).toMatchObject({ imported: true, bill: { replaces: [first.bill.id] } });
    expect(again.bill.id).not.toBe(id);
    expect(await of(january(2))).toMatchObject({ imported: false, bill: { id: again.bill.id } });
    expect(await told()).toEqual({ requests: "2" });
  });

  test("parts of a bill that share a day: the import says which days it replaces, a dry run changes nothing", async () => {
    const part = (name: string, ...days: number[]) =>
      written(name, ["day,model,requests", ...days.map((day) => `2026-02-0${day},${theirs},1`)].join("\n"));
    const { bill } = await of(part("part-1.csv", 1, 2, 3));
    const second = part("part-2.csv", 3, 4);
    const replaces_days = [{ bill: bill.id, file: "part-1.csv", days: ["2026-02-03"], tells: ["requests"] }];
    const dry = await operated.operate(`bills import ${second} --provider test --dry-run ${place}`);
    expect(dry).toMatchObject({ code: 0, value: { imported: false, replaces_days } });
    expect((await operated.operate("bills list --month 2026-02")).value).toHaveLength(1);
    const shown = await operated.look(`bills import ${second} --provider test --dry-run ${place}`);
    expect(shown.out).toContain(`replaces_days: 2026-02-03 of ${bill.id} (part-1.csv): requests`);
    expect(await of(second)).toMatchObject({ imported: true, replaces_days });
    // A third bill takes the day from the second one, and nothing more from the first.
    const third = await of(part("part-3.csv", 2, 3, 4, 5));
    expect(
      third.replaces_days.map(({ file, days }: { file: string; days: string[] }) => [file, days]),
    ).toEqual([
      ["part-1.csv", ["2026-02-02"]],
      ["part-2.csv", ["2026-02-03", "2026-02-04"]],
    ]);
  });

  test("may be a damaged one: the comparison names the command", async () => {
    const { accounts } = tables;
    const { bill } = await of(january(3));
    const part = await getItem(operated.aws, accounts, billPartKey(bill.id, 0));
    await putItem(operated.aws, accounts, { ...part, lines: { S: "[]" } }, []);
    const { code, error } = await operated.look(`bills compare --month 2026-01 ${place}`);
    expect([code, error]).toEqual([
      2,
      expect.stringContaining(`operator bills withdraw ${bill.id} --reason TEXT`),
    ]);
    await operated.operate(`bills withdraw ${bill.id} --reason damaged`);
    expect(await told()).toEqual({ requests: "2" });
    const head = await getItem(operated.aws, accounts, billHeadKey("test", bill.id));
    await putItem(operated.aws, accounts, { ...head, lines: { N: "9" } }, []);
    const { value } = await operated.operate("bills list --provider test");
    expect(value.at(-1)).toMatchObject({
      id: bill.id,
      provider: "test",
      damaged: true,
      withdrawn: { why: "damaged" },
    });
    expect((await operated.look("bills list")).out).toContain("damaged");
    await of(january(3));
    expect(await told()).toEqual({ requests: "3" });
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
