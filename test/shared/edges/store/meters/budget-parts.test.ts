/** A budget that several shards of a wallet share: exact however its parts move, and one write where a part suffices. */
import { beforeEach, describe, expect, test } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { KeyLimits, Organization } from "#shared/books/accounts/account.ts";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import { budgetCounter } from "#shared/books/meters/budget.ts";
import { budgetName, type Hold, ticketOf } from "#shared/books/meters/hold.ts";
import { budgetUses } from "#shared/books/meters/meter.ts";
import { take } from "#shared/calls/access/take.ts";
import { tendWallet } from "#shared/edges/jobs/shards.ts";
import { createCallMeters } from "#shared/edges/store/meters/call-meters.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { awsOverMemory } from "#test/support/aws-over.ts";
import { createMemoryDynamoDb } from "#test/support/memory-dynamodb.ts";
import { intentOf, noon, settlement, walletHold } from "#test/support/store.ts";
import { after, newWallet, shardsOf, storesOn } from "#test/support/wallets.ts";

const memory = createMemoryDynamoDb();
const db = { aws: awsOverMemory(memory), tables: memory.tables };
const point = parsePoints("1");
const key = newId("key", noon);
const counter = budgetName(key, budgetCounter("month", noon));
const isTransaction = (action: string) => action === "TransactWriteItems";
let organization: Organization;

/** A budget in points, of a month. */
const budget = (points: string): KeyLimits => ({ budget_points: points, budget_period: "month" });
const held = (points: string, limits: KeyLimits, shard = 0): Hold => ({
  ...walletHold(organization.wallet?.meter ?? "", points, noon, key),
  limits,
  shard,
});

/** A call as a gateway takes it that knows so many shards. */
async function callOn(points: string, limits: KeyLimits, { aws = db.aws as Aws, shards = 4 } = {}) {
  const hold = held(points, limits);
  const choice = { shards, home: null };
  const deps = { meters: createMeters(aws, db.tables), rushes: { note: () => {} } };
  return await take(hold, intentOf(hold, organization.id), { choice }, deps);
}

/** What the budget has spent and holds by all items, as the key shows it, in points. */
async function used() {
  const { meters } = storesOn(db.aws, db);
  const use = (await meters.budgets(organization.wallet?.meter ?? "")).get(counter);
  return use && { spent: formatPoints(use.spent), held: formatPoints(use.held) };
}

const counters = async () =>
  (await shardsOf(db, organization)).map(({ budgets }) => budgets.get(counter) ?? 0n);

/** The requests of a client, by action. */
function watched(): { aws: Aws; actions: string[] } {
  const actions: string[] = [];
  const aws: Aws = (service, action, input) => {
    actions.push(action);
    return db.aws(service, action, input);
  };
  return { aws, actions };
}

beforeEach(async () => {
  organization = await newWallet(db, "100000", 4);
});

describe("the first call on another shard", () => {
  test("gives every shard its even part, in one transaction", async () => {
    const { aws, actions } = watched();
    const { meters } = storesOn(aws, db);
    expect(await meters.admit(held("1", budget("1000"), 2))).toMatchObject({ tryOtherShard: true });
    expect(await meters.gather(held("1", budget("1000")), 2)).toEqual({ shard: 2 });
    expect(actions.filter(isTransaction)).toHaveLength(1);
    expect(await counters()).toEqual([750n * point, -250n * point, -250n * point, -250n * point]);
  });

  test("is admitted, and every later one is one write, wherever it is held", async () => {
    expect((await callOn("1", budget("1000"))).admission.admitted).toBe(true);
    await storesOn(db.aws, db).meters.gather(held("1", budget("1000")), 3);
    for (const shard of [0, 1, 2, 3]) {
      const { aws, actions } = watched();
      expect(await storesOn(aws, db).meters.admit(held("1", budget("1000"), shard))).toMatchObject({
        admitted: true,
      });
      expect(actions).toEqual(["UpdateItem"]);
    }
    expect(await used()).toEqual({ spent: "0", held: "5" });
  });

  test("of a small budget is on the first shard, and moves nothing", async () => {
    const { aws, actions } = watched();
    const calls = Array.from({ length: 20 }, () => callOn("1", budget("127"), { aws }));
    for (const { hold, admission } of await Promise.all(calls))
      expect([hold.shard, admission.admitted]).toEqual([0, true]);
    expect(actions.filter(isTransaction)).toEqual([]);
  });

  test("of two processes at the same moment gives parts once", async () => {
    const { meters } = storesOn(db.aws, db);
    const other = () => meters.gather(held("1", budget("1000")), 3);
    const racing = storesOn(after(db.aws, isTransaction, other), db);
    expect(await racing.meters.gather(held("1", budget("1000")), 2)).toEqual({ shard: 2 });
    expect(await counters()).toEqual([750n * point, -250n * point, -250n * point, -250n * point]);
  });
});

describe("the last points of a budget", () => {
  test("are spent to the last one, whatever shard has them, and then it is refused by its sum", async () => {
    await callOn("1", budget("400"));
    const calls = await Promise.all(Array.from({ length: 60 }, () => callOn("6", budget("400"))));
    const again = await Promise.all(Array.from({ length: 60 }, () => callOn("3", budget("400"))));
    const taken = [...calls, ...again].filter(({ admission }) => admission.admitted);
    const sum = taken.reduce((all, { hold }) => all + hold.points, point);
    expect(await used()).toEqual({ spent: "0", held: formatPoints(sum) });
    for (let left = 400n * point - sum; left > 0n; left -= point)
      expect((await callOn("1", budget("400"))).admission).toMatchObject({ admitted: true });
    const { admission } = await callOn("0.000001", budget("400"));
    expect(admission).toMatchObject({
      error: "insufficient_balance",
      message: expect.stringContaining("0 are spent and 400 are held by calls in flight. Try again"),
      lack: { free: 0n },
    });
    expect(await used()).toEqual({ spent: "0", held: "400" });
  });

  test("of a budget without parts are refused with one write, however many shards there are", async () => {
    await callOn("100", budget("100"));
    const { aws, actions } = watched();
    expect(await storesOn(aws, db).meters.admit(held("1", budget("100")))).toMatchObject({
      admitted: false,
      message: expect.stringContaining("100 are held"),
    });
    expect(actions).toEqual(["UpdateItem"]);
  });

  describe("while the last shard's part moves to the first one between their reads, twice", () => {
    const budgetOf1000 = { counter, most: 1_000n * point };

    /** Before each of the first two reads of the last item its part goes to the first item, and comes back after the first. */
    const moving = (): Aws => {
      const { meter = "" } = organization.wallet ?? {};
      const { meters } = storesOn(db.aws, db);
      const move = (from: number, to: number) =>
        meters.move(meter, [{ from, to, points: 250n * point, budget: budgetOf1000 }]);
      const reads = { first: 0, last: 0 };
      return async (service, action, input) => {
        const asked = action === "GetItem" ? JSON.stringify(input) : "";
        if (asked.includes(`M#${meter}#0"`) && ++reads.first === 2) await move(0, 3);
        if (asked.includes(`M#${meter}#3"`) && ++reads.last <= 2) await move(3, 0);
        return await db.aws(service, action, input);
      };
    };

    beforeEach(async () => {
      await storesOn(db.aws, db).meters.gather(held("1", budget("1000")), 3);
    });

    test("are shown as they are", async () => {
      const uses = await createCallMeters(moving(), db.tables).shardsOf(organization.wallet?.meter ?? "");
      expect(budgetUses(uses).get(counter)).toEqual({ spent: 0n, held: 0n });
    });

    test("are there for a call that needs all of them", async () => {
      const gathered = await storesOn(moving(), db).meters.gather(held("1000", budget("1000")));
      expect(gathered).toEqual({ shard: 0 });
    });
  });

  test("cannot be given twice", async () => {
    const { meters } = storesOn(db.aws, db);
    const { meter = "" } = organization.wallet ?? {};
    const part = { counter, most: 10n * point };
    expect(await meters.move(meter, [{ from: 0, to: 1, points: 10n * point, budget: part }])).toBe(true);
    expect(await meters.move(meter, [{ from: 0, to: 2, points: 1n, budget: part }])).toBe(false);
    expect(await meters.move(meter, [{ from: 1, to: 2, points: 10n * point + 1n, budget: part }])).toBe(
      false,
    );
    expect(await counters()).toEqual([10n * point, -10n * point, 0n, 0n]);
  });
});

describe("a strict step on another shard", () => {
  test("takes what it lacks from other shards, and is refused in the name of the whole budget", async () => {
    const { meters } = storesOn(db.aws, db);
    await meters.gather(held("1", budget("400")), 2);
    const hold = held("1", budget("400"), 2);
    await meters.admit(hold);
    expect(await meters.extend(ticketOf(hold), 300n * point)).toEqual({
      extended: false,
      error: "insufficient_balance",
      tryOtherShard: true,
    });
    const step = { ...hold, points: 299n * point };
    expect(await meters.gather(step, 2, "the next part of the answer")).toEqual({ shard: 2 });
    expect(await meters.extend(ticketOf(hold), 300n * point)).toMatchObject({ extended: true });
    const more = { ...hold, points: 101n * point };
    expect(await meters.gather(more, 2, "the next part of the answer")).toMatchObject({
      message: expect.stringMatching(/does not cover the next part of the answer.* 300 are held/),
    });
    expect(await used()).toEqual({ spent: "0", held: "300" });
  });
});

describe("a shard that goes out of use", () => {
  test("gives its parts back, with what its calls hold, and later what these leave", async () => {
    const { meters } = storesOn(db.aws, db);
    await meters.gather(held("1", budget("1000")), 3);
    const [ended, open] = [held("10", budget("1000"), 3), held("20", budget("1000"), 3)];
    await meters.admit(ended);
    await meters.admit(open);
    await meters.settle(ticketOf(ended), settlement({ points: 4n * point }));
    await tendWallet(organization.id, 1, storesOn(db.aws, db));
    expect(await counters()).toEqual([24n * point, 0n, 0n, 0n]);
    expect((await shardsOf(db, organization))[3]?.budgets.size).toBe(0);
    await meters.settle(ticketOf(open), settlement({ points: 5n * point }));
    expect(await used()).toEqual({ spent: "9", held: "0" });
    await tendWallet(organization.id, 1, storesOn(db.aws, db));
    expect(await counters()).toEqual([9n * point, 0n, 0n, 0n]);
    expect((await callOn("991", budget("1000"), { shards: 1 })).admission.admitted).toBe(true);
  });

  test("gives them once, whoever else empties it at that moment", async () => {
    const { meters } = storesOn(db.aws, db);
    await meters.gather(held("1", budget("1000")), 3);
    const { meter = "" } = organization.wallet ?? {};
    let transactions = 0;
    const second = (action: string) => isTransaction(action) && ++transactions === 2;
    const racing = after(db.aws, second, () => meters.emptyShard(meter, 1, 1));
    await tendWallet(organization.id, 1, storesOn(racing, db));
    expect(await counters()).toEqual([0n, 0n, 0n, 0n]);
  });

  test("gives more parts than one write names in several passes", async () => {
    const { meters } = storesOn(db.aws, db);
    const { meter = "" } = organization.wallet ?? {};
    for (let at = 0; at < 130; at++) {
      const part = { counter: budgetName(newId("key", noon), "bt"), most: point };
      await meters.move(meter, [{ from: 0, to: 1, points: point, budget: part }]);
    }
    const left = async () => (await shardsOf(db, organization))[1]?.budgets.size;
    await tendWallet(organization.id, 1, storesOn(db.aws, db));
    expect(await left()).toBe(30);
    await tendWallet(organization.id, 1, storesOn(db.aws, db));
    expect(await left()).toBe(0);
  });
});
