/** The DynamoDB in memory against the embedded one: both answer alike, and the same commands leave the same books. */
import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import { hourOf, nextHour } from "#shared/books/billing/period.ts";
import { formatPoints } from "#shared/books/billing/points.ts";
import { budgetName, type Hold, type Ticket, ticketOf } from "#shared/books/meters/hold.ts";
import { type Item, toAttribute } from "#shared/edges/store/dynamodb/attributes.ts";
import {
  absent,
  absentOrAtMost,
  absentOrBelow,
  atLeast,
  type Change,
  type Condition,
  equals,
  exists,
  putInput,
  updateInput,
} from "#shared/edges/store/dynamodb/expressions.ts";
import { put, update } from "#shared/edges/store/dynamodb/transaction.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { outcome } from "#test/shared/edges/store/dynamodb/dynamodb-outcome.ts";
import { awsOverMemory } from "#test/support/aws-over.ts";
import { budgetOf } from "#test/support/budgets.ts";
import { createMemoryDynamoDb } from "#test/support/memory-dynamodb.ts";
import {
  eventOf,
  intentOf,
  noon,
  planHold,
  planLimits,
  settlement,
  walletHold,
} from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const { db: real } = useStores();
const memory = createMemoryDynamoDb();
const inMemory = awsOverMemory(memory);

const names = ["a", "b", "c", "d", "e"] as const;
const name = fc.constantFrom(...names);
const amount = fc.oneof(fc.bigInt({ min: -3n, max: 3n }), fc.bigInt({ min: -(10n ** 37n), max: 10n ** 37n }));
type Value = Item[string];
const attribute: fc.Arbitrary<Value> = fc.oneof(
  { weight: 3, arbitrary: amount.map(toAttribute) },
  { weight: 2, arbitrary: fc.constantFrom("x", "y", "70.20261121", "").map(toAttribute) },
  { weight: 1, arbitrary: fc.constantFrom(true, null, [1, { deep: "1" }], { a: { b: 2 } }).map(toAttribute) },
);
const condition: fc.Arbitrary<Condition> = fc.oneof(
  name.map(exists),
  name.map(absent),
  fc.tuple(name, attribute).map(([each, value]) => equals(each, value)),
  fc.tuple(name, amount).map(([each, bound]) => atLeast(each, bound)),
  fc.tuple(name, fc.integer({ min: -3, max: 3 })).map(([each, bound]) => absentOrBelow(each, bound)),
  fc.tuple(name, amount).map(([each, bound]) => absentOrAtMost(each, bound)),
);
const conditions = fc.array(condition, { maxLength: 2 });

/** A table with and one without a sort key; a few places in each, so that operations meet. */
const place = fc.record({ table: fc.constantFrom("counters", "ledger"), n: fc.nat(2) });
type Place = { table: "counters" | "ledger"; n: number };

interface Operation {
  kind: "put" | "update";
  place: Place;
  when: Condition[];
  item: Item;
  change: Pick<Change, "set" | "add" | "remove" | "rename">;
}

const operation: fc.Arbitrary<Operation> = fc.record({
  kind: fc.constantFrom("put", "update", "update"),
  place,
  when: conditions,
  item: fc.dictionary(name, attribute, { maxKeys: 4 }),
  change: fc
    .tuple(
      fc.shuffledSubarray([...names], { minLength: 1 }),
      fc.array(fc.nat(3), { minLength: 5, maxLength: 5 }),
      attribute,
      amount,
    )
    .map(([subset, kinds, value, added]) => changeOf(subset, kinds, value, added)),
}) as fc.Arbitrary<Operation>;

/** Each name goes to one clause; the first two of a long subset are a rename. */
function changeOf(subset: string[], kinds: number[], value: Value, added: bigint): Operation["change"] {
  const [from, to, ...others] = subset;
  const renames = kinds[0] === 0 && from !== undefined && to !== undefined;
  const rest = renames ? others : subset;
  const of = (kind: number) => rest.filter((_, i) => (kinds[i + 1] ?? 1) % 3 === kind);
  const change = {
    set: Object.fromEntries(of(0).map((each) => [each, value])),
    add: Object.fromEntries(of(1).map((each) => [each, added])),
    remove: of(2),
  };
  return renames ? { ...change, rename: { from, to } } : change;
}

let cases = 0;
/** The same steps on both databases, each in a corner of its own; `compare` is told both sides. */
async function onBoth(steps: (aws: Aws, tables: Record<string, string>, corner: string) => Promise<unknown>) {
  const corner = `c${cases++}`;
  const expected = await steps(real.aws, real.tables, corner);
  expect(await steps(inMemory, memory.tables, corner)).toEqual(expected);
}

const keyOf = (corner: string, { table, n }: Place): Item =>
  table === "counters" ? { pk: { S: `${corner}#${n}` } } : { pk: { S: corner }, sk: { S: String(n) } };

function actionOf(tables: Record<string, string>, corner: string, each: Operation): TransactWriteItem {
  const table = tables[each.place.table] ?? "";
  const key = keyOf(corner, each.place);
  if (each.kind === "put") return put(table, { ...each.item, ...key }, each.when);
  return update({ table, key, ...each.change, when: each.when });
}

describe("single writes and transactions", () => {
  test("are answered alike", { timeout: 120_000 }, async () => {
    const transaction = fc
      .uniqueArray(operation, { minLength: 1, maxLength: 4, selector: ({ place }) => JSON.stringify(place) })
      .map((parts) => ({ parts, again: parts.length % 2 === 0 }));
    const step = fc.oneof(
      { weight: 3, arbitrary: operation.map((one) => ({ one })) },
      { weight: 1, arbitrary: transaction.map((many) => ({ many })) },
    );
    const law = fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 10 }), async (steps) =>
      onBoth(async (aws, tables, corner) => {
        const outcomes: unknown[] = [];
        for (const [i, each] of steps.entries()) {
          if ("one" in each) {
            const { kind, place, item, change, when } = each.one;
            const key = keyOf(corner, place);
            const table = tables[place.table] ?? "";
            const input =
              kind === "put"
                ? putInput(table, { ...item, ...key }, when)
                : updateInput({ table, key, ...change, when });
            const asking = { ...input, ReturnValuesOnConditionCheckFailure: "ALL_OLD" };
            const after = kind === "put" ? {} : { ReturnValues: "ALL_NEW" };
            outcomes.push(
              await outcome(aws, kind === "put" ? "PutItem" : "UpdateItem", { ...asking, ...after }),
            );
          } else {
            const TransactItems = each.many.parts.map((part) => actionOf(tables, corner, part));
            const input = { TransactItems, ClientRequestToken: `${corner}-${i}` };
            outcomes.push(await outcome(aws, "TransactWriteItems", input));
            if (each.many.again) outcomes.push(await outcome(aws, "TransactWriteItems", input));
          }
        }
        for (const n of [0, 1, 2]) {
          const input = { TableName: tables.counters, Key: keyOf(corner, { table: "counters", n }) };
          outcomes.push(await outcome(aws, "GetItem", { ...input, ConsistentRead: true }));
        }
        const RequestItems = Object.fromEntries(
          (["counters", "ledger"] as const).map((table) => {
            const Keys = [0, 1, 2].map((n) => keyOf(corner, { table, n }));
            return [tables[table], { Keys, ConsistentRead: true }];
          }),
        );
        const batch = await outcome(aws, "BatchGetItem", { RequestItems });
        outcomes.push(["counters", "ledger"].map((table) => foundIn(batch, tables[table] ?? "")));
        const all = {
          KeyConditionExpression: "pk = :pk",
          ExpressionAttributeValues: { ":pk": { S: corner } },
        };
        outcomes.push(
          await outcome(aws, "Query", { TableName: tables.ledger, ConsistentRead: true, ...all }),
        );
        return outcomes.map(withoutScans);
      }),
    );
    await fc.assert(law, { numRuns: 250, seed: 20_261_121 });
  });
});

/** What a batch has found in one table, in an order that says nothing. */
function foundIn(batch: unknown, table: string): string[] {
  const { Responses } = batch as { Responses: Record<string, Item[]> };
  return (Responses[table] ?? []).map((item) => JSON.stringify(Object.entries(item).sort())).sort();
}

/** A query's answer without what it says of its own work. */
const withoutScans = (answer: unknown) => ({ ...(answer as object), ScannedCount: undefined });

test("queries page alike, forwards and backwards, also from a key that is gone", async () => {
  await onBoth(async (aws, tables, corner) => {
    const TableName = tables.ledger;
    for (const sk of ["b", "a", "d", "c", "e"]) {
      await aws("dynamodb", "PutItem", {
        TableName,
        Item: { pk: { S: corner }, sk: { S: sk }, n: { N: "1.50" } },
      });
    }
    const query = (ScanIndexForward: boolean, from: string) =>
      outcome(aws, "Query", {
        TableName,
        ConsistentRead: true,
        KeyConditionExpression: "pk = :pk AND sk BETWEEN :first AND :last",
        ExpressionAttributeValues: { ":pk": { S: corner }, ":first": { S: "a" }, ":last": { S: "d" } },
        Limit: 2,
        ScanIndexForward,
        ...(from && { ExclusiveStartKey: { pk: { S: corner }, sk: { S: from } } }),
      });
    const pages = [
      await query(true, ""),
      await query(true, "b"),
      await query(true, "bb"),
      await query(false, "c"),
    ];
    return pages.map(withoutScans);
  });
});

/** A command to the stores about one of four holds; the last number chooses what comes of it. */
const commands = "admit intend settle seize settleSeized close record sweep credit refund".split(" ");
const command = fc.record({
  what: fc.constantFrom(...commands),
  hold: fc.nat(3),
  cost: fc.nat(40),
});

test("the same commands leave the same books", { timeout: 120_000 }, async () => {
  const law = fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 30 }), async (given) => {
    const id = `mtr_${cases}`;
    const organization = `org_${cases}`;
    const wallet = { organization, meter: `${id}w`, at: noon };
    const limited = planLimits({ quota: 2, rpm: 2, tpm: 200 });
    const key = `key_${"0".repeat(26)}`;
    const holds = [
      walletHold(`${id}w`, "3"),
      walletHold(`${id}w`, "2"),
      planHold(`${id}s`, limited, 90),
      planHold(`${id}s`, limited, 150, noon + 1),
    ];
    // Half of the time the key has a budget, which does not cover all of its calls.
    const own = { limits: budgetOf("4", "total"), listPoints: 25n * 10n ** 17n };
    const events = holds.map((hold) => ({ ...hold, key, ...(cases % 2 && own) }));
    const counter = cases % 2 ? { budget: budgetName(key, "bt") } : {};
    const swept = { source: "sweeper", calls: 1, list_points: "0.1", ...counter } as const;
    await onBoth(async (aws, tables) => {
      const meters = createMeters(aws, tables as never);
      const ledger = createLedger(aws, tables as never, () => noon);
      await meters.open(`${id}w`, 0, "payg");
      await meters.open(`${id}s`, 0, "subscription");
      const outcomes: unknown[] = [];
      const tickets = new Map<Hold, Ticket>();
      for (const { what, hold: n, cost } of given) {
        const hold = events[n] ?? walletHold("", "1");
        const paid = hold.mode === "payg" ? formatPoints(BigInt(cost) * 10n ** 17n) : "0";
        const end = settlement({
          points: hold.mode === "payg" ? BigInt(cost) * 10n ** 17n : 0n,
          listPoints: BigInt(cost) * 10n ** 17n,
          tokens: cost,
          giveBack: cost === 0,
        });
        const event = eventOf(hold, paid, { organization, project: "p", calls: cost === 0 ? 0 : 1 });
        const acts: Record<string, () => Promise<unknown>> = {
          admit: async () => {
            const { ticket, ...told } = { ticket: ticketOf(hold), ...(await meters.admit(hold)) };
            if (told.admitted) tickets.set(hold, ticket);
            return told;
          },
          intend: () => meters.intend(intentOf(hold, organization)).catch(String),
          settle: () => meters.settle(tickets.get(hold) ?? ticketOf(hold), end),
          seize: () => meters.seize(hold.meter, 0, hold.request),
          settleSeized: async () => {
            const held = (await meters.readMeter(hold.meter, 0))?.seized.get(hold.request);
            return held && meters.settleSeized(hold.meter, 0, hold.request, held, end);
          },
          close: () => meters.closeIntent(hold.request),
          record: () => ledger.record([event, ...(cost % 2 ? [event] : [])]),
          sweep: () =>
            ledger.record([{ ...event, ...swept, cost_points: hold.mode === "payg" ? "0.1" : "0" }]),
          credit: () => ledger.credit({ ...wallet, points: 2n * 10n ** 18n, reference: String(cost % 3) }),
          refund: () =>
            ledger
              .credit({ ...wallet, points: -BigInt(cost + 1) * 10n ** 17n, reference: `back-${cost % 3}` })
              .catch(String),
        };
        outcomes.push(await acts[what]?.());
      }
      return [
        outcomes,
        await meters.readMeter(`${id}w`, 0),
        await meters.readMeter(`${id}s`, 0),
        await Array.fromAsync(ledger.eachEntry(organization, noon - 1, noon + 2)),
        await ledger.rollups(organization, "", hourOf(noon), nextHour(hourOf(noon))),
        await ledger.rollups(organization, "p", hourOf(noon), nextHour(hourOf(noon))),
      ];
    });
  });
  await fc.assert(law, { numRuns: 60, seed: 20_261_121 });
});
