/** `operator forecast`, run as an operator runs it on a stand-in of DynamoDB: what it prints, and what it refuses. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Organization } from "#shared/books/accounts/account.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { tables } from "#test/support/dynamodb.ts";
import { endedCall } from "#test/support/forecasts.ts";
import { testCatalog } from "#test/support/memory.ts";
import { useOperatedSecrets } from "#test/support/operated-secrets.ts";
import { signedUp } from "#test/support/orders.ts";
import { tokens } from "#test/support/prices.ts";
import { noon } from "#test/support/store.ts";

const operated = useOperatedSecrets();
const folder = mkdtempSync(join(tmpdir(), "forecast-"));
afterAll(() => rmSync(folder, { recursive: true }));

type File = { models: { id: string; discount_rate?: string; channels: object[] }[] };
const file = testCatalog("https://acme.test") as File;
const { models } = file;
const catalog = createCatalog(parseCatalog(file));

/** Writes a file, and gives its path. */
function written(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

/** Of its first model the other catalog asks a tenth more, and says what its channel costs. It lacks all others. */
const [first] = models;
const dearer = {
  ...file,
  version: "dearer",
  currency: { code: "CNY", points_per_unit: "100" },
  models: [
    {
      ...first,
      discount_rate: "1.1",
      channels: first?.channels.map((channel) => ({ ...channel, cost: { input: "0.01", output: "0.05" } })),
    },
  ],
};
const [same, other] = [written("same.json", file), written("dearer.json", dearer)];

let acme: Organization;
let initech: Organization;
beforeAll(async () => {
  [acme, initech] = [
    await signedUp({ aws: operated.aws, tables }, noon),
    await signedUp({ aws: operated.aws, tables }, noon),
  ];
  const call = ({ id: organization, wallet }: Organization, model: string) => {
    const found = catalog.find(model);
    if (!found) throw new Error(`no ${model}`);
    const meter = wallet?.meter ?? "";
    const end = { provider: "test" };
    return endedCall(catalog.price(found, noon), tokens(1_000_000), { organization, meter, model }, end);
  };
  await createLedger(operated.aws, tables).record([
    call(acme, "test/model-1"),
    call(initech, "test/model-1"),
    call(initech, "test/embedding-1"),
  ]);
});

const day = "--from 2026-11-21 --to 2026-11-22";

test("with the catalog that the calls were made with nothing changes", async () => {
  const { code, value } = await operated.operate(`forecast ${day} --catalog ${same}`);
  expect(code).toBe(0);
  expect(value).toMatchObject({
    range: { from: "2026-11-21T00:00:00.000Z", to: "2026-11-22T00:00:00.000Z" },
    catalog: "2026-11-21",
    currency: null,
    over: { percent: "5", customers: 0 },
    totals: { calls_now: 3, charged_now: "5.1", charged_then: "5.1", difference: "0", margin_now: null },
    ...{ gone: [], kept: [], unpriced: [] },
    unknown_cost: [{ reason: "no_cost", entries: 3, points: "5.1" }],
  });
});

test("with another one it names who pays more, what is gone, and what is left", async () => {
  const { value } = await operated.operate(`forecast ${day} --catalog ${other} --over 9.7`);
  expect(value).toMatchObject({
    catalog: "dearer",
    currency: "CNY",
    over: { percent: "9.7", customers: 1 },
    totals: {
      ...{ revenue_now: "5.1", revenue_then: "5.6", difference: "0.5", house_cost: "0.02" },
      ...{ unknown_cost_calls: 1, margin_now: "3", margin_then: "3.5", plan_margin_now: "0" },
    },
    customers: [
      { organization: acme.id, over: true, percent: "10", charged_now: "2.5", charged_then: "2.75" },
      { organization: initech.id, over: false, percent: "9.61", charged_now: "2.6", charged_then: "2.85" },
    ],
    models: [
      { model: "test/model-1", calls_now: 2, difference: "0.5", margin_then: "3.5" },
      { model: "test/embedding-1", calls_now: 1, difference: "0", charged_then: "0.1" },
    ],
    gone: [{ model: "test/embedding-1", entries: 1, points: "0.1" }],
    kept: [{ reason: "model_gone", entries: 1, points: "0.1" }],
  });
  const own = await operated.operate(`forecast ${day} --catalog ${other} --org ${initech.id}`);
  expect(own.value).toMatchObject({ totals: { charged_now: "2.6" }, over: { customers: 1 } });
});

test("at a terminal it is a table of customers and one of models", async () => {
  const { code, out } = await operated.look(`forecast ${day} --catalog ${other} --over 9.7`);
  expect(code).toBe(0);
  const lines = out.split("\n");
  const at = lines.indexOf("customers:");
  expect(lines[at + 1]).toMatch(
    /^ {2}organization +name +over +percent +charged_now +charged_then +fees_now/,
  );
  expect(lines[at + 2]).toMatch(new RegExp(`^  ${acme.id}  Acme  true +10 +2.5 +2.75 +0 +0 +0.25$`));
  expect(out).toMatch(/^ {2}test\/model-1 +2 +5 +5.5 +0.5 /m);
});

test("a range without anything has no rows", async () => {
  const { out } = await operated.look(`forecast --from 2020-01-01 --to 2020-01-02 --catalog ${other}`);
  expect(out).toContain("customers: none\nmodels: none\n");
  expect(out).toContain("  calls_now: 0\n");
});

mkdirSync(join(folder, "empty"));
const [broken, wrong] = [written("broken.json", "{"), written("wrong.json", { version: "1" })];
test.each([
  [`forecast --from 2026-11-22 --to 2026-11-21 --catalog ${other}`, "--from is after --to"],
  [
    `forecast --from 2026-11-31 --to 2026-12-01 --catalog ${other}`,
    "--from takes a day such as 2026-11-21, or an instant",
  ],
  [`forecast --to 2026-12-01 --catalog ${other}`, "--from is needed"],
  [`forecast ${day}`, "--catalog is needed: it names the other catalog"],
  [`forecast ${day} --catalog ${join(folder, "none.json")}`, `there is no file ${join(folder, "none.json")}`],
  [
    `forecast ${day} --catalog ${join(folder, "empty")}`,
    `${join(folder, "empty")}: the folder has no catalog.json`,
  ],
  [`forecast ${day} --catalog ${broken}`, "not JSON"],
  [`forecast ${day} --catalog ${wrong}`, "providers"],
  [`forecast ${day} --catalog ${other} --org org_1`, "there is no organization org_1"],
  [`forecast ${day} --catalog ${other} --over -5`, "--over"],
  [`forecast ${day} --catalog ${other} --over five`, "--over takes a percentage such as 5 or 2.5"],
])("%s is refused with 2", async (line, told) => {
  const { code, out, error } = await operated.look(line);
  expect([code, out]).toEqual([2, ""]);
  expect(error).toContain(told);
});
