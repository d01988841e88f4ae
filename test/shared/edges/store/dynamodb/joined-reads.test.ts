/** Reads that are joined, on the embedded DynamoDB, and on a played one that is under load. */
import { expect, test } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import { type Item, toItem } from "#shared/edges/store/dynamodb/attributes.ts";
import { cacheEntryKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { putItem } from "#shared/edges/store/dynamodb/items.ts";
import { createJoinedRead } from "#shared/edges/store/dynamodb/joined-reads.ts";
import { counting } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const { cache: table } = db.tables;

let scopes = 0;
const newKey = () => cacheEntryKey(`scope-${++scopes}`, "name");
const itemAt = (key: Item, value: string): Item => ({ ...key, ...toItem({ value }) });

/** Items that are there, by their keys. */
async function putItems(keys: Item[]): Promise<Item[]> {
  const items = keys.map((key, at) => itemAt(key, `value ${at}`));
  await Promise.all(items.map((item) => putItem(db.aws, table, item, [])));
  return items;
}

/** Joined reads, the requests that they make, and the end of the moment. */
function createReading(aws: Aws = db.aws) {
  const requests: string[] = [];
  const watched = ((service, action, input) => {
    requests.push(action);
    return aws(service, action, input);
  }) as Aws;
  const ticks: (() => void)[] = [];
  const read = createJoinedRead(watched, table, (act) => void ticks.push(act));
  const readAll = (keys: Item[]) => {
    const reads = keys.map(read);
    for (const act of ticks.splice(0)) act();
    return Promise.allSettled(reads);
  };
  return { requests, readAll };
}

const given = (value: Item | undefined) => ({ status: "fulfilled", value });

test("one item is read by itself", async () => {
  const { requests, readAll } = createReading();
  const keys = [newKey()];
  const [item] = await putItems(keys);
  expect(await readAll(keys)).toEqual([given(item)]);
  expect(await readAll([newKey()])).toEqual([given(undefined)]);
  expect(requests).toEqual(["GetItem", "GetItem"]);
});

test("what is asked in one moment is one request, and each gets the item of its own key", async () => {
  const { requests, readAll } = createReading();
  const [first, none, second] = [newKey(), newKey(), newKey()];
  const [one, two] = await putItems([first, second]);
  expect(await readAll([second, none, first])).toEqual([given(two), given(undefined), given(one)]);
  expect(requests).toEqual(["BatchGetItem"]);
});

test("a key that is asked for twice is read once", async () => {
  const { requests, readAll } = createReading();
  const [same, other] = [newKey(), newKey()];
  const [item] = await putItems([same]);
  expect(await readAll([same, same])).toEqual([given(item), given(item)]);
  expect(await readAll([same, other, same])).toEqual([given(item), given(undefined), given(item)]);
  expect(requests).toEqual(["GetItem", "BatchGetItem"]);
});

test("a request asks for 25 items at most", async () => {
  const { requests, readAll } = createReading();
  const keys = Array.from({ length: 51 }, newKey);
  const items = await putItems(keys);
  expect(await readAll(keys)).toEqual(items.map(given));
  expect(requests).toEqual(["BatchGetItem", "BatchGetItem", "GetItem"]);
});

test("an item costs half a unit, as by itself", async () => {
  const { aws, units } = counting(db.aws);
  const { readAll } = createReading(aws);
  const keys = [newKey(), newKey(), newKey()];
  await putItems(keys);
  await readAll(keys);
  expect(Object.fromEntries(units)).toEqual({ BatchGetItem: 1.5 });
});

/** An AWS whose DynamoDB answers so. */
const answering = (answer: () => object) => (async () => answer()) as unknown as Aws;

test("what DynamoDB leaves out is rejected, and nothing else is", async () => {
  const [left, read, none] = [newKey(), newKey(), newKey()];
  const item = itemAt(read, "x");
  const { requests, readAll } = createReading(
    answering(() => ({
      Responses: { [table]: [item] },
      UnprocessedKeys: { [table]: { Keys: [left] } },
    })),
  );
  const reason = new Error("DynamoDB left the item out of a batch");
  expect(await readAll([left, read, none])).toEqual([
    { status: "rejected", reason },
    given(item),
    given(undefined),
  ]);
  expect(requests).toEqual(["BatchGetItem"]);
});

test("a request that fails is sent once, and rejects everybody in it", async () => {
  const reason = new Error("no answer");
  const { requests, readAll } = createReading(
    answering(() => {
      throw reason;
    }),
  );
  const rejected = { status: "rejected", reason };
  expect(await readAll([newKey(), newKey()])).toEqual([rejected, rejected]);
  expect(requests).toEqual(["BatchGetItem"]);
});
