/**
 * Records usage events. One transaction writes an entry where there is none, and adds to its rollups: each counts once.
 */

import { parsePoints } from "../../../books/billing/points.ts";
import { PartlyRecorded, type Recorded, recordingOf } from "../../../books/ledger/ledger.ts";
import { isSpread } from "../../../books/ledger/spread-hours.ts";
import type { UsageEvent } from "../../../books/ledger/usage-event.ts";
import { budgetCost } from "../../../books/meters/budget.ts";
import { countersKept } from "../../../books/meters/kept-counters.ts";
import type { Item } from "../dynamodb/attributes.ts";
import { type Change, exists } from "../dynamodb/expressions.ts";
import { adjustmentKey, meterKey } from "../dynamodb/item-keys.ts";
import { actionsMax, update } from "../dynamodb/transaction.ts";
import { names } from "../meters/meter-item.ts";
import { itemsTouched, type RecordingPlace, transactPostings } from "./late-postings.ts";
import {
  adjustmentEntry,
  entryWrite,
  eventKey,
  posting,
  readEntry,
  reversal,
  usageEntry,
} from "./postings.ts";

/** An event, and its result once there is one, or why there is none. */
interface Slot {
  event: UsageEvent;
  outcome?: Recorded;
  failure?: unknown;
}

/**
 * Records events, and gives the results in order. Where some cannot be recorded, the others are nevertheless: then it
 * throws `PartlyRecorded`, or why the first was not if none was. Repeating all is safe.
 */
export async function recordEvents(place: RecordingPlace, events: UsageEvent[]): Promise<Recorded[]> {
  const slots: Slot[] = events.map((event) => ({ event }));
  const isOpen = (slot: Slot) => !slot.outcome && !("failure" in slot);
  for (let rest = slots; rest.length > 0; rest = rest.filter(isOpen)) {
    // A transaction may change an item only once. A second event of a request waits for the next round.
    const first = new Set<string>();
    const round = rest.filter(({ event }) => !first.has(event.id) && first.add(event.id));
    for (const batches of turnsOf(batchesOf(round, place)))
      await Promise.all(batches.map(({ slots }) => recordOrFail(place, slots)));
  }
  const failed = slots.find((slot) => "failure" in slot);
  if (!failed) return slots.map(({ outcome }) => outcome ?? "duplicate");
  const results = slots.map(({ outcome }) => outcome);
  throw results.some(Boolean) ? new PartlyRecorded(results, failed.failure) : failed.failure;
}

async function recordOrFail(place: RecordingPlace, batch: Slot[]): Promise<void> {
  try {
    await recordBatch(place, batch);
  } catch (failure) {
    for (const slot of batch) if (!slot.outcome) slot.failure = failure;
  }
}

/** Events of one transaction, and the names of the rollups and seals that they may change. */
interface Batch {
  slots: Slot[];
  touched: Set<string>;
}

/** Batches that fit into a transaction each. Events of one rollup stand together, so few transactions write it. */
function batchesOf(slots: Slot[], place: RecordingPlace): Batch[] {
  const batches: Batch[] = [];
  const placed = slots.map((slot) => ({ slot, own: itemsTouched(slot.event, place) }));
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
async function recordBatch(place: RecordingPlace, batch: Slot[]): Promise<void> {
  if (batch.length === 0) return;
  const { tables, now } = place;
  const events = batch.map(({ event }) => event);
  const entries = events.map((event) => entryWrite(tables.ledger, eventKey(event), usageEntry(event, now)));
  const writes = entries.map(({ write }) => write);
  const postings = events.map((event, at) => posting(event, entries[at]?.hash ?? 0n));
  const outcomes = await transactPostings(place, writes, postings);
  const fresh: Slot[] = [];
  for (const [i, slot] of batch.entries()) {
    if (!outcomes) slot.outcome = "recorded";
    else if (outcomes[i]?.failed) slot.outcome = await recordKnown(place, slot.event, outcomes[i].item);
    else fresh.push(slot);
  }
  await recordBatch(place, fresh);
}

/** Records an event whose request has an entry. It corrects an estimate of the sweeper; else it is a duplicate. */
async function recordKnown(
  place: RecordingPlace,
  event: UsageEvent,
  known: Item | undefined,
): Promise<Recorded> {
  const base = known && readEntry(known);
  const estimate = base?.event;
  if (!estimate || recordingOf(event, [base]) !== "corrected") return "duplicate";
  const { tables, now } = place;
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
  const outcomes = await transactPostings(place, actions, postings);
  if (!outcomes) return "corrected";
  if (outcomes[0]?.failed) return "duplicate";
  throw new Error(`no meter item ${event.meter}#${event.shard}`);
}

/**
 * What a correction adds to the meter: points, calls of the quota month, points of the plan's day, parts of its
 * budgets. Undefined where nothing changes.
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
  for (const counter of countersKept(estimate)) {
    amounts.push([counter, budgetCost(event.mode, event) - budgetCost(event.mode, estimate)]);
  }
  const changed = amounts.filter(([, amount]) => amount !== 0n);
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}
