/** The schedule's pass over the meters on the embedded DynamoDB: which it reads, and where it goes on. */
import { beforeEach, expect, test } from "vitest";
import { type Aws, AwsError } from "#shared/base/platform/aws.ts";
import { idDigits, newId } from "#shared/base/platform/id.ts";
import type { Meter, Meters } from "#shared/books/meters/meter.ts";
import { pass } from "#shared/edges/jobs/pass.ts";
import { markOf } from "#shared/edges/store/meters/mark.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { createThresholds } from "#shared/edges/store/thresholds.ts";
import { startDynamoDb } from "#test/support/dynamodb.ts";
import { intentOf, noon, settlement, walletHold } from "#test/support/store.ts";
import { monthly, spend, toldTo, withBudgets } from "#test/support/thresholds.ts";
import { newWallet, storesOn } from "#test/support/wallets.ts";

const day = 86_400_000;
const hour = 3_600_000;

let db: Awaited<ReturnType<typeof startDynamoDb>>;
let meters: Meters;
beforeEach(async () => {
  db = await startDynamoDb();
  meters = createMeters(db.aws, db.tables);
  return async () => await db.stop();
});

/** A pass at an instant, and how many meters it read. */
async function passAt(at: number, aws: Aws = db.aws, until?: number) {
  const noTask = () => Promise.reject(new Error("there is no task"));
  const workflow = { start: noTask, stop: noTask };
  const thresholds = createThresholds(aws, db.tables);
  const none = { plan: () => undefined, topUp: async () => {}, workflow, lifetimeSeconds: 1 };
  const deps = { ...storesOn(aws, db), tasks: createTasks(aws, db.tables), thresholds, ...none };
  const result = await pass(until === undefined ? {} : { until }, { ...deps, now: () => at });
  expect(result.failed).toBe(0);
  return result;
}

/** A wallet whose id ends so. */
async function walletIn(partition: string): Promise<string> {
  const meter = newId("meter", noon).slice(0, -1) + partition;
  await meters.open(meter, 0, "payg");
  return meter;
}

/** A call that was let in and whose process died. */
async function deadCall(meter: string, at: number) {
  const hold = walletHold(meter, "0", at);
  await Promise.all([meters.admit(hold), meters.intend(intentOf(hold))]);
  return hold;
}

const markOn = async (meter: string) => (await meters.readMeter(meter, 0))?.marked;

test("reads every meter once an hour, and between only those that took a call", async () => {
  const [busy, idle] = [await walletIn("0"), await walletIn("Z")];
  expect((await passAt(noon)).meters).toBe(2);
  await deadCall(busy, noon);
  expect(await passAt(noon + hour - 1)).toMatchObject({ meters: 1, seized: 1 });
  expect((await meters.readMeter(busy, 0))?.holds.size).toBe(0);
  await deadCall(idle, noon);
  expect((await passAt(noon + hour)).meters).toBe(2);
  expect((await passAt(noon + hour + 1)).meters).toBe(2);
});

test("finds a dead call whatever the meter's id ends in", async () => {
  await passAt(noon);
  for (const partition of idDigits) await deadCall(await walletIn(partition), noon);
  expect(await passAt(noon + hour - 1)).toMatchObject({ meters: 32, holds: 32, seized: 32 });
});

test("takes the mark of a meter that had no call since the day before yesterday, and no other", async () => {
  const [old, recent, holding, sharded] = [
    await walletIn("A"),
    await walletIn("B"),
    await walletIn("C"),
    await walletIn("D"),
  ];
  const ended = async (meter: string, at: number) => {
    const hold = walletHold(meter, "0", at);
    const admission = await meters.admit(hold);
    if (!admission.admitted) throw new Error("refused");
    await meters.settle(admission.ticket, settlement({ at }));
  };
  await Promise.all([ended(old, noon), ended(recent, noon + day), ended(sharded, noon)]);
  const task = { ...walletHold(holding, "0", noon), request: newId("task", noon + 2 * day + hour) };
  await meters.admit(task);
  await meters.openShard(sharded, 1, 1);
  await db.aws("dynamodb", "UpdateItem", {
    TableName: db.tables.counters,
    Key: { pk: { S: `M#${sharded}#0` } },
    UpdateExpression: "SET opened = :two",
    ExpressionAttributeValues: { ":two": { N: "2" } },
  });
  await passAt(noon + 2 * day + hour);
  expect(await markOn(old)).toBeNull();
  for (const meter of [recent, holding, sharded]) expect(await markOn(meter)).toEqual(expect.any(String));
  // It is found again with its next call.
  await ended(old, noon + 2 * day + hour);
  expect(await markOn(old)).toBe(markOf(old, noon + 2 * day + hour).marked?.S);
});

test("leaves the mark of a call that came after the meter was read", async () => {
  const meter = await walletIn("7");
  const ended = await deadCall(meter, noon);
  await passAt(noon + hour);
  const read = (await meters.readMeter(meter, 0)) as Meter;
  expect(read.holds.has(ended.request)).toBe(false);
  await deadCall(meter, noon + 3 * day);
  await meters.unmark(read, noon + 3 * day);
  expect(await markOn(meter)).toBe(markOf(meter, noon + 3 * day).marked?.S);
});

test("that has no more time is gone on with, and no meter is left out", async () => {
  const wallets = await Promise.all(Array.from({ length: 60 }, (_, at) => walletIn(idDigits[at % 32] ?? "")));
  const read: number[] = [];
  for (let at = noon; read.at(-1) !== 0 && at < noon + 10; at++) {
    // Each has time for one page.
    read.push((await passAt(at, db.aws, at)).meters);
    if ((await meters.passState()).next === undefined) break;
  }
  expect(read).toEqual([25, 25, 10]);
  for (const meter of wallets) await deadCall(meter, noon);
  const pages: number[] = [];
  let seized = 0;
  for (let at = noon + hour - 1_000; pages.length < 40; at++) {
    const result = await passAt(at, db.aws, at);
    pages.push(result.meters);
    seized += result.seized;
    if ((await meters.passState()).next === undefined) break;
  }
  // A page is a partition here.
  expect([pages.length, seized]).toEqual([32, 60]);
});

test("reads every meter of a table without the index, and another refusal ends it", async () => {
  const meter = await walletIn("5");
  await passAt(noon);
  await deadCall(meter, noon);
  const refusing =
    (code: string): Aws =>
    async (service, action, input, delivery) => {
      if (JSON.stringify(input).includes('"IndexName":"marked"')) throw new AwsError(code, 400, {});
      return await db.aws(service, action, input, delivery);
    };
  await expect(passAt(noon + hour - 1, refusing("AccessDeniedException"))).rejects.toThrow("AccessDenied");
  expect(await passAt(noon + hour - 1, refusing("ValidationException"))).toMatchObject({ seized: 1 });
});

test("tells of a threshold: of every meter once an hour, and between of those that took a call", async () => {
  const wallet = await newWallet(db, "100");
  const organization = await withBudgets(db, wallet, [monthly("10")]);
  await passAt(noon);
  await spend(db, organization, "5", { at: noon + 1 });
  await passAt(noon + hour - 1);
  expect(await toldTo(db, organization)).toEqual([50]);
  // No call comes any more, but the budget is lowered.
  await withBudgets(db, organization, [monthly("6")]);
  await passAt(noon + 3 * day);
  await withBudgets(db, organization, [monthly("5")]);
  await passAt(noon + 3 * day + hour - 1);
  expect(await toldTo(db, organization)).toEqual([50, 50, 80]);
  await passAt(noon + 3 * day + hour);
  expect(await toldTo(db, organization)).toEqual([50, 50, 80, 50, 80, 100]);
});
