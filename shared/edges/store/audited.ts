/** The books item by item, as the audit reads them (edges/audit/README.md "How it reads"). */

import type { Aws } from "../../base/platform/aws.ts";
import { nextHour } from "../../books/billing/period.ts";
import type { HourRollup, KeptBooks, KeptEntry, KeptItem } from "../audit/kept.ts";
import { fromItem, type Item, readBigint, readOrTell, readText } from "./dynamodb/attributes.ts";
import { hashOf, readHash } from "./dynamodb/item-hash.ts";
import {
  creditAndFeeRange,
  entryPartition,
  everything,
  itemKey,
  prefixes,
  readEntryPartition,
  readRollupPartition,
  rollupPartition,
  sealKey,
  spanRange,
  type TableNames,
} from "./dynamodb/item-keys.ts";
import { eachBetween, getItem, pagesAhead } from "./dynamodb/items.ts";
import { readEntry, readRollup } from "./ledger/postings.ts";
import { inOrder, KnownParts } from "./ledger/spread.ts";

/**
 * Items of the ledger that a scan asks for. Entries have nearly a kilobyte each, so a page of DynamoDB has hardly more. The
 * embedded server reads the whole table for each page that is not bounded.
 */
const scannedAtOnce = 1_000;

/** The kept books of these tables. `now` is the clock by which hours are spread. */
export function createKeptBooks(
  aws: Aws,
  tables: Pick<TableNames, "ledger" | "keys" | "tasks" | "accounts">,
  now: () => number = Date.now,
): KeptBooks {
  const table = tables.ledger;
  const parts = new KnownParts(aws, table, now);
  async function* inParts(organization: string, hour: string, read: (part: string) => AsyncGenerator<Item>) {
    yield* inOrder((await parts.of(organization, hour)).map(read));
  }
  return {
    async *entries(after, meet) {
      const input = {
        TableName: table,
        ConsistentRead: true,
        Limit: scannedAtOnce,
        ...(after !== undefined && { ExclusiveStartKey: keyOf(after) }),
      };
      let met = "";
      for await (const page of pagesAhead(aws, "Scan", input))
        for (const item of page) {
          const pk = readText(item.pk);
          if (pk.startsWith(prefixes.entry)) yield { ...keptEntry(item), cursor: cursorOf(item) };
          else if (pk.startsWith(prefixes.rollup) && pk !== met) {
            met = pk;
            meet?.(readRollupPartition(pk));
          }
        }
    },

    async *entriesOf(organization, hour) {
      const isMoney = hour === "$";
      const range = isMoney ? creditAndFeeRange : everything;
      const read = (part: string) => eachBetween(aws, table, entryPartition(organization, hour, part), range);
      const items = isMoney ? read("") : inParts(organization, hour, read);
      for await (const item of items) yield keptEntry(item);
    },

    async moneyHash(organization) {
      return readBigint((await getItem(aws, table, sealKey(organization, "")))?.h);
    },

    async hourOf(organization, project, hour) {
      const range = spanRange(hour, nextHour(hour));
      const items = inParts(organization, hour, (part) =>
        eachBetween(aws, table, rollupPartition(organization, project, part), range),
      );
      const refuse = (why: string) => {
        throw new SyntaxError(why);
      };
      const rollups = await Array.fromAsync(items, (item) => readOrTell(item, hourRollup, refuse) ?? []);
      return rollups.flat();
    },

    hashOf,

    async *items(name) {
      const input = { TableName: tables[name], ConsistentRead: true };
      for await (const page of pagesAhead(aws, "Scan", input)) yield* page.map(keptItem);
    },
  };
}

function hourRollup(item: Item): HourRollup {
  return { ...readRollup(item), hash: readBigint(item.h) };
}

function keptEntry(item: Item): KeptEntry {
  const { hash, isRight } = readHash(item);
  const place = {
    ...readEntryPartition(readText(item.pk)),
    sort: readText(item.sk),
    hash,
    isAsHashed: isRight,
  };
  try {
    return { ...place, entry: readEntry(item) };
  } catch {
    return { ...place, entry: undefined };
  }
}

function keptItem(item: Item): KeptItem {
  const { pk, sk, ...attributes } = item;
  const key = { pk: readText(pk), sk: readText(sk), isAsHashed: readHash(item).isRight };
  try {
    return { ...key, fields: fromItem(attributes) };
  } catch {
    return { ...key, fields: undefined };
  }
}

/** The key of an item as one text, from which a scan goes on. */
function cursorOf({ pk, sk }: Item): string {
  return JSON.stringify([readText(pk), readText(sk)]);
}

function keyOf(cursor: string): Item {
  const [pk = "", sk = ""] = JSON.parse(cursor) as string[];
  return itemKey(pk, sk);
}
