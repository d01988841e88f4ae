/**
 * The history of prices, on the embedded DynamoDB: every version that an entry carries resolves, whatever came between.
 */
import { describe, expect, test } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import { newId } from "#shared/base/platform/id.ts";
import { pinPrice } from "#shared/books/billing/pricing/pin-price.ts";
import type { PinnedPrice, Price } from "#shared/books/billing/pricing/price.ts";
import { createCatalog, wholePrices } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { fillPrices, listPrices } from "#shared/books/prices/history.ts";
import { pricesResolve } from "#shared/edges/audit/prices.ts";
import { newWalk, walk } from "#shared/edges/audit/walk.ts";
import { createKeptBooks } from "#shared/edges/store/audited.ts";
import { pricePartition } from "#shared/edges/store/dynamodb/item-keys.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createPriceHistory } from "#shared/edges/store/ledger/price-history.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { sample, set } from "#test/support/catalog.ts";
import { counting, eventOf, noon, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const { db, ledger } = useStores();

const flat = (input: string): Price => {
  return { mode: "flat_tokens", input, output: "1", cache_read: "1", cache_write: "1" };
};
const every = () => true;
/** A call of a model of its own at a price, admitted so long after noon. */
const call = (model: string, price: PinnedPrice, after = 0) => ({
  ...eventOf(walletHold("mtr_1", "1", noon + after), "1", {
    organization: newId("organization", noon),
    model,
    price,
  }),
});
const versionsOf = async (model: string) =>
  (await listPrices({ wanted: (name) => name === model }, { ledger })).map(
    ({ since, version, partial, price }) => ({
      since,
      version,
      partial,
      price,
    }),
  );
const at = (after: number) => new Date(noon + after).toISOString();

describe("an entry's price", () => {
  test("is in the history with its model, and since when, however often it is charged", async () => {
    const [old, now] = [pinPrice(flat("2"), "1"), pinPrice(flat("1"), "0.5")];
    await ledger.record([call("acme/a", old, 5), call("acme/a", old, 3), call("acme/b", old)]);
    await ledger.record([call("acme/a", now, 9), call("acme/a", old, 1)]);
    await createLedger(db.aws, db.tables, () => noon).record([call("acme/a", now, 10)]);
    expect(await versionsOf("acme/a")).toEqual([
      { since: at(3), version: old.version, partial: false, price: old.price },
      { since: at(9), version: now.version, partial: false, price: now.price },
    ]);
    expect(await listPrices({ version: old.version, wanted: every }, { ledger })).toEqual([
      expect.objectContaining({ model: "acme/a", version: old.version, discount_rate: "1" }),
      expect.objectContaining({ model: "acme/b", version: old.version }),
    ]);
  });

  test("costs a process one write, of one unit, and no more with the next calls", async () => {
    const { aws, units } = counting(db.aws);
    const asked: string[] = [];
    const noting: Aws = (service, action, input, delivery) => {
      asked.push(action);
      return aws(service, action, input, delivery);
    };
    const process = createLedger(noting, db.tables, () => noon);
    const price = pinPrice(flat("3"), "1");
    for (let turn = 0; turn < 3; turn++) await process.record([call("acme/c", price)]);
    expect(asked).toEqual(["PutItem", ...Array.from({ length: 3 }, () => "TransactWriteItems")]);
    expect(units.get("PutItem")).toBe(1);
    expect(units.get("TransactWriteItems")).toBe(3 * 4);
  });

  test("is there before the entry: where it cannot be put, nothing is booked, and the next try books", async () => {
    let down = true;
    const ailing: Aws = (service, action, input, delivery) => {
      const { Item } = input as { Item?: { pk?: { S?: string } } };
      if (down && Item?.pk?.S === pricePartition) return Promise.reject(new Error("throttled"));
      return db.aws(service, action, input, delivery);
    };
    const process = createLedger(ailing, db.tables, () => noon);
    const event = call("acme/d", pinPrice(flat("4"), "1"));
    await expect(process.record([event])).rejects.toThrow("throttled");
    expect(await process.entry(event.organization, event.id)).toBeUndefined();
    down = false;
    expect(await process.record([event])).toEqual(["recorded"]);
    expect(await versionsOf("acme/d")).toHaveLength(1);
  });

  test("is the catalog's, where the entry carries only a part of it", async () => {
    const catalog = createCatalog(parseCatalog(set(sample(), "models.0.discount_rate", "0.8")));
    const [model] = catalog.models();
    if (!model) throw new Error("the sample has a model");
    const whole = catalog.price(model, 0);
    const part = { ...whole, price: flat("2.5") };
    await createLedger(db.aws, db.tables, () => noon).record([call(model.id, part)]);
    expect(await versionsOf(model.id)).toMatchObject([{ partial: true, price: part.price }]);
    await createLedger(db.aws, db.tables, Date.now, wholePrices(catalog)).record([call(model.id, part)]);
    expect(await versionsOf(model.id)).toMatchObject([{ partial: false, price: whole.price }]);
    await createLedger(db.aws, db.tables, () => noon).record([call(model.id, part)]);
    expect(await versionsOf(model.id)).toMatchObject([{ partial: false, price: whole.price }]);
    const elsewhere = wholePrices(catalog);
    expect(elsewhere(model.id, "0123456789ab")).toBeUndefined();
    expect(elsewhere("acme/none", whole.version)).toBeUndefined();
  });
});

test("entries from before there was a history are a gap to the audit until it is filled from them", async () => {
  const price = pinPrice(flat("7"), "1");
  const [later, first] = [call("acme/old", price, 8), call("acme/old", price, 2)];
  const forgetful: Aws = async (service, action, input, delivery) =>
    action === "PutItem" ? ({} as never) : await db.aws(service, action, input, delivery);
  await createLedger(forgetful, db.tables, () => noon).record([later, first]);
  const { kept, tasks } = { kept: createKeptBooks(db.aws, db.tables), tasks: createTasks(db.aws, db.tables) };
  const findings = async () => {
    const { gaps, prices: met } = await walk(newWalk(), [], {}, { kept, ledger, tasks });
    const prices = await Array.fromAsync(ledger.prices());
    const lost = (gaps.prices_resolve ?? []).filter((gap) => gap.includes("acme/old"));
    return pricesResolve({ prices, lost, met });
  };
  expect((await findings()).gaps).toEqual([
    expect.stringContaining(
      `no price of the history has the model acme/old and the version ${price.version}`,
    ),
    expect.stringContaining(
      `no price of the history has the model acme/old and the version ${price.version}`,
    ),
  ]);
  const history = createPriceHistory(db.aws, db.tables);
  expect(await fillPrices({ ledger, history })).toBe(1);
  expect(await versionsOf("acme/old")).toMatchObject([{ since: at(2), partial: false }]);
  expect((await findings()).gaps).toEqual([]);
  expect(await fillPrices({ ledger, history: createPriceHistory(db.aws, db.tables) })).toBe(0);
});
