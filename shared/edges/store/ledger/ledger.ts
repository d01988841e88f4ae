/** The ledger on DynamoDB. Entries are written once and never changed; rollups are added to. */

import type { Aws } from "../../../base/platform/aws.ts";
import { timeOf } from "../../../base/platform/id.ts";
import { hourOf, hourStart, nextHour } from "../../../books/billing/period.ts";
import type { WholePrices } from "../../../books/billing/pricing/price.ts";
import type {
  CallLedger,
  Entry,
  Ledger,
  RollupOwner,
  SummedEntry,
  UsedEvent,
} from "../../../books/ledger/ledger.ts";
import { feeEntry, feeId } from "../../../books/ledger/plan-fee.ts";
import type { RollupsIn } from "../../audit/sums.ts";
import { type Item, readOrTell, readText } from "../dynamodb/attributes.ts";
import {
  creditAndFeeRange,
  creditKey,
  creditPartition,
  entriesRange,
  entryKey,
  entryPartition,
  everything,
  feeKey,
  prefixes,
  readRecord,
  requestRange,
  rollupPartition,
  sealSort,
  spanRange,
  type TableNames,
} from "../dynamodb/item-keys.ts";
import {
  eachBefore,
  eachBetween,
  getItem,
  itemsBetween,
  lastBetween,
  pagesAhead,
} from "../dynamodb/items.ts";
import { transact } from "../dynamodb/transaction.ts";
import { bookCredit } from "./credits.ts";
import { moneyWrites, readEntry, readRollup } from "./postings.ts";
import { createPriceHistory, type PriceHistory } from "./price-history.ts";
import { recordEvents } from "./recording.ts";
import { readSeal } from "./seals.ts";

/** The ledger, and what audit and export read of it. They read everything, each page strongly consistent. */
export interface LedgerStore extends Ledger {
  /** The credit that a reference has booked, if it has. */
  creditOf(organization: string, reference: string): Promise<Entry | undefined>;
  /** All credits of an organization by reference, then its plan fees by subscription and start. */
  creditsAndFees(organization: string): Promise<Entry[]>;
  everyEntry(): AsyncIterable<Entry>;
  rollupsIn: RollupsIn;
  /** The prices behind the versions in entries: all of them, or one version. */
  prices: PriceHistory["versions"];
}

/**
 * The ledger, and the meters that it changes. `now` (Unix ms) tells which events are late. `whole`: for price history.
 */
export function createLedger(
  aws: Aws,
  tables: Pick<TableNames, "ledger" | "counters">,
  now: () => number = Date.now,
  whole?: WholePrices,
): LedgerStore {
  const table = tables.ledger;
  const { versions: prices } = createPriceHistory(aws, tables, whole);
  return {
    ...createCallLedger(aws, tables, now, whole),

    prices,

    credit: async (credit) => (await bookCredit(aws, tables, credit)) === "booked",

    async postFee(organization, fee, at) {
      const entry = feeEntry(organization, fee, at);
      const key = feeKey(organization, entry.id);
      return (await transact(aws, moneyWrites(table, organization, [{ key, entry }]))) === null;
    },

    async feeOf(organization, period) {
      const item = await getItem(aws, table, feeKey(organization, feeId(period)));
      return item && readEntry(item);
    },

    async creditOf(organization, reference) {
      const item = await getItem(aws, table, creditKey(organization, reference));
      return item && readEntry(item);
    },

    async creditsAndFees(organization) {
      const items = await itemsBetween(aws, table, creditPartition(organization), creditAndFeeRange);
      return items.map(readEntry);
    },

    async *everyEntry() {
      for await (const item of scan(aws, table, prefixes.entry)) yield readEntry(item);
    },

    async *rollupsIn(places, tell) {
      for (const { organization, project } of places) {
        const partition = rollupPartition(organization, project);
        for await (const item of eachBetween(aws, table, partition, everything)) {
          if (readText(item.sk) === sealSort) continue;
          const rollup = readOrTell(item, readRollup, tell);
          if (rollup) yield rollup;
        }
      }
    },
  };
}

/** The same as a gateway needs it. The code of the other methods is not in its bundle. */
export function createCallLedger(
  aws: Aws,
  tables: Pick<TableNames, "ledger" | "counters">,
  now: () => number,
  whole?: WholePrices,
): CallLedger {
  const table = tables.ledger;
  const history = createPriceHistory(aws, tables, whole);

  async function* eachRollup(organization: string, project: string, from: string, to: string) {
    const partition = rollupPartition(organization, project);
    for await (const item of eachBetween(aws, table, partition, spanRange(from, to))) yield readRollup(item);
  }

  return {
    async record(events) {
      await history.remember(events);
      return await recordEvents(aws, tables, events, now());
    },

    async entry(organization, request) {
      const item = await getItem(aws, table, entryKey(organization, request));
      return item && readEntry(item);
    },

    async entriesOf(organization, request) {
      const partition = entryPartition(organization, hourOf(timeOf(request)));
      return (await itemsBetween(aws, table, partition, entriesRange(request))).map(readEntry);
    },

    rollups: (organization, project, from, to) =>
      Array.fromAsync(eachRollup(organization, project, from, to)),

    eachRollup,

    seal: (organization, project) => readSeal(aws, table, { organization, project }),

    async *hoursWithEntries({ organization, project }, fromHour, toHour) {
      let before = "";
      for await (const { span } of eachRollup(organization, project, fromHour, toHour)) {
        if (span !== before) yield span;
        before = span;
      }
    },

    async *newestEntries(place, from, to) {
      if (from >= to) return;
      for await (const hour of newestHours(aws, table, place, hourOf(from), nextHour(hourOf(to - 1)))) {
        const range = requestRange(Math.max(from, hourStart(hour)), Math.min(to, hourStart(nextHour(hour))));
        const partition = entryPartition(place.organization, hour);
        for await (const item of eachBefore(aws, table, partition, range, entriesAtOnce))
          yield readEntry(item);
      }
    },

    async *eachEntry(organization, from, to) {
      const partition = entryPartition(organization, hourOf(from));
      for await (const item of eachBetween(aws, table, partition, requestRange(from, to)))
        yield readEntry(item);
    },

    async *eachUse(organization, from, to) {
      const partition = entryPartition(organization, hourOf(from));
      for await (const item of eachBetween(aws, table, partition, requestRange(from, to), usedOnly)) {
        yield { event: readRecord<Partial<SummedEntry>>(item).event ?? null };
      }
    },
  };
}

/** What is read of an entry for sums. Some of these names mean something to DynamoDB, so all are given by a sign. */
const usedFields = [
  "id",
  "model",
  "key",
  "project",
  "user",
  "usage",
  "calls",
  "cost_points",
  "list_points",
] as const satisfies readonly (keyof UsedEvent)[];
const usedOnly = {
  ProjectionExpression: usedFields.map((name) => `#event.#${name}`).join(", "),
  ExpressionAttributeNames: Object.fromEntries(["event", ...usedFields].map((name) => [`#${name}`, name])),
};

/** Entries of one page. A list shows a hundred at a time, and some may be corrections. */
const entriesAtOnce = 128;
/** Rollups of one page, where only their hours matter. */
const rollupsAtOnce = 64;

/** The hours in which a place has entries, newest first. One page is enough to know an hour. */
async function* newestHours(
  aws: Aws,
  table: string,
  { organization, project }: RollupOwner,
  fromHour: string,
  toHour: string,
): AsyncGenerator<string> {
  const partition = rollupPartition(organization, project);
  for (let end = toHour; fromHour < end; ) {
    const items = await lastBetween(aws, table, partition, spanRange(fromHour, end), rollupsAtOnce);
    const hours = new Set(items.map((item) => readRollup(item).span));
    yield* hours;
    const last = [...hours].at(-1);
    if (last === undefined) return;
    end = last;
  }
}

/** As `eachWhere` for one prefix: its general form makes the code that settle loads larger than its bound. */
async function* scan(aws: Aws, table: string, prefix: string): AsyncGenerator<Item> {
  const input = {
    TableName: table,
    ConsistentRead: true,
    FilterExpression: "begins_with(pk, :prefix)",
    ExpressionAttributeValues: { ":prefix": { S: prefix } },
  };
  for await (const page of pagesAhead(aws, "Scan", input)) yield* page;
}
