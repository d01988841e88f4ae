/** What is written for a usage event: its entry, and what it adds to rollups. */

import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import { formatPoints, parsePoints } from "../../../books/billing/points.ts";
import { dimensions } from "../../../books/billing/usage.ts";
import type { Entry, PlacedRollup, RollupOwner, Share, Sums } from "../../../books/ledger/ledger.ts";
import { isSpread } from "../../../books/ledger/spread-hours.ts";
import type { UsageEvent } from "../../../books/ledger/usage-event.ts";
import { addSums, negateSums, noSums, sumsOf } from "../../../books/reports/report.ts";
import { type Item, readBigint, readText, toItem } from "../dynamodb/attributes.ts";
import { absent } from "../dynamodb/expressions.ts";
import { hashed } from "../dynamodb/item-hash.ts";
import { entryKey, readRecord, readRollupKey, sealKey } from "../dynamodb/item-keys.ts";
import { put, update } from "../dynamodb/transaction.ts";
import { type KeptEvent, keptEvent, toldEvent } from "./kept-route.ts";

/** The entry of a usage event, posted at `now`. It debits the customer and credits the model's revenue. */
export function usageEntry(event: UsageEvent, now: number): Entry {
  return {
    id: event.id,
    kind: "usage",
    organization: event.organization,
    debit: `customer:${event.organization}`,
    credit: `revenue:${event.model}`,
    points: event.cost_points,
    at: event.admitted_at,
    posted_at: now,
    event,
  };
}

/** The entry that corrects an estimate to the real event. */
export function adjustmentEntry(event: UsageEvent, estimate: UsageEvent, now: number): Entry {
  const points = formatPoints(parsePoints(event.cost_points) - parsePoints(estimate.cost_points));
  return { ...usageEntry(event, now), id: `${event.id}#adj`, kind: "adjustment", points };
}

/** The key of an event's entry. */
export function eventKey(event: UsageEvent): Item {
  return entryKey(event.organization, event.id, isSpread(event));
}

/** Writes an entry where there is none. Gives its hash, for the sum that it joins (edges/audit/README.md "Hashes"). */
export function entryWrite(
  table: string,
  key: Item,
  entry: Entry,
): { write: TransactWriteItem; hash: bigint } {
  const { item, hash } = entryItem(key, entry);
  return { write: put(table, item, [absent("pk")]), hash };
}

/** An entry's item with its hash. */
export function entryItem(key: Item, entry: Entry): { item: Item; hash: bigint } {
  return hashed({ ...key, ...toItem(keptEntry(entry)) });
}

/** Writes payments of plans and plan fees where there are none. The seal of their organization adds up their hashes. */
export function moneyWrites(
  table: string,
  organization: string,
  entries: readonly { key: Item; entry: Entry }[],
): TransactWriteItem[] {
  const writes = entries.map(({ key, entry }) => entryWrite(table, key, entry));
  const h = writes.reduce((sum, { hash }) => sum + hash, 0n);
  return [...writes.map(({ write }) => write), update({ table, key: sealKey(organization, ""), add: { h } })];
}

/** An entry as it is written. */
function keptEntry({ event, ...entry }: Entry): StoredEntry {
  return { ...entry, event: event && keptEvent(event) };
}

interface StoredEntry extends Omit<Entry, "event"> {
  event: KeptEvent | null;
  /** The hash (dynamodb/item-hash.ts). */
  h?: Uint8Array;
}

/** Reads what `entryWrite` wrote. */
export function readEntry(item: Item): Entry {
  const { event, h: _hash, ...entry } = readRecord<StoredEntry>(item);
  return { ...entry, event: event && toldEvent(event) };
}

/** Sums to be added to the rollups of an event: the organization's, and its project's. */
export interface RollupPosting {
  event: UsageEvent;
  sums: Sums;
  /** The hash of the entry; 0 where a posting is taken back, since the entry stays. */
  hash: bigint;
}

/** The share of an event: its model, key and project. */
export function shareOf({ model, key, project }: UsageEvent): Share {
  return { model, key, owner: project };
}

/** The places whose rollups an event adds to. */
export function placesOf({ organization, project }: UsageEvent): RollupOwner[] {
  const projects = project === "" ? [""] : ["", project];
  return projects.map((each) => ({ organization, project: each }));
}

export interface RollupAddition {
  key: Item;
  sums: Sums;
  /** What is added to the sum of the entries' hashes, which only an organization's hours have. */
  hash: bigint;
}

/** One update for each rollup that changes. */
export function rollupUpdates(table: string, additions: RollupAddition[]): TransactWriteItem[] {
  const rollups = new Map<string, RollupAddition>();
  for (const { key, sums, hash } of additions) {
    const name = JSON.stringify(key);
    const known = rollups.get(name);
    rollups.set(name, {
      key,
      sums: addSums(known?.sums ?? noSums(), sums),
      hash: (known?.hash ?? 0n) + hash,
    });
  }
  return [...rollups.values()].map(({ key, sums, hash }) =>
    update({ table, key, add: { ...columns(sums), ...(hash > 0n && { h: hash }) } }),
  );
}

/** Sums as a rollup's attributes. */
export function columns({
  calls,
  cost_points,
  list_points,
  ...usage
}: Sums): Record<string, bigint | number> {
  return { n: calls, cost: cost_points, list: list_points, ...usage };
}

/** Reads a rollup. */
export function readRollup(item: Item): PlacedRollup {
  const placed = readRollupKey(readText(item.pk), readText(item.sk));
  const usage = dimensions.map((dimension) => [dimension, Number(readBigint(item[dimension]))]);
  const sums = {
    ...noSums(),
    ...Object.fromEntries(usage),
    calls: Number(readBigint(item.n)),
    cost_points: readBigint(item.cost),
    list_points: readBigint(item.list),
  };
  return { ...placed, sums };
}

/** What an event adds, whose entry has this hash. */
export function posting(event: UsageEvent, hash: bigint): RollupPosting {
  return { event, sums: sumsOf(event), hash };
}

/** What takes an event's posting back. */
export function reversal(event: UsageEvent): RollupPosting {
  return { event, sums: negateSums(sumsOf(event)), hash: 0n };
}
