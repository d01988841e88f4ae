/** Settlements that are refused for load each time: a later one of the process ends their holds, by the same write. */
import { beforeEach, expect, test } from "vitest";
import { ThrottledError } from "#shared/base/platform/aws.ts";
import type { Ticket } from "#shared/books/meters/hold.ts";
import type { Meters } from "#shared/books/meters/meter.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { awsOverMemory } from "#test/support/aws-over.ts";
import { createMemoryDynamoDb, type MemoryDynamoDb } from "#test/support/memory-dynamodb.ts";
import { admit, noon, settlement, walletHold } from "#test/support/store.ts";

interface Update {
  UpdateExpression: string;
  ExpressionAttributeNames: Record<string, string>;
}

let db: MemoryDynamoDb;
let meters: Meters;
/** How many holds each settling write removed, in order. */
let sizes: number[];
/** Whether settling writes meet load. */
let isBusy: boolean;

beforeEach(async () => {
  [sizes, isBusy] = [[], false];
  db = createMemoryDynamoDb();
  const aws = awsOverMemory(
    db,
    (act, action, { UpdateExpression, ExpressionAttributeNames = {} }: Update) => {
      if (action !== "UpdateItem" || !UpdateExpression.includes("REMOVE")) return act();
      sizes.push(Object.values(ExpressionAttributeNames).filter((name) => name.startsWith("h")).length);
      if (isBusy) throw new ThrottledError("ThrottlingException", 400, {});
      return act();
    },
  );
  meters = createMeters(aws, db.tables);
  for (const meter of ["mtr_1", "mtr_2"]) {
    await meters.open(meter, 0, "payg");
    const credit = { organization: "org_1", meter, reference: meter, at: noon, points: 10n ** 20n };
    await createLedger(aws, db.tables).credit(credit);
  }
});

const cost = settlement({ points: 10n ** 17n, tokens: 30 });
const held = (meter = "mtr_1") => admit(meters, walletHold(meter, "1"));
const settle = (ticket: Ticket) => meters.settle(ticket, cost);
const wallet = async () => {
  const item = await meters.readMeter("mtr_1", 0);
  return { used: item?.used, holds: item?.holds.size };
};

/** Calls whose settlements all meet load. */
async function refused(count: number): Promise<Ticket[]> {
  const tickets: Ticket[] = [];
  for (let at = 0; at < count; at++) tickets.push(await held());
  isBusy = true;
  const settled = await Promise.allSettled(tickets.map(settle));
  expect(settled.every(({ status }) => status === "rejected")).toBe(true);
  isBusy = false;
  sizes.length = 0;
  return tickets;
}

test("the next settlement on the item ends the hold that was refused, by one write", async () => {
  const next = await held();
  await refused(1);
  expect(await wallet()).toEqual({ used: 0n, holds: 2 });
  expect(await settle(next)).toBe(true);
  expect([sizes, await wallet()]).toEqual([[2], { used: 2n * cost.points, holds: 0 }]);
  // It has ended, and burdens no other one.
  expect(await settle(await held())).toBe(true);
  expect(sizes).toEqual([2, 1]);
});

test("a settlement on another item does not", async () => {
  const elsewhere = await held("mtr_2");
  await refused(1);
  expect(await settle(elsewhere)).toBe(true);
  expect([sizes, await wallet()]).toEqual([[1], { used: 0n, holds: 1 }]);
});

test("one that is refused with it is kept as well", async () => {
  await refused(1);
  await refused(1);
  expect(await settle(await held())).toBe(true);
  expect([sizes, await wallet()]).toEqual([[3], { used: 3n * cost.points, holds: 0 }]);
});

test("many are ended by as many writes as their number needs", async () => {
  await refused(12);
  for (const holds of [3, 0, 0]) {
    expect(await settle(await held())).toBe(true);
    expect((await wallet()).holds).toBe(holds);
  }
  expect(sizes).toEqual([10, 4, 1]);
});

test("a hold that the sweep has settled meanwhile is charged once, and the next settlement succeeds", async () => {
  const [late] = await refused(1);
  const { request } = late?.hold ?? { request: "" };
  const next = await held();
  expect(await createMeters(awsOverMemory(db), db.tables).settle(late as Ticket, cost)).toBe(true);
  expect((await meters.readMeter("mtr_1", 0))?.holds.has(request)).toBe(false);
  expect(await settle(next)).toBe(true);
  expect(await wallet()).toEqual({ used: 2n * cost.points, holds: 0 });
  // Together, then each by itself.
  expect(sizes).toEqual([2, 1, 1]);
});
