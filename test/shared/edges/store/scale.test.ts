/**
 * How many units go to one item and to one partition. DynamoDB takes 1,000 write and 3,000 read units a second. infra/cost/scale.md
 * has these figures, and says what follows for one busy organization.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { type ChannelCounts, orderSpanMs, windowMs } from "#shared/calls/routing/board.ts";
import { added, histogramOf } from "#shared/calls/routing/histogram.ts";
import { createCallAccounts } from "#shared/edges/store/accounts.ts";
import { createBoards } from "#shared/edges/store/board.ts";
import { keyByHash, organizationKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { putItem } from "#shared/edges/store/dynamodb/items.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { admit, counting, eventOf, noon, openWallet, settlement, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();

/** What DynamoDB takes a second for one partition, and for one item. */
const unitsMax = 1000;

/** Calls a second at which a partition takes no more, if 100 of them take so many units. */
const most = (units: number) => Math.floor((100 * unitsMax) / units);

const cells = (row: readonly number[]) => row.map((cell) => cell.toLocaleString("en"));

/** The cells of the table of infra/cost/scale.md whose first column has this name. */
function tableOf(name: string): string[][] {
  const text = readFileSync(new URL("../../../../infra/cost/scale.md", import.meta.url), "utf8");
  const lines = text.slice(text.indexOf(`| ${name} |`)).split("\n");
  const rows = lines.slice(
    2,
    lines.findIndex((line) => !line.startsWith("|")),
  );
  return rows.map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

interface Write {
  TableName: string;
  Key?: Record<string, { S: string }>;
  Item?: Record<string, { S: string }>;
}

/** Counts the units of transactions by the partition that they write to, all of items below 1 KB. */
function byPartition(aws: Aws): { aws: Aws; partitions: Map<string, number> } {
  const partitions = new Map<string, number>();
  const counted: Aws = async (service, action, input) => {
    const { TransactItems = [] } = input as { TransactItems?: Record<string, Write>[] };
    for (const { Key, Item } of TransactItems.flatMap((item) => Object.values(item))) {
      const partition = (Key ?? Item)?.pk?.S ?? "";
      const kind = partition.slice(0, 2);
      partitions.set(kind, (partitions.get(kind) ?? 0) + 2);
    }
    return await aws(service, action, input);
  };
  return { aws: counted, partitions };
}

test("a hold and its settlement take more units, the more holds the item has", async () => {
  const meter = await openWallet(db, "1000");
  const counter = counting(db.aws);
  const meters = createMeters(counter.aws, db.tables);
  const unitsOf = async (work: () => Promise<unknown>) => {
    counter.units.clear();
    await work();
    return counter.units.get("UpdateItem") ?? 0;
  };
  // The first call of the day marks the meter too.
  await meters.settle(await admit(meters, walletHold(meter, "0.000123", noon)), settlement());
  const rows: [holds: number, hold: number, settle: number][] = [];
  for (let holds = 0; holds <= 64; holds++) {
    const hold = walletHold(meter, "0.000123", noon + holds);
    let ticket: Awaited<ReturnType<typeof admit>> | undefined;
    const toHold = await unitsOf(async () => (ticket = await admit(meters, hold)));
    if (![0, 16, 30, 64].includes(holds)) continue;
    const toSettle = await unitsOf(async () => ticket && (await meters.settle(ticket, settlement())));
    rows.push([holds, toHold, toSettle]);
  }
  expect(rows.map((row) => cells(row))).toEqual(tableOf("Holds on the item"));
});

/** Units by kind of partition of a batch of 100 events, as the settling function records them. */
async function recorded(events: UsageEvent[]): Promise<Record<string, number>> {
  const counter = counting(db.aws);
  const { aws, partitions } = byPartition(counter.aws);
  await createLedger(aws, db.tables, () => noon).record(events);
  const all = [...partitions.values()].reduce((sum, units) => sum + units, 0);
  expect(counter.units.get("TransactWriteItems")).toBe(all);
  return Object.fromEntries(partitions);
}

const eventsOf = (organization: string, keys: number) =>
  Array.from({ length: 100 }, (_, at) =>
    eventOf(walletHold("mtr_1", "0.001", noon + at, `key_${at % keys}`), "0.0005", {
      organization,
      key: `key_${at % keys}`,
    }),
  );

test("an entry over 1 KB takes twice the units, and an hour half as many of them", async () => {
  const events = eventsOf(newId("organization", noon), 1).map((event) => ({
    ...event,
    user: "u".repeat(256),
  }));
  const counter = counting(db.aws);
  await createLedger(counter.aws, db.tables, () => noon).record(events);
  const { "R#": rollups = 0 } = await recorded(eventsOf(newId("organization", noon), 1));
  const units = (counter.units.get("TransactWriteItems") ?? 0) - rollups;
  expect(most(units)).toBe(250);
});

test("a batch of one organization writes to one partition of entries, and to one of rollups", async () => {
  const rows: number[][] = [];
  for (const keys of [1, 10, 100]) {
    const { "L#": entries = 0, "R#": rollups = 0 } = await recorded(
      eventsOf(newId("organization", noon), keys),
    );
    rows.push([keys, entries, rollups, most(entries), most(rollups)]);
  }
  expect(rows.map((row) => cells(row))).toEqual(tableOf("Keys in the batch"));
});

test("a process that learns of a key reads two items, in a partition each", async () => {
  const [hash, organization] = ["0".repeat(64), newId("organization", noon)];
  const { aws, units } = counting(db.aws);
  await putItem(db.aws, db.tables.keys, { ...keyByHash(hash), organization: { S: organization } }, []);
  await putItem(db.aws, db.tables.keys, organizationKey(organization), []);
  await createCallAccounts(aws, db.tables).findPrincipal(hash);
  expect(units.get("GetItem")).toBe(2);
});

/** What DynamoDB reads a second of one partition, in units. */
const readUnitsMax = 3_000;

/** Six of the buckets, as times of a model may lie in. */
const firstByteMs = [250, 400, 600, 900, 1_400, 2_200];

/** A channel's counts of a busy window, whose calls came from so many lanes of organizations. */
function busyCounts(lanes: number): ChannelCounts {
  const times = Array.from({ length: lanes }, (_, lane) => firstByteMs.map((ms) => histogramOf(ms, lane)));
  return {
    answers: 50_000,
    faults: 50,
    seen_by: { ab12: 20 },
    limited: 0,
    raced: 0,
    first_byte: times
      .flat()
      .reduce(added)
      .map((times) => times * 1_234),
    output_tokens: 25_000_000,
    generation_ms: 250_000_000,
    input_tokens: 75_000_000,
    cache_read_tokens: 20_000_000,
  };
}

test("a board takes more units, the more channels and lanes it has", async () => {
  const counter = counting(db.aws);
  const boards = createBoards(counter.aws, db.tables);
  const unitsOf = async (channels: number, lanes: number): Promise<number> => {
    const model = `acme/board-${channels}-${lanes}`;
    const ids = Array.from({ length: channels }, (_, at) => `abcde${at}`);
    const counts = Object.fromEntries(ids.map((id) => [id, busyCounts(lanes)]));
    for (let at = noon; at < noon + orderSpanMs; at += windowMs)
      await boards.add({ model, at, channels: counts });
    counter.units.clear();
    await boards.read(model, noon + orderSpanMs - 1);
    return counter.units.get("Query") ?? 0;
  };
  const rows: number[][] = [];
  for (const channels of [2, 3, 4]) {
    const [alone, many] = [await unitsOf(channels, 1), await unitsOf(channels, 8)];
    rows.push([channels, alone, many, readUnitsMax / alone, readUnitsMax / many]);
  }
  expect(rows.map((row) => cells(row))).toEqual(tableOf("Channels of the model"));
});
