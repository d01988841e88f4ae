/** Organizations are told that a model which they call will cost something else: once, and in time. */
import { beforeEach, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import { dayMs, dayOf, hourMs } from "#shared/books/billing/period.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { tellPrices } from "#shared/edges/jobs/tell-prices.ts";
import { createAuditLog } from "#shared/edges/store/identity/audit.ts";
import { createToldPrices } from "#shared/edges/store/news/told-prices.ts";
import { sample, set } from "#test/support/catalog.ts";
import { eventOf, noon, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const { db, ledger } = useStores();
const from = dayOf(noon + 14 * dayMs);
const later = dayOf(noon + 20 * dayMs);
const sonic = "acme/Sonic-1-5";

let organization: string;
let now: number;
let read: number;
beforeEach(() => {
  organization = newId("organization", noon);
  now = noon + 2 * hourMs;
  read = 0;
});

/** The sample, where the models at these places will have another discount. */
const announcing = (...announced: [at: number, rate: string, day?: string][]) =>
  createCatalog(
    parseCatalog(
      announced.reduce<unknown>(
        (json, [at, discount_rate, day = from]) =>
          set(json, `models.${at}.next_price`, { from: day, discount_rate }),
        sample(),
      ),
    ),
  );

const called = async (model: string, at = noon) =>
  await ledger.record([eventOf(walletHold("mtr_1", "1", at), "1", { organization, model })]);

const logged: unknown[] = [];
const deps = (catalog: ReturnType<typeof announcing>) => ({
  catalog,
  accounts: {
    async *organizations() {
      read += 1;
      yield { id: organization } as never;
    },
  },
  ledger,
  toldPrices: createToldPrices(db.aws, db.tables),
  log: (_: string, event: string) => void logged.push(event),
  now: () => now,
});
const tell = (catalog: ReturnType<typeof announcing>) => tellPrices(deps(catalog));

async function lines(): Promise<Record<string, unknown>[]> {
  const { entries } = await createAuditLog(db.aws, db.tables).entries(organization, { limit: 100 });
  return entries.map(({ kind, after }) => ({ kind, ...after }));
}

const half = { kind: "price_announced", model: sonic, from };

test("whoever called the model is told once, with the day and what changes", async () => {
  await called(sonic);
  const catalog = announcing([0, "0.5"], [1, "0.5"]);
  expect(await tell(catalog)).toEqual({ told: 1, failed: 0 });
  for (const after of [hourMs, dayMs, 5 * dayMs]) {
    now += after;
    expect(await tell(catalog)).toEqual({ told: 0, failed: 0 });
  }
  expect(await lines()).toEqual([{ ...half, changes: "discount_rate: 1 → 0.5 (-50 %)" }]);
});

test("two passes at once tell once", async () => {
  await called(sonic);
  const catalog = announcing([0, "0.5"]);
  const results = await Promise.all([tell(catalog), tell(catalog)]);
  expect(results.map(({ told }) => told).sort()).toEqual([0, 1]);
  expect(await lines()).toHaveLength(1);
});

test("who did not call it is not told, and is once they have", async () => {
  await called("acme/brush-1");
  const catalog = announcing([0, "0.5"]);
  expect((await tell(catalog)).told).toBe(0);
  await called(sonic, noon + 3 * hourMs);
  now = noon + 5 * hourMs;
  expect((await tell(catalog)).told).toBe(0);
  now = noon + dayMs;
  expect((await tell(catalog)).told).toBe(1);
});

test("calls of more than a month ago do not count", async () => {
  await called(sonic);
  now = noon + 32 * dayMs;
  expect((await tell(announcing([0, "0.5", dayOf(now + dayMs)]))).told).toBe(0);
});

test("a price that is announced anew is told again at once: another price, or another day", async () => {
  await called(sonic);
  for (const [rate, day] of [
    ["0.5", from],
    ["0.6", from],
    ["0.6", later],
    ["0.6", later],
  ] as const) {
    now += 1_000;
    await tell(announcing([0, rate, day]));
  }
  const told = await lines();
  expect(told.map((line) => [line.from, line.changes]).reverse()).toEqual([
    [from, "discount_rate: 1 → 0.5 (-50 %)"],
    [from, "discount_rate: 1 → 0.6 (-40 %)"],
    [later, "discount_rate: 1 → 0.6 (-40 %)"],
  ]);
});

test("from its day on nothing is told, and while nothing is announced nobody is looked at", async () => {
  await called(sonic);
  now = Date.parse(`${from}T00:00:00Z`);
  expect(await tell(announcing([0, "0.5"]))).toEqual({ told: 0, failed: 0 });
  expect(await tell(announcing())).toEqual({ told: 0, failed: 0 });
  expect([read, await lines()]).toEqual([0, []]);
});

test("a look that fails is logged, and the next pass looks again", async () => {
  await called(sonic);
  const catalog = announcing([0, "0.5"]);
  const broken = { ...ledger, seal: () => Promise.reject(new Error("no answer")) };
  expect(await tellPrices({ ...deps(catalog), ledger: broken })).toEqual({ told: 0, failed: 1 });
  expect(logged).toContain("price_news_failed");
  expect((await tell(catalog)).told).toBe(1);
});

test("prices of one day are one line, with the models and what changes of each, as far as there is room", async () => {
  const json = sample();
  const [first] = json.models;
  json.models = Array.from({ length: 60 }, (_, at) => ({
    ...first,
    ...{
      id: `acme/m-${at}`,
      aliases: [],
      next_price: { from: at < 58 ? from : later, discount_rate: "0.5" },
    },
  })) as never;
  const catalog = createCatalog(parseCatalog(json));
  for (const { id } of catalog.models()) await called(id);
  await tell(catalog);
  const [second, one] = (await lines()).toSorted((a, b) => (String(a.from) < String(b.from) ? 1 : -1));
  expect(second).toMatchObject({
    ...{ from: later, model: "acme/m-58, acme/m-59" },
    changes: "acme/m-58: discount_rate: 1 → 0.5 (-50 %). acme/m-59: discount_rate: 1 → 0.5 (-50 %)",
  });
  expect(one?.model).toMatch(/^acme\/m-0, .*acme\/m-49 and 8 more$/);
  expect(one?.changes).toHaveLength(2_001);
  expect(await lines()).toHaveLength(2);
});

test("in the last day before a change every hour's new callers are told", async () => {
  const catalog = announcing([0, "0.5"]);
  now = Date.parse(`${from}T00:10:00Z`) - dayMs;
  expect((await tell(catalog)).told).toBe(0);
  await called(sonic, now + 1_000);
  now += hourMs;
  expect((await tell(catalog)).told).toBe(1);
});
