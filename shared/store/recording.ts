/**
 * Usage events → ledger (billing.md §2.7): an entry and the rollups it adds to are one transaction, so a
 * sum always equals its entries; an entry is put only where none is, so whatever comes twice counts once.
 */
import type { Recorded } from "../billing/ledger.ts";
import { parsePoints } from "../billing/points.ts";
import type { UsageEvent } from "../billing/usage-event.ts";
import type { Aws } from "../platform/aws.ts";
import type { Item } from "./attributes.ts";
import { type Change, exists } from "./expressions.ts";
import { readIntent } from "./intent.ts";
import { getItem } from "./items.ts";
import { names } from "./meter-item.ts";
import {
  adjustmentEntry,
  posting,
  putEntry,
  readEntry,
  reversal,
  rollupKeys,
  rollupUpdates,
  usageEntry,
} from "./postings.ts";
import { adjustmentKey, entryKey, intentKey, meterKey, type Tables } from "./table.ts";
import { actionsMax, isContention, transact, update, type Verdict } from "./transaction.ts";

type LedgerTables = Pick<Tables, "ledger" | "counters">;

/** An event and, in the end, what became of it. */
interface Slot {
  event: UsageEvent;
  outcome?: Recorded;
}

/**
 * Records events and says of each, in order, what became of it. Throws when contention or load does not
 * end; then some may be recorded, and repeating all of them is safe.
 */
export async function recordEvents(
  aws: Aws,
  tables: LedgerTables,
  events: UsageEvent[],
): Promise<Recorded[]> {
  const slots: Slot[] = events.map((event) => ({ event }));
  for (let rest = slots; rest.length > 0; rest = rest.filter(({ outcome }) => !outcome)) {
    // A transaction takes an item once, so a request that is there twice waits for the next round.
    const first = new Set<string>();
    const round = rest.filter(({ event }) => !first.has(event.id) && first.add(event.id));
    for (const batch of batchesOf(round)) await recordBatch(aws, tables, batch);
  }
  return slots.map(({ outcome }) => outcome ?? "duplicate");
}

/** Groups whose entries and rollups fit in one transaction. */
function batchesOf(slots: Slot[]): Slot[][] {
  const batches: Slot[][] = [];
  let rollups = new Set<string>();
  for (const slot of slots) {
    const own = new Set(rollupKeys(slot.event).map((key) => JSON.stringify(key)));
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
async function recordBatch(aws: Aws, tables: LedgerTables, batch: Slot[]): Promise<void> {
  if (batch.length === 0) return;
  const verdicts = await writeBatch(aws, tables, batch);
  if (verdicts === "contended") {
    // Smaller transactions meet fewer others.
    const half = Math.ceil(batch.length / 2);
    await recordBatch(aws, tables, batch.slice(0, half));
    await recordBatch(aws, tables, batch.slice(half));
    return;
  }
  const fresh: Slot[] = [];
  for (const [i, slot] of batch.entries()) {
    if (!verdicts) slot.outcome = "recorded";
    else if (verdicts[i]?.failed) slot.outcome = await recordKnown(aws, tables, slot.event, verdicts[i].item);
    else fresh.push(slot);
  }
  await recordBatch(aws, tables, fresh);
}

async function writeBatch(
  aws: Aws,
  tables: LedgerTables,
  batch: Slot[],
): Promise<Verdict[] | null | "contended"> {
  const events = batch.map(({ event }) => event);
  const entries = events.map((event) =>
    putEntry(tables.ledger, entryKey(event.organization, event.id), usageEntry(event)),
  );
  try {
    return await transact(aws, [...entries, ...rollupUpdates(tables.ledger, events.map(posting))]);
  } catch (error) {
    if (!isContention(error) || batch.length === 1) throw error;
    return "contended";
  }
}

/** An event whose request has an entry: the real one corrects the sweeper's guess, all else is a duplicate. */
async function recordKnown(
  aws: Aws,
  tables: LedgerTables,
  event: UsageEvent,
  known: Item | undefined,
): Promise<Recorded> {
  const estimate = known && readEntry(known).event;
  if (estimate?.source !== "sweeper" || event.source !== "gateway") return "duplicate";
  const key = adjustmentKey(event.organization, event.id);
  const actions = [
    putEntry(tables.ledger, key, adjustmentEntry(event, estimate)),
    ...rollupUpdates(tables.ledger, [posting(event), reversal(estimate)]),
  ];
  const add = await meterCorrection(aws, tables, event, estimate);
  if (add) {
    const change: Change = {
      table: tables.counters,
      key: meterKey(event.meter, event.shard),
      add,
      when: [exists("kind")],
    };
    actions.push(update(change));
  }
  const verdicts = await transact(aws, actions);
  if (!verdicts) return "corrected";
  if (verdicts[0]?.failed) return "duplicate";
  throw new Error(`no meter item ${event.meter}#${event.shard}`);
}

/**
 * What the meter was settled with too little: points, or a call of the quota month that the intent names.
 * Undefined when nothing is. An intent that is forgotten by now leaves the count as it was estimated.
 */
async function meterCorrection(
  aws: Aws,
  tables: LedgerTables,
  event: UsageEvent,
  estimate: UsageEvent,
): Promise<Record<string, bigint> | undefined> {
  if (event.mode === "payg") {
    const points = parsePoints(event.cost_points) - parsePoints(estimate.cost_points);
    return points === 0n ? undefined : { avail: -points, used: points };
  }
  if (event.calls === estimate.calls) return undefined;
  const intent = readIntent(await getItem(aws, tables.counters, intentKey(event.id)));
  return intent && { [names.period(intent.period)]: BigInt(event.calls - estimate.calls) };
}
