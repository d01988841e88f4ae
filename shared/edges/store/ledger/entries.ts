/** Entries as readers ask for them, also where their hours are spread. */

import type { Aws } from "../../../base/platform/aws.ts";
import { hourOf, hourStart, nextHour } from "../../../books/billing/period.ts";
import type { CallLedger, RollupOwner, SummedEntry, UsedEvent } from "../../../books/ledger/ledger.ts";
import {
  entriesRange,
  entryKey,
  entryPartition,
  entryPartitionOf,
  readRecord,
  requestRange,
  rollupPartition,
  spanRange,
} from "../dynamodb/item-keys.ts";
import { eachBefore, eachBetween, getItems, itemsBetween, lastBetween } from "../dynamodb/items.ts";
import { readEntry, readRollup } from "./postings.ts";
import { inOrder, inParts, type PartsOf, partsOfHours } from "./spread.ts";

type EntryReads = Pick<CallLedger, "entry" | "entriesOf" | "newestEntries" | "eachEntry" | "usesOf">;

/** The reads of a ledger's entries. */
export function createEntryReads(aws: Aws, table: string): EntryReads {
  return {
    // The id does not say whether its hour is spread.
    async entry(organization, request) {
      const keys = [false, true].map((spread) => ({ table, key: entryKey(organization, request, spread) }));
      const item = (await getItems(aws, keys)).find((each) => each !== undefined);
      return item && readEntry(item);
    },

    async entriesOf(organization, request) {
      const found = [false, true].map((spread) =>
        itemsBetween(aws, table, entryPartitionOf(organization, request, spread), entriesRange(request)),
      );
      return (await Promise.all(found)).flat().map(readEntry);
    },

    async *newestEntries(place, from, to) {
      if (from >= to) return;
      const { organization } = place;
      const partsOf = await partsOfHours(aws, table, organization);
      const hours = newestHours({ aws, table, partsOf }, place, hourOf(from), nextHour(hourOf(to - 1)));
      for await (const hour of hours) {
        const range = requestRange(Math.max(from, hourStart(hour)), Math.min(to, hourStart(nextHour(hour))));
        const atOnce = Math.ceil(entriesAtOnce / partsOf(hour).length);
        const partitions = partsOf(hour).map((part) =>
          eachBefore(aws, table, entryPartition(organization, hour, part), range, atOnce),
        );
        for await (const item of inOrder(partitions, -1)) yield readEntry(item);
      }
    },

    async *eachEntry(organization, from, to) {
      const range = requestRange(from, to);
      const hour = hourOf(from);
      const items = inParts(aws, table, { organization, hour }, (part) =>
        eachBetween(aws, table, entryPartition(organization, hour, part), range),
      );
      for await (const item of items) yield readEntry(item);
    },

    async usesOf(organization) {
      const partsOf = await partsOfHours(aws, table, organization);
      return async function* (from, to) {
        const hour = hourOf(from);
        const range = requestRange(from, to);
        const partitions = partsOf(hour).map((part) =>
          eachBetween(aws, table, entryPartition(organization, hour, part), range, usedOnly),
        );
        for await (const item of inOrder(partitions))
          yield { event: readRecord<Partial<SummedEntry>>(item).event ?? null };
      };
    },
  };
}

/**
 * What is read of an entry for sums, and its place among others. Some of these names mean something to DynamoDB, so all
 * are given by a sign.
 */
const usedFields = [
  "id",
  "model",
  "key",
  "project",
  "user",
  "tags",
  "usage",
  "calls",
  "cost_points",
  "list_points",
] as const satisfies readonly (keyof UsedEvent)[];
const usedOnly = {
  ProjectionExpression: ["sk", ...usedFields.map((name) => `#event.#${name}`)].join(", "),
  ExpressionAttributeNames: Object.fromEntries(["event", ...usedFields].map((name) => [`#${name}`, name])),
};

/** Entries of one page. A list shows a hundred at a time, and some may be corrections. */
const entriesAtOnce = 128;
/** Rollups of one page, where only their hours matter. */
const rollupsAtOnce = 64;

/** Where hours are read, and which of them may be spread. */
interface HoursIn {
  aws: Aws;
  table: string;
  partsOf: PartsOf;
}

/** The hours in which a place has entries, newest first. One page is enough to know an hour. */
async function* newestHours(
  { aws, table, partsOf }: HoursIn,
  { organization, project }: RollupOwner,
  fromHour: string,
  toHour: string,
): AsyncGenerator<string> {
  for (let end = toHour; fromHour < end; ) {
    const range = spanRange(fromHour, end);
    const parts = partsOf(end);
    // Of several partitions only the newest hour is known for certain.
    const atOnce = parts.length === 1 ? rollupsAtOnce : 1;
    const pages = await Promise.all(
      parts.map((part) =>
        lastBetween(aws, table, rollupPartition(organization, project, part), range, atOnce),
      ),
    );
    const found = new Set(pages.flat().map((item) => readRollup(item).span));
    const hours = [...found]
      .sort()
      .reverse()
      .slice(0, parts.length === 1 ? undefined : 1);
    yield* hours;
    const last = hours.at(-1);
    if (last === undefined) return;
    end = last;
  }
}
