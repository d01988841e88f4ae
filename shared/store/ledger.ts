/** The ledger on DynamoDB (billing.md §2.8): entries are put and never changed, rollups are added to. */
import type { Entry, Ledger, PlacedRollup } from "../billing/ledger.ts";
import { hourOf } from "../billing/period.ts";
import { formatPoints } from "../billing/points.ts";
import { GatewayError } from "../errors.ts";
import type { Aws } from "../platform/aws.ts";
import { timeOf } from "../platform/id.ts";
import { type Item, readText, toAttribute } from "./attributes.ts";
import { equals } from "./expressions.ts";
import { eachBetween, getItem, itemsBetween, pages } from "./items.ts";
import { putEntry, readEntry, readRollup } from "./postings.ts";
import { recordEvents } from "./recording.ts";
import { readSeal } from "./seals.ts";
import {
  creditKey,
  creditPartition,
  creditRange,
  entriesRange,
  entryKey,
  entryPartition,
  meterKey,
  prefixes,
  readRollupKey,
  requestRange,
  rollupPartition,
  sealSort,
  spanRange,
  type Tables,
} from "./table.ts";
import { transact, update } from "./transaction.ts";

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

/**
 * The ledger of a table, and the meters its corrections and credits move. By `now` (Unix ms) it knows
 * events that come after their day is over.
 */
export function createLedger(
  aws: Aws,
  tables: Pick<Tables, "ledger" | "counters">,
  now: () => number = Date.now,
): LedgerStore {
  const table = tables.ledger;

  return {
    record: (events) => recordEvents(aws, tables, events, now()),

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
      if (!verdicts) return true;
      if (!verdicts[0]?.failed) throw new Error(`no wallet ${meter}`);
      const booked = verdicts[0].item && readEntry(verdicts[0].item).points;
      if (booked === entry.points) return false;
      const message = `The reference ${reference} has booked ${booked} points already.`;
      throw new GatewayError("invalid_request", { message });
    },

    async entry(organization, request) {
      const item = await getItem(aws, table, entryKey(organization, request));
      return item && readEntry(item);
    },

    async entriesOf(organization, request) {
      const { first, last } = entriesRange(request);
      const partition = entryPartition(organization, hourOf(timeOf(request)));
      return (await itemsBetween(aws, table, partition, first, last)).map(readEntry);
    },

    async entries(organization, from, to) {
      const { first, last } = requestRange(from, to);
      const items = await itemsBetween(aws, table, entryPartition(organization, hourOf(from)), first, last);
      return items.map(readEntry);
    },

    async rollups(organization, project, from, to) {
      const { first, last } = spanRange(from, to);
      const items = await itemsBetween(aws, table, rollupPartition(organization, project), first, last);
      return items.map(readRollup);
    },

    seal: (organization, project) => readSeal(aws, table, { organization, project }),

    async *hoursWithEntries(organization, fromHour, toHour) {
      const { first, last } = spanRange(fromHour, toHour);
      let before = "";
      for await (const item of eachBetween(aws, table, rollupPartition(organization, ""), first, last)) {
        const { span } = readRollup(item);
        if (span !== before) yield span;
        before = span;
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
      for await (const item of scan(aws, table, prefixes.rollup)) {
        if (readText(item["sk"]) === sealSort) continue;
        const { organization, project } = readRollupKey(readText(item["pk"]), "");
        yield { organization, project, ...readRollup(item) };
      }
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
