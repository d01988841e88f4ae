/** The ledger on DynamoDB (billing.md §2.8): entries are put and never changed, rollups are only added to. */
import type { Entry, Ledger, Rollup } from "../billing/ledger.ts";
import { hourOf } from "../billing/period.ts";
import { formatPoints } from "../billing/points.ts";
import type { Aws } from "../platform/aws.ts";
import { type Item, readText, toAttribute } from "./attributes.ts";
import { equals } from "./expressions.ts";
import { eachBetween, getItem, itemsBetween, pages } from "./items.ts";
import { putEntry, readEntry, readSums } from "./postings.ts";
import { recordEvents } from "./recording.ts";
import {
  creditKey,
  creditPartition,
  creditRange,
  entryKey,
  entryPartition,
  hourRange,
  meterKey,
  prefixes,
  readRollupKey,
  requestRange,
  rollupPartition,
  type Tables,
} from "./table.ts";
import { transact, update } from "./transaction.ts";

/** A rollup with its place. */
export interface PlacedRollup extends Rollup {
  organization: string;
  project: string;
}

/** The ledger with what audit and export read of it: everything, strongly consistent page by page. */
export interface LedgerStore extends Ledger {
  /** UTC hours in [fromHour, toHour) that have entries, in order, each once. */
  hoursWithEntries(organization: string, fromHour: string, toHour: string): AsyncIterable<string>;
  /** What `entries` gives, in the same order, page by page. */
  eachEntry(organization: string, from: number, to: number): AsyncIterable<Entry>;
  /** All top-ups of an organization, by reference. */
  credits(organization: string): Promise<Entry[]>;
  everyEntry(): AsyncIterable<Entry>;
  everyRollup(): AsyncIterable<PlacedRollup>;
}

/** The ledger of a table, and the meters its corrections and credits move. */
export function createLedger(aws: Aws, tables: Pick<Tables, "ledger" | "counters">): LedgerStore {
  const table = tables.ledger;

  return {
    record: (events) => recordEvents(aws, tables, events),

    async credit({ organization, meter, points, reference, at }) {
      if (points <= 0n) throw new RangeError("a credit must be positive");
      const key = creditKey(organization, reference);
      const entry: Entry = {
        id: `credit#${reference}`,
        kind: "credit",
        organization,
        debit: "cash:operator",
        credit: `customer:${organization}`,
        points: formatPoints(points),
        at,
        event: null,
      };
      const when = [equals("mode", toAttribute("payg"))];
      const grant = {
        table: tables.counters,
        key: meterKey(meter, 0),
        add: { granted: points, avail: points },
        when,
      };
      const verdicts = await transact(aws, [putEntry(table, key, entry), update(grant)]);
      if (verdicts && !verdicts[0]?.failed) throw new Error(`no wallet ${meter}`);
      return verdicts === null;
    },

    async entry(organization, request) {
      const item = await getItem(aws, table, entryKey(organization, request));
      return item && readEntry(item);
    },

    async entries(organization, from, to) {
      const { first, last } = requestRange(from, to);
      const items = await itemsBetween(aws, table, entryPartition(organization, hourOf(from)), first, last);
      return items.map(readEntry);
    },

    async rollups(organization, project, fromHour, toHour) {
      const { first, last } = hourRange(fromHour, toHour);
      const items = await itemsBetween(aws, table, rollupPartition(organization, project), first, last);
      return items.map(readRollup).map(({ hour, model, sums }) => ({ hour, model, sums }));
    },

    async *hoursWithEntries(organization, fromHour, toHour) {
      const { first, last } = hourRange(fromHour, toHour);
      let before = "";
      for await (const item of eachBetween(aws, table, rollupPartition(organization, ""), first, last)) {
        const { hour } = readRollup(item);
        if (hour !== before) yield hour;
        before = hour;
      }
    },

    async *eachEntry(organization, from, to) {
      const { first, last } = requestRange(from, to);
      const partition = entryPartition(organization, hourOf(from));
      for await (const item of eachBetween(aws, table, partition, first, last)) yield readEntry(item);
    },

    async credits(organization) {
      const { first, last } = creditRange;
      return (await itemsBetween(aws, table, creditPartition(organization), first, last)).map(readEntry);
    },

    async *everyEntry() {
      for await (const item of scan(aws, table, prefixes.entry)) yield readEntry(item);
    },

    async *everyRollup() {
      for await (const item of scan(aws, table, prefixes.rollup)) yield readRollup(item);
    },
  };
}

async function* scan(aws: Aws, table: string, prefix: string): AsyncGenerator<Item> {
  const input = {
    TableName: table,
    ConsistentRead: true,
    FilterExpression: "begins_with(pk, :prefix)",
    ExpressionAttributeValues: { ":prefix": { S: prefix } },
  };
  for await (const page of pages(aws, "Scan", input)) yield* page;
}

function readRollup(item: Item): PlacedRollup {
  return { ...readRollupKey(readText(item["pk"]), readText(item["sk"])), sums: readSums(item) };
}
