/** The ledger on DynamoDB. Entries are written once and never changed; rollups are added to. */

import type { Aws } from "../../../base/platform/aws.ts";
import { unitOf } from "../../../books/billing/period.ts";
import type { WholePrices } from "../../../books/billing/pricing/price.ts";
import type { CallLedger, Entry, Ledger } from "../../../books/ledger/ledger.ts";
import { feeEntry, feeId } from "../../../books/ledger/plan-fee.ts";
import type { RollupsIn } from "../../audit/sums.ts";
import { type Item, readOrTell, readText } from "../dynamodb/attributes.ts";
import {
  creditAndFeeRange,
  creditKey,
  creditPartition,
  everything,
  feeKey,
  prefixes,
  rollupPartition,
  sealSort,
  spanRange,
  type TableNames,
} from "../dynamodb/item-keys.ts";
import { eachBetween, getItem, itemsBetween, pagesAhead } from "../dynamodb/items.ts";
import { transact } from "../dynamodb/transaction.ts";
import { bookCredit } from "./credits.ts";
import { createEntryReads } from "./entries.ts";
import { moneyWrites, readEntry, readRollup } from "./postings.ts";
import { createPriceHistory, type PriceHistory } from "./price-history.ts";
import { recordEvents } from "./recording.ts";
import { readSeal } from "./seals.ts";
import {
  inOrder,
  inParts,
  lastHour,
  partsOfHours,
  SpreadOrganizations,
  spreadHours,
  wholeRollups,
} from "./spread.ts";

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

    async spreadHours(organization) {
      await spreadHours(aws, table, organization, now());
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
      let last: { organization: string; parts: readonly string[] } | undefined;
      for (const { organization, project } of places) {
        if (!last || last.organization !== organization)
          last = { organization, parts: (await partsOfHours(aws, table, organization))(lastHour) };
        const partitions = last.parts.map((part) =>
          eachBetween(aws, table, rollupPartition(organization, project, part), everything),
        );
        const items = inOrder(partitions);
        for await (const item of items) {
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
  const spread = new SpreadOrganizations();

  async function* eachRollup(organization: string, project: string, from: string, to: string) {
    const read = (part: string) =>
      eachBetween(aws, table, rollupPartition(organization, project, part), spanRange(from, to));
    // Days and months are not spread: hardly anybody writes them.
    const isHours = unitOf(from) === "hour";
    yield* wholeRollups(isHours ? inParts(aws, table, { organization, hour: to }, read) : read(""));
  }

  return {
    async record(events) {
      await history.remember(events);
      return await recordEvents({ aws, tables, spread, now: now() }, events);
    },

    ...createEntryReads(aws, table),

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
  };
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
