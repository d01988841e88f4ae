/**
 * Usage events → ledger (billing.md §2.7): an entry and the rollups it adds to are one transaction, so a
 * sum always equals its entries; an entry is put only where none is, so whatever comes twice counts once.
 */

import { parsePoints } from "../../billing/points.ts";
import { type Recorded, recordingOf } from "../../ledger/ledger.ts";
import type { UsageEvent } from "../../ledger/usage-event.ts";
import { budgetCost } from "../../meters/budget.ts";
import type { Aws } from "../../platform/aws.ts";
import type { Item } from "../dynamodb/attributes.ts";
import { type Change, exists } from "../dynamodb/expressions.ts";
import { adjustmentKey, entryKey, meterKey, type Tables } from "../dynamodb/item-keys.ts";
import { actionsMax, isContention, update, type Verdict } from "../dynamodb/transaction.ts";
import { names } from "../meters/meter-item.ts";
import { itemsTouched, transactPostings } from "./late-postings.ts";
import { adjustmentEntry, posting, putEntry, readEntry, reversal, usageEntry } from "./postings.ts";

type LedgerTables = Pick<Tables, "ledger" | "counters">;

/** Where events are recorded, and when: an event that was in its day then is posted as such to the end. */
interface Books {
  aws: Aws;
  tables: LedgerTables;
  now: number;
}

/** An event and, in the end, what became of it. */
interface Slot {
  event: UsageEvent;
  outcome?: Recorded;
}

/**
 * Records events at `now` (Unix ms) and says of each, in order, what became of it. Throws when contention
 * or load does not end; then some may be recorded, and repeating all of them is safe.
 */
export async function recordEvents(
  aws: Aws,
  tables: LedgerTables,
  events: UsageEvent[],
  now: number,
): Promise<Recorded[]> {
  const slots: Slot[] = events.map((event) => ({ event }));
  for (let rest = slots; rest.length > 0; rest = rest.filter(({ outcome }) => !outcome)) {
    // A transaction takes an item once, so a request that is there twice waits for the next round.
    const first = new Set<string>();
    const round = rest.filter(({ event }) => !first.has(event.id) && first.add(event.id));
    for (const batch of batchesOf(round, now)) await recordBatch({ aws, tables, now }, batch);
  }
  return slots.map(({ outcome }) => outcome ?? "duplicate");
}

/** Groups whose entries, rollups and seals fit in one transaction. */
function batchesOf(slots: Slot[], now: number): Slot[][] {
  const batches: Slot[][] = [];
  let rollups = new Set<string>();
  for (const slot of slots) {
    const own = new Set(itemsTouched(slot.event, now));
    const batch = batches.at(-1);
    if (batch && batch.length + 1 + rollups.union(own).size <= actionsMax) {
      batch.push(slot);
      rollups = rollups.union(own);
    } else {
      batches.push([slot]);
      rollups = own;
    }
  }
  return batches;
}

/** Writes what can be written of a batch, and settles what each event of it came to. */
async function recordBatch(books: Books, batch: Slot[]): Promise<void> {
  if (batch.length === 0) return;
  const verdicts = await writeBatch(books, batch);
  if (verdicts === "contended") {
    // Smaller transactions meet fewer others.
    const half = Math.ceil(batch.length / 2);
    await recordBatch(books, batch.slice(0, half));
    await recordBatch(books, batch.slice(half));
    return;
  }
  const fresh: Slot[] = [];
  for (const [i, slot] of batch.entries()) {
    if (!verdicts) slot.outcome = "recorded";
    else if (verdicts[i]?.failed) slot.outcome = await recordKnown(books, slot.event, verdicts[i].item);
    else fresh.push(slot);
  }
  await recordBatch(books, fresh);
}

async function writeBatch(
  { aws, tables, now }: Books,
  batch: Slot[],
): Promise<Verdict[] | null | "contended"> {
  const events = batch.map(({ event }) => event);
  const entries = events.map((event) =>
    putEntry(tables.ledger, entryKey(event.organization, event.id), usageEntry(event, now)),
  );
  try {
    return await transactPostings(aws, tables.ledger, entries, events.map(posting), now);
  } catch (error) {
    if (!isContention(error) || batch.length === 1) throw error;
    return "contended";
  }
}

/** An event whose request has an entry: the real one corrects the sweeper's guess, all else is a duplicate. */
async function recordKnown(
  { aws, tables, now }: Books,
  event: UsageEvent,
  known: Item | undefined,
): Promise<Recorded> {
  const base = known && readEntry(known);
  const estimate = base?.event;
  if (!estimate || recordingOf(event, [base]) !== "corrected") return "duplicate";
  const key = adjustmentKey(event.organization, event.id);
  const actions = [putEntry(tables.ledger, key, adjustmentEntry(event, estimate, now))];
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
  const postings = [posting(event), reversal(estimate)];
  const verdicts = await transactPostings(aws, tables.ledger, actions, postings, now);
  if (!verdicts) return "corrected";
  if (verdicts[0]?.failed) return "duplicate";
  throw new Error(`no meter item ${event.meter}#${event.shard}`);
}

/**
 * What the meter was settled with too little: points, a call of its quota month, a part of its key's budget. Undefined
 * when nothing is.
 */
function meterCorrection(event: UsageEvent, estimate: UsageEvent): Record<string, bigint> | undefined {
  const amounts: [name: string, amount: bigint][] = [];
  if (event.mode === "payg") {
    const points = parsePoints(event.cost_points) - parsePoints(estimate.cost_points);
    amounts.push(["avail", -points], ["used", points]);
  } else if (estimate.period !== undefined) {
    amounts.push([names.period(estimate.period), BigInt(event.calls - estimate.calls)]);
  }
  if (estimate.budget !== undefined) {
    amounts.push([estimate.budget, budgetCost(event.mode, event) - budgetCost(event.mode, estimate)]);
  }
  const changed = amounts.filter(([, amount]) => amount !== 0n);
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}
