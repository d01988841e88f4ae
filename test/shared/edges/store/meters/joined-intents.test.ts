/** Intents of one moment: which go together, and that each is written on its own condition, whatever becomes of others. */
import { beforeEach, describe, expect, test } from "vitest";
import { AwsError } from "#shared/base/platform/aws.ts";
import { TransportError } from "#shared/base/platform/http-client.ts";
import type { Intent } from "#shared/books/meters/intent.ts";
import type { Meters } from "#shared/books/meters/meter.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { awsOverMemory } from "#test/support/aws-over.ts";
import { createMemoryDynamoDb } from "#test/support/memory-dynamodb.ts";
import { intentOf, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

interface Request {
  Statements?: object[];
}

type Play = (act: () => object, request: Request) => object;

let meters: Meters;
/** The same meters for writes that no tick joins. */
let alone: Meters;
/** The requests that wrote intents: how many each wrote, 1 for a put by itself. */
let sizes: number[];
let ticks: (() => void)[];
/** What becomes of a batch. */
let play: Play;

beforeEach(() => {
  [sizes, ticks, play] = [[], [], (act) => act()];
  const db = createMemoryDynamoDb();
  const aws = awsOverMemory(
    db,
    (act, action, request: Request) => {
      if (action === "PutItem") sizes.push(1);
      if (action !== "BatchExecuteStatement") return act();
      sizes.push(request.Statements?.length ?? 0);
      return play(act, request);
    },
    2,
  );
  meters = createMeters(aws, db.tables, (act) => void ticks.push(act));
  alone = createMeters(awsOverMemory(db), db.tables, (act) => act());
});

const intents = (count: number) => Array.from({ length: count }, () => intentOf(walletHold("mtr_1", "1")));
const endTick = () => {
  for (const tick of ticks.splice(0)) tick();
};
/** Writes all of them in one tick. */
const intendAll = async (wanted: Intent[]) => {
  const intending = wanted.map((intent) => meters.intend(intent));
  endTick();
  return (await Promise.allSettled(intending)).map((each) =>
    each.status === "rejected" ? (each.reason as { key?: string }).key : "written",
  );
};
const kept = (wanted: Intent[]) => Promise.all(wanted.map(({ request }) => meters.intent(request)));
const all = (count: number) => Array.from({ length: count }, () => "written");

test("those of one tick are one request, at most 25", async () => {
  const wanted = intents(30);
  expect(await intendAll(wanted)).toEqual(all(30));
  expect(sizes).toEqual([25, 5]);
  expect(await kept(wanted)).toEqual(wanted);
});

test("one alone is a put, and so is a later attempt", async () => {
  const [first, second] = intents(2) as [Intent, Intent];
  const later = meters.intend(first, 2);
  expect(await intendAll([second])).toEqual(["written"]);
  await later;
  expect(sizes).toEqual([1, 1]);
});

test("an intent that is written twice in one tick is there once", async () => {
  const [one] = intents(1) as [Intent];
  expect(await intendAll([one, one])).toEqual(all(2));
  expect(sizes).toEqual([1, 1]);
  expect(await kept([one])).toEqual([one]);
});

test("one that was barred, or has a later attempt, stays as it is, and the others are written", async () => {
  const wanted = intents(3);
  const [barred, later] = wanted as [Intent, Intent];
  await alone.closeIntent(barred.request);
  await alone.intend({ ...later, shard: 2 }, 2);
  expect(await intendAll(wanted)).toEqual(["global_rate_limited", "global_rate_limited", "written"]);
  expect(await kept(wanted)).toEqual([undefined, { ...later, shard: 2 }, wanted[2]]);
});

test("a batch that arrives late changes nothing that was written since", async () => {
  const wanted = intents(2);
  const [barred, later] = wanted as [Intent, Intent];
  let late = (): object => ({});
  play = (act) => {
    late = act;
    throw new TransportError("sent", new Error("timeout"));
  };
  expect(await intendAll(wanted)).toEqual([undefined, undefined]);
  await alone.closeIntent(barred.request);
  await alone.intend({ ...later, shard: 2 }, 2);
  late();
  expect(await kept(wanted)).toEqual([undefined, { ...later, shard: 2 }]);
});

const refused: Play = (act, request) => {
  const [, ...others] = request.Statements ?? [];
  request.Statements = others;
  const { Responses } = act() as { Responses: object[] };
  return { Responses: [{ Error: { Code: "ThrottlingError" } }, ...Responses] };
};

test("what a batch does not write is written by itself", async () => {
  play = refused;
  const wanted = intents(3);
  expect(await intendAll(wanted)).toEqual(all(3));
  expect(sizes).toEqual([3, 1]);
  expect(await kept(wanted)).toEqual(wanted);
});

test("an intent is written once where the answer to its batch was lost", async () => {
  const wanted = intents(3);
  play = (act) => {
    play = (again) => again();
    act();
    throw new TransportError("sent", new Error("timeout"));
  };
  expect(await intendAll(wanted)).toEqual(all(3));
  expect(sizes).toEqual([3, 3, 1, 1, 1]);
  expect(await kept(wanted)).toEqual(wanted);
});

test("where a batch fails, those of another batch are written", async () => {
  const wanted = intents(26);
  play = () => {
    throw new AwsError("AccessDeniedException", 400, {});
  };
  expect((await intendAll(wanted)).map((each) => each ?? "failed")).toEqual([
    ...Array.from({ length: 25 }, () => "failed"),
    "written",
  ]);
});

describe("DynamoDB itself", () => {
  const { meters: real } = useStores();

  test("puts each of a batch where nothing is, and nothing else", async () => {
    const wanted = intents(4);
    const [written, barred, later] = wanted as [Intent, Intent, Intent];
    await real.intend(written);
    await real.closeIntent(barred.request);
    await real.intend({ ...later, shard: 2 }, 2);
    const intending = await Promise.allSettled(wanted.map((intent) => real.intend(intent)));
    expect(intending.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
    const found = await Promise.all(wanted.map(({ request }) => real.intent(request)));
    expect(found).toEqual([written, undefined, { ...later, shard: 2 }, wanted[3]]);
  });
});
