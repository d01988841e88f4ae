/**
 * Settlements of one moment: which are joined, and that joined ones do what single ones do, whatever becomes of them.
 */
import { beforeEach, describe, expect, test } from "vitest";
import { TransportError } from "#shared/base/platform/http-client.ts";
import type { Hold, Ticket } from "#shared/books/meters/hold.ts";
import type { Meters } from "#shared/books/meters/meter.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { awsOverMemory } from "#test/support/aws-over.ts";
import { createMemoryDynamoDb, type MemoryDynamoDb } from "#test/support/memory-dynamodb.ts";
import { admit, looking, noon, planHold, planLimits, settlement, walletHold } from "#test/support/store.ts";

interface Update {
  UpdateExpression: string;
  ExpressionAttributeNames: Record<string, string>;
}

const day = 86_400_000;

let db: MemoryDynamoDb;
let meters: Meters;
/** The same meters for admissions, which are joined in turns of the event loop. */
let admitting: Meters;
/** The updates that settled something, in order. */
let writes: Update[];
/** What becomes of the next settling updates; those after them go well. */
let fates: ("answer lost" | "request lost")[];
let ticks: (() => void)[];

beforeEach(async () => {
  [writes, fates, ticks] = [[], [], []];
  db = createMemoryDynamoDb();
  const aws = awsOverMemory(db, (act, action, input: Update) => {
    const isSettling = action === "UpdateItem" && input.UpdateExpression.includes("REMOVE");
    if (isSettling) writes.push(input);
    const fate = isSettling ? fates.shift() : undefined;
    const answer = fate === "request lost" ? {} : act();
    if (fate) throw new TransportError("sent", new Error("timeout"));
    return answer;
  });
  meters = createMeters(aws, db.tables, (act) => void ticks.push(act));
  admitting = createMeters(aws, db.tables);
  for (const meter of ["mtr_1", "mtr_2"]) {
    await meters.open(meter, 0, "payg");
    await meters.open(`${meter}_plan`, 0, "subscription");
    const credit = { organization: "org_1", meter, reference: meter, at: noon, points: 10n ** 20n };
    await createLedger(aws, db.tables).credit(credit);
  }
  await meters.openShard("mtr_1", 1, 2);
  await meters.useShard("mtr_1", 1, new Map());
});

const cost = settlement({ points: 10n ** 17n, tokens: 30 });
const admitAll = async (holds: Hold[]) => {
  const tickets: Ticket[] = [];
  for (const hold of holds) tickets.push(await admit(admitting, hold));
  return tickets;
};
const wallets = (count: number, meter = "mtr_1") =>
  admitAll(Array.from({ length: count }, () => walletHold(meter, "1")));
/** Settles all of them in one tick. */
const settleAll = async (tickets: Ticket[]) => {
  writes.length = 0;
  const settling = tickets.map((ticket) => meters.settle(ticket, cost));
  for (const tick of ticks.splice(0)) tick();
  return await Promise.allSettled(settling);
};
const outcomes = (settled: PromiseSettledResult<boolean>[]) =>
  settled.map((each) => (each.status === "fulfilled" ? each.value : "failed"));
/** How many holds each settling write removed. */
const sizes = () =>
  writes.map(
    ({ ExpressionAttributeNames: names }) => Object.values(names).filter((name) => /^h/.test(name)).length,
  );
const meter = async (id = "mtr_1") => {
  const item = await meters.readMeter(id, 0);
  return { avail: item?.avail, used: item?.used, holds: item?.holds.size };
};

test("settlements of one tick on one item are one write", async () => {
  expect(outcomes(await settleAll(await wallets(3)))).toEqual([true, true, true]);
  expect(sizes()).toEqual([3]);
  expect(await meter()).toEqual({ avail: 10n ** 20n - 3n * 10n ** 17n, used: 3n * 10n ** 17n, holds: 0 });
});

test("a settlement alone is the write that it was without the others", async () => {
  const [ticket] = await wallets(1);
  await settleAll([ticket as Ticket]);
  expect(writes[0]?.UpdateExpression).toBe("ADD #0 :0, #1 :1 REMOVE #2");
});

test("other items and other shards have writes of their own", async () => {
  const shard = { ...walletHold("mtr_1", "0"), shard: 1 };
  const tickets = [...(await wallets(2)), ...(await wallets(2, "mtr_2")), ...(await admitAll([shard]))];
  expect(outcomes(await settleAll(tickets))).toEqual([true, true, true, true, true]);
  expect(sizes().sort()).toEqual([1, 2, 2]);
});

test("one write settles ten at most", async () => {
  expect(outcomes(await settleAll(await wallets(23)))).toEqual(Array(23).fill(true));
  expect(sizes()).toEqual([10, 10, 3]);
});

test("a hold that is settled twice in one tick is settled once", async () => {
  const [one, other] = (await wallets(2)) as [Ticket, Ticket];
  expect(outcomes(await settleAll([one, other, one]))).toEqual([true, true, false]);
  expect(await meter()).toMatchObject({ used: 2n * 10n ** 17n, holds: 0 });
});

test("where one hold is gone the others are settled by themselves", async () => {
  const tickets = await wallets(3);
  await meters.seize("mtr_1", 0, tickets[1]?.hold.request ?? "");
  expect(outcomes(await settleAll(tickets))).toEqual([true, false, true]);
  expect(sizes()).toEqual([3, 1, 1, 1]);
  expect(await meter()).toMatchObject({ used: 2n * 10n ** 17n, holds: 0 });
});

describe("where nobody knows the outcome", () => {
  test.each([
    ["answer lost", 3n],
    ["request lost", 0n],
  ] as const)("(%s) all fail, and none is ever settled twice", async (fate, settled) => {
    const tickets = await wallets(3);
    fates = [fate];
    expect(outcomes(await settleAll(tickets))).toEqual(["failed", "failed", "failed"]);
    expect(sizes()).toEqual([3]);
    expect(await meter()).toMatchObject({ used: settled * 10n ** 17n });
    await settleAll(tickets);
    expect(await meter()).toEqual({ avail: 10n ** 20n - 3n * 10n ** 17n, used: 3n * 10n ** 17n, holds: 0 });
  });
});

test("each leaves the mark that its admission asks for", async () => {
  const [one, other] = (await wallets(2)) as [Ticket, Ticket];
  await settleAll([{ ...one, outcomeUnknown: true }, other]);
  expect(await admitting.admit(one.hold)).toMatchObject({ error: "global_rate_limited" });
  expect(await admitting.admit(other.hold)).toMatchObject({ admitted: true });
});

test("joined or not, settlements leave the same subscription", async () => {
  const limits = planLimits({ rpm: 60, tpm: 10_000 });
  const left: unknown[] = [];
  for (const [id, together] of [
    ["mtr_1_plan", true],
    ["mtr_2_plan", false],
  ] as const) {
    const holds = [5, 50, 30].map((tokens, at) => planHold(id, limits, tokens, noon + at));
    const tickets = await admitAll(holds);
    if (together) await settleAll(tickets);
    else for (const ticket of tickets) await settleAll([ticket]);
    const item = db.items("counters").find(({ pk }) => pk?.S === `M#${id}#0`) ?? {};
    left.push(Object.fromEntries(Object.entries(item).filter(([name]) => name !== "pk")));
  }
  expect(left[0]).toEqual(left[1]);
});

test("what one of them counts on stays, although another one finds it out of use", async () => {
  const id = "mtr_1_plan";
  const [old, young] = [5, 7].map((tokens, at) => planHold(id, planLimits(), tokens, noon + 3 * at * day));
  const tickets = await admitAll([old as Hold, young as Hold]);
  writes.length = 0;
  const settling = tickets.map((ticket) => meters.settle(ticket, { ...cost, at: ticket.hold.at + 1000 }));
  for (const tick of ticks.splice(0)) tick();
  expect(await Promise.all(settling)).toEqual([true, true]);
  const item = db.items("counters").find(({ pk }) => pk?.S === `M#${id}#0`) ?? {};
  expect(sizes()).toEqual([2]);
  expect(item[`d${Math.floor(noon / day)}`]).toEqual({ N: "30" });
});

test("together they remove no more unused names than one write would", async () => {
  const keys = Array.from({ length: 120 }, (_, at) => `key_${String(at).padStart(26, "0")}`);
  const limits = { budget_points: "1000", budget_period: "day" } as const;
  for (const key of keys) {
    const ticket = await admit(admitting, { ...walletHold("mtr_1", "0.1", noon, key), limits });
    await settleAll([ticket]);
  }
  const later = (at: number) => looking(walletHold("mtr_1", "1", noon + 5 * day + at));
  const tickets = (await admitAll([later(0), later(1)])) as [Ticket, Ticket];
  writes.length = 0;
  const end = { ...cost, at: noon + 5 * day + 10 };
  const settling = tickets.map((ticket) => meters.settle(ticket, end));
  for (const tick of ticks.splice(0)) tick();
  expect(await Promise.all(settling)).toEqual([true, true]);
  const removed = Object.values(writes[0]?.ExpressionAttributeNames ?? {}).filter((name) =>
    name.includes(":b"),
  );
  expect(removed.length).toBeGreaterThan(0);
  expect(removed.length).toBeLessThanOrEqual(100);
});

test("as many unused names go as come, however many calls end together", async () => {
  const id = "mtr_1_plan";
  const sizesAfter: number[] = [];
  for (let hour = 0; hour < 6; hour++) {
    const at = noon + hour * 3_600_000;
    // Each call leaves two counters of its own millisecond: the plan's, and that of its key.
    const holds = Array.from({ length: 10 }, (_, ms) => ({
      ...planHold(id, planLimits({ rpm: 60 }), 5, at + ms),
      limits: { rpm: 60 },
    }));
    const tickets = await admitAll(holds);
    const settling = tickets.map((ticket) => meters.settle(ticket, { ...cost, tokens: 5, at: at + 20 }));
    for (const tick of ticks.splice(0)) tick();
    await Promise.all(settling);
    const item = db.items("counters").find(({ pk }) => pk?.S === `M#${id}#0`) ?? {};
    sizesAfter.push(Object.keys(item).filter((name) => /^(?:k.{10}:)?s/.test(name)).length);
  }
  expect(sizesAfter).toEqual(Array(6).fill(20));
});
