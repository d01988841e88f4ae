/** What an admission says of a wallet that more calls come to than its items should take. */
import { beforeEach, describe, expect, test } from "vitest";
import { type Aws, ThrottledError } from "#shared/base/platform/aws.ts";
import type { KeyLimits } from "#shared/books/accounts/account.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { awsOverMemory } from "#test/support/aws-over.ts";
import { createMemoryDynamoDb } from "#test/support/memory-dynamodb.ts";
import { noon, openPlan, openWallet, planHold, planLimits, walletHold } from "#test/support/store.ts";

const memory = createMemoryDynamoDb();
const db = { aws: awsOverMemory(memory), tables: memory.tables };
const meters = createMeters(db.aws, db.tables);
const throttled: Aws = () => Promise.reject(new ThrottledError("ThrottlingException", 400, {}));
const budget: KeyLimits = { budget_points: "1000", budget_period: "day" };
/** It is worth fewer than 128 calls, so one shard has all of it. */
const smallBudget: KeyLimits = { budget_points: "0.127", budget_period: "day" };
let meter: string;

/** The hold of a call that asks where there is a rush, or of one that does not. */
function hold(
  asks: boolean,
  change: { limits?: KeyLimits; key?: string; shard?: number; spread?: true } = {},
) {
  const { request, ...other } = walletHold(meter, "0.001", noon, change.key);
  return { ...other, request: `${request.slice(0, -1)}${asks ? "0" : "1"}`, ...change };
}

/** The rush that an admission tells of, the hold being admitted by these meters. */
async function found(asked: ReturnType<typeof hold>, by = meters) {
  return (await by.admit(asked)).rush;
}

beforeEach(async () => {
  meter = await openWallet(db, "1000");
});

describe("an admission that is throttled", () => {
  const refusing = createMeters(throttled, db.tables);

  test("says so, and asks for more shards if its id ends in 0", async () => {
    expect(await refusing.admit(hold(true))).toMatchObject({
      error: "global_rate_limited",
      rush: { throttled: true, asks: true },
    });
    expect(await found(hold(false), refusing)).toEqual({ throttled: true, asks: false });
    expect(await found(hold(true, { limits: budget }), refusing)).toEqual({ throttled: true, asks: true });
  });

  test.each([
    ["on another shard than the first", () => hold(true, { shard: 1 })],
    ["of a key that has its own shard", () => hold(true, { limits: { max_concurrency: 5 } })],
    ["of a key with a small budget", () => hold(true, { limits: smallBudget })],
    [
      "of a key with a cap beside its budget",
      () => hold(true, { limits: { ...budget, max_concurrency: 5 } }),
    ],
    ["on a subscription", () => ({ ...planHold(meter, planLimits()), request: hold(true).request })],
  ])("says nothing %s", async (_, asked) => {
    const admission = await refusing.admit(asked());
    expect(admission).toMatchObject({ error: "global_rate_limited" });
    expect(admission.rush).toBeUndefined();
  });
});

describe("an admission on the first item", () => {
  const fill = async (count: number, change: Parameters<typeof hold>[1] = {}) => {
    for (let left = count; left > 0; left--) await meters.admit(hold(false, change));
  };

  test.each([
    ["spread hours when the item has more than 8 holds", {}, 8],
    ["more shards, if it has these, when the item has more than 64", { spread: true } as const, 64],
  ])("asks for %s, its own among them", async (_, change, most) => {
    await fill(most - 1);
    expect(await found(hold(true, change))).toBeUndefined();
    expect(await found(hold(false, change))).toBeUndefined();
    expect(await found(hold(true, change))).toEqual({ throttled: false, asks: true });
  });

  test("does so too where it was joined with others", async () => {
    await fill(64);
    const admissions = await Promise.all([false, false, true].map((asks) => meters.admit(hold(asks))));
    expect(admissions.map(({ rush }) => rush)).toEqual([
      undefined,
      undefined,
      { throttled: false, asks: true },
    ]);
  });

  test("of a key that has its own shard, or a small budget, asks for nothing", async () => {
    await fill(100);
    for (const own of [{ max_concurrency: 200 }, smallBudget])
      expect(await found(hold(true, { limits: own }))).toBeUndefined();
    expect(await found(hold(true))).toEqual({ throttled: false, asks: true });
  });

  test("has no others to ask for on a subscription", async () => {
    const plan = await openPlan(db);
    const asked = () => planHold(plan, planLimits());
    for (let left = 70; left > 0; left--) await meters.admit(asked());
    expect((await meters.admit({ ...asked(), request: hold(true).request })).rush).toBeUndefined();
  });
});
