/**
 * Records usage events. One transaction writes an entry where there is none, and adds to its rollups: each counts once.
 */

import type { Aws } from "../../../base/platform/aws.ts";
import { parsePoints } from "../../../books/billing/points.ts";
import { type Recorded, recordingOf } from "../../../books/ledger/ledger.ts";
import { isSpread } from "../../../books/ledger/spread-hours.ts";
import type { UsageEvent } from "../../../books/ledger/usage-event.ts";
import { budgetCost } from "../../../books/meters/budget.ts";
import type { Item } from "../dynamodb/attributes.ts";
import { type Change, exists } from "../dynamodb/expressions.ts";
import { adjustmentKey, meterKey, type TableNames } from "../dynamodb/item-keys.ts";
import { type ActionOutcome, actionsMax, isContention, update } from "../dynamodb/transaction.ts";
import { names } from "../meters/meter-item.ts";
import { itemsTouched, transactPostings } from "./late-postings.ts";
import {
  adjustmentEntry,
  entryWrite,
  eventKey,
  posting,
  readEntry,
  reversal,
  usageEntry,
} from "./postings.ts";

type LedgerTables = Pick<TableNames, "ledger" | "counters">;

/** Where and when events are recorded. All tries of one recording use the same `now`. */
interface RecordingPlace {
  aws: Aws;
  tables: LedgerTables;
  now: number;
}

/** An event, and its result once there is one. */
interface Slot {
  event: UsageEvent;
  outcome?: Recorded;
}

/** Records events at `now` (Unix ms). Gives results in order. Throws if contention lasts; repeating all is safe. */
export async function recordEvents(
  aws: Aws,
  tables: LedgerTables,
  events: UsageEvent[],
  now: number,
): Promise<Recorded[]> {
  const slots: Slot[] = events.map((event) => ({ event }));
  for (let rest = slots; rest.length > 0; rest = rest.filter(({ outcome }) => !outcome)) {
    // A transaction may change an item only once. A second event of a request waits for the next round.
    const first = new Set<string>();
    const round = rest.filter(({ event }) => !first.has(event.id) && first.add(event.id));
    for (const batches of turnsOf(batchesOf(round, now))) {
      const ends = await Promise.allSettled(
        batches.map(({ slots }) => recordBatch({ aws, tables, now }, slots)),
      );
      const failed = ends.find(({ status }) => status === "rejected");
      if (failed) throw (failed as PromiseRejectedResult).reason;
    }
  }
  return slots.map(({ outcome }) => outcome ?? "duplicate");
}

/** Events of one transaction, and the names of the rollups and seals that they may change. */
interface Batch {
  slots: Slot[];
  touched: Set<string>;
}

/** Batches that fit into a transaction each. Events of one rollup stand together, so few transactions write it. */
function batchesOf(slots: Slot[], now: number): Batch[] {
  const batches: Batch[] = [];
  const placed = slots.map((slot) => ({ slot, own: itemsTouched(slot.event, now) }));
  for (const { slot, own } of placed.toSorted((a, b) => compare(a.own, b.own))) {
    const batch = batches.at(-1);
    const touched = new Set([...own, ...(batch?.touched ?? [])]);
    if (batch && batch.slots.length + 1 + touched.size <= actionsMax) {
      batch.slots.push(slot);
      batch.touched = touched;
    } else batches.push({ slots: [slot], touched: new Set(own) });
  }
  return batches;
}

function compare([a = ""]: string[], [b = ""]: string[]): number {
  return a < b ? -1 : Number(a > b);
}

/** The batches in turns. Those of a turn have no item in common, so their transactions run side by side. */
function turnsOf(batches: Batch[]): Batch[][] {
  const turns: Batch[][] = [];
  for (const batch of batches) {
    const after = turns.findLastIndex((turn) =>
      turn.some(({ touched }) => !touched.isDisjointFrom(batch.touched)),
    );
    const turn = turns[after + 1];
    if (turn) turn.push(batch);
    else turns.push([batch]);
  }
  return turns;
}

/** Writes what can be written of a batch, and sets the result of each event. */
async function recordBatch(books: RecordingPlace, batch: Slot[]): Promise<void> {
  if (batch.length === 0) return;
  const outcomes = await writeBatch(books, batch);
  if (outcomes === "contended") {
    // Smaller transactions collide with fewer others.
    const half = Math.ceil(batch.length / 2);
    await recordBatch(books, batch.slice(0, half));
    await recordBatch(books, batch.slice(half));
    return;
  }
  const fresh: Slot[] = [];
  for (const [i, slot] of batch.entries()) {
    if (!outcomes) slot.outcome = "recorded";
    else if (outcomes[i]?.failed) slot.outcome = await recordKnown(books, slot.event, outcomes[i].item);
    else fresh.push(slot);
  }
  await recordBatch(books, fresh);
}

async function writeBatch(
  { aws, tables, now }: RecordingPlace,
  batch: Slot[],
): Promise<ActionOutcome[] | null | "contended"> {
  const events = batch.map(({ event }) => event);
  const entries = events.map((event) => entryWrite(tables.ledger, eventKey(event), usageEntry(event, now)));
  const writes = entries.map(({ write }) => write);
  const postings = events.map((event, at) => posting(event, entries[at]?.hash ?? 0n));
  try {
    return await transactPostings(aws, tables.ledger, writes, postings, now);
  } catch (error) {
    if (!isContention(error) || batch.length === 1) throw error;
    return "contended";
  }
}

/** Records an event whose request has an entry. It corrects an estimate of the sweeper; else it is a duplicate. */
async function recordKnown(
  { aws, tables, now }: RecordingPlace,
  event: UsageEvent,
  known: Item | undefined,
): Promise<Recorded> {
  const base = known && readEntry(known);
  const estimate = base?.event;
  if (!estimate || recordingOf(event, [base]) !== "corrected") return "duplicate";
  const key = adjustmentKey(event.organization, event.id, isSpread(estimate));
  const entry = entryWrite(tables.ledger, key, adjustmentEntry(event, estimate, now));
  const actions = [entry.write];
  const add = meterCorrection(event, estimate);
  if (add) {
    const change: Change = {
      table: tables.counters,
      key: meterKey(event.meter, event.shard),
      add,
      when: [exists("kind")],
    };
    actions.push(update(change));
  }
  const postings = [posting(event, entry.hash), reversal(estimate)];
  const outcomes = await transactPostings(aws, tables.ledger, actions, postings, now);
  if (!outcomes) return "corrected";
  if (outcomes[0]?.failed) return "duplicate";
  throw new Error(`no meter item ${event.meter}#${event.shard}`);
}

/**
 * What a correction adds to the meter: points, calls of the quota month, points of the plan's day, a part of the key's
 * budget. Undefined where nothing changes.
 */
function meterCorrection(event: UsageEvent, estimate: UsageEvent): Record<string, bigint> | undefined {
  const amounts: [name: string, amount: bigint][] = [];
  if (event.mode === "payg") {
    const points = parsePoints(event.cost_points) - parsePoints(estimate.cost_points);
    amounts.push(["avail", -points], ["used", points]);
  } else if (estimate.period !== undefined) {
    amounts.push([names.period(estimate.period), BigInt(event.calls - estimate.calls)]);
  }
  if (estimate.day !== undefined) {
    amounts.push([estimate.day, parsePoints(event.list_points) - parsePoints(estimate.list_points)]);
  }
  if (estimate.budget !== undefined) {
    amounts.push([estimate.budget, budgetCost(event.mode, event) - budgetCost(event.mode, estimate)]);
  }
  const changed = amounts.filter(([, amount]) => amount !== 0n);
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}
