/** Reading many items at once: their order, and what DynamoDB leaves out under load. */
import { describe, expect, test } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import { type Item, toItem } from "#shared/edges/store/dynamodb/attributes.ts";
import { itemKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { getItems, pagesAhead } from "#shared/edges/store/dynamodb/items.ts";
import { awsOverMemory } from "#test/support/aws-over.ts";
import { createMemoryDynamoDb } from "#test/support/memory-dynamodb.ts";

type Batch = { RequestItems: Record<string, { Keys: Item[] }> };

const key = (n: number) => itemKey(`a${n}`, "-");

/** A database with ten items in each of two tables. */
function filled() {
  const db = createMemoryDynamoDb();
  for (let n = 0; n < 10; n++) {
    db.act("PutItem", { TableName: "keys", Item: { ...key(n), ...toItem({ table: "keys", n }) } });
    db.act("PutItem", { TableName: "accounts", Item: { ...key(n), ...toItem({ table: "accounts", n }) } });
  }
  return db;
}

describe("items by their keys", () => {
  test("come in the order of the keys, from whichever table, and undefined where there is none", async () => {
    const aws = awsOverMemory(filled());
    const wanted = [
      { table: "keys", key: key(3) },
      { table: "accounts", key: key(3) },
      { table: "keys", key: key(77) },
      { table: "keys", key: key(0) },
    ];
    const found = await getItems(aws, wanted);
    expect(found.map((item) => item && [item.table?.S, item.n?.N])).toEqual([
      ["keys", "3"],
      ["accounts", "3"],
      undefined,
      ["keys", "0"],
    ]);
    expect(await getItems(aws, [])).toEqual([]);
  });

  test("that DynamoDB leaves out are asked for again, and no others", async () => {
    const db = filled();
    const asked: number[] = [];
    // It gives one item a time.
    const aws = awsOverMemory<Batch>(db, (_, action, { RequestItems }) => {
      const all = Object.entries(RequestItems).flatMap(([table, { Keys }]) =>
        Keys.map((each) => [table, each] as const),
      );
      asked.push(all.length);
      const [first, ...rest] = all;
      const [table = "", own = {}] = first ?? [];
      const UnprocessedKeys: Record<string, { Keys: Item[] }> = {};
      for (const [name, each] of rest)
        UnprocessedKeys[name] = { Keys: [...(UnprocessedKeys[name]?.Keys ?? []), each] };
      return { ...db.act(action, { RequestItems: { [table]: { Keys: [own] } } }), UnprocessedKeys };
    });
    const wanted = [0, 1, 2].flatMap((n) => ["keys", "accounts"].map((table) => ({ table, key: key(n) })));
    const found = await getItems(aws, wanted);
    expect(found.map((item) => `${item?.table?.S} ${item?.n?.N}`)).toEqual(
      [0, 1, 2].flatMap((n) => [`keys ${n}`, `accounts ${n}`]),
    );
    expect(asked).toEqual([6, 5, 4, 3, 2, 1]);
  });

  test("that stay out are an error, and not a missing item", async () => {
    const aws = awsOverMemory<Batch>(filled(), (_, __, { RequestItems }) => ({
      Responses: {},
      UnprocessedKeys: RequestItems,
    }));
    await expect(getItems(aws, [{ table: "keys", key: key(1) }])).rejects.toThrow("again and again");
  });

  test("are at most 100", async () => {
    const wanted = Array.from({ length: 101 }, (_, n) => ({ table: "keys", key: key(n) }));
    await expect(getItems(awsOverMemory(filled()), wanted)).rejects.toThrow(RangeError);
  });
});

describe("pages that are read ahead", () => {
  const [input, pageItems] = [{ TableName: "keys" }, 3];

  test("are asked for while the one before is used, and each once", async () => {
    const db = createMemoryDynamoDb({ pageItems });
    for (let n = 0; n < 10; n++) db.act("PutItem", { TableName: "keys", Item: key(n) });
    let asked = 0;
    const counted: Aws = (...call) => {
      asked += 1;
      return awsOverMemory(db)(...call);
    };
    const seen: number[] = [];
    let items = 0;
    for await (const page of pagesAhead(counted, "Scan", input)) {
      seen.push(asked);
      items += page.length;
    }
    expect({ seen, items }).toEqual({ seen: [2, 3, 4, 4], items: 10 });
  });

  test("that fail fail for whoever comes to them, and for nobody who has stopped", async () => {
    let asked = 0;
    const failing = (async () => {
      asked += 1;
      if (asked > 1) throw new Error("away");
      return { Items: [key(1)], LastEvaluatedKey: key(1) };
    }) as unknown as Aws;
    for await (const page of pagesAhead(failing, "Scan", input)) {
      expect(page).toEqual([key(1)]);
      break;
    }
    expect(asked).toBe(2);
    asked = 0;
    await expect(Array.fromAsync(pagesAhead(failing, "Scan", input))).rejects.toThrow("away");
  });
});
