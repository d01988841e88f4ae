/** The meters on DynamoDB (design §3): admission is one conditional write, settlement another. */
import type { Admission, Hold, Meters, Settlement } from "../billing/meter.ts";
import { GatewayError } from "../errors.ts";
import { type Aws, AwsError, type Doubt, ThrottledError } from "../platform/aws.ts";
import { admissionChange, countingChange, mustTidy, refusal, tidyingChange, verdict } from "./admission.ts";
import { type Item, toAttribute } from "./attributes.ts";
import { absent, type Change, exists } from "./expressions.ts";
import { closedIntent, newIntent, wasClosed } from "./intent.ts";
import { getItem, putItem, updateItem } from "./items.ts";
import {
  heldBy,
  names,
  readMeterItem,
  releaseChange,
  settlementAmounts,
  staleNames,
  undoChange,
} from "./meter-item.ts";
import { createMeterUpkeep, type MeterUpkeep } from "./meter-upkeep.ts";
import { meterKey, type Tables } from "./table.ts";

export interface MeterStore extends Meters, MeterUpkeep {}

/** The meters of a table of counters. */
export function createMeters(aws: Aws, tables: Pick<Tables, "counters">): MeterStore {
  const table = tables.counters;
  // The image a hold was admitted on names what is stale by the time that hold is settled.
  const images = new WeakMap<Hold, Item>();

  // A request that was given up may arrive after its hold has ended: what ends such a hold leaves a mark.
  const doubtful = new WeakSet<Hold>();
  const closing = (hold: Hold, at: number): Pick<Change, "set"> =>
    doubtful.has(hold) ? { set: { [names.closed(hold.request)]: toAttribute(at) } } : {};

  const take = async (hold: Hold): Promise<Admission> => {
    const doubt: Doubt = { doubtful: false };
    const asked = updateItem(aws, admissionChange(table, hold), doubt);
    const { item } = await asked.finally(() => doubt.doubtful && doubtful.add(hold));
    // A hold of our own that is there already is this very call, whose first answer was lost.
    if (!item || !(names.hold(hold.request) in item)) {
      if (doubt.doubtful) await giveUp(hold);
      return refusal(hold, item);
    }
    const admission = verdict(hold, item);
    if (admission.admitted) images.set(hold, item);
    else await undo(hold, item).catch(() => giveUp(hold));
    return admission;
  };

  const count = async (hold: Hold): Promise<Admission> => {
    const { done, item } = await updateItem(aws, countingChange(table, hold));
    if (!done || !item) return refusal(hold, item);
    const admission = verdict(hold, item);
    if (!admission.admitted) await undo(hold, item);
    else if (mustTidy(hold, item)) await updateItem(aws, tidyingChange(table, hold, item));
    return admission;
  };

  const undo = async (hold: Hold, item: Item): Promise<void> => {
    const mark = closing(hold, hold.at);
    const { done } = await updateItem(aws, { ...undoChange(table, hold, item, true), ...mark });
    if (!done) await updateItem(aws, { ...undoChange(table, hold, item, false), ...mark });
  };

  const settle = async (hold: Hold, settlement: Settlement): Promise<boolean> => {
    const held = { name: names.hold(hold.request), held: heldBy(hold) };
    const amounts = settlementAmounts(hold.request, held.held, settlement, hold.terms?.rpm ?? null);
    const stale = staleNames(images.get(hold) ?? {}, settlement.at);
    const change = releaseChange(table, meterKey(hold.meter, hold.shard), held, amounts, stale);
    return (await updateItem(aws, { ...change, ...closing(hold, settlement.at) })).done;
  };

  /**
   * After an admission that was refused or failed, and may have happened or yet happen: its hold goes back, or
   * can never be taken. Where the meter does not answer the intent goes instead, without which a sweeper gives
   * the hold back; with it, it would bill a call that was never sent.
   */
  const giveUp = async (hold: Hold): Promise<void> => {
    const nothing: Settlement = { points: 0n, tokens: 0, give_back: true, at: hold.at };
    try {
      if (await settle(hold, nothing)) return;
      const mark = { table, key: meterKey(hold.meter, hold.shard), ...closing(hold, hold.at) };
      const { done } = await updateItem(aws, {
        ...mark,
        when: [exists("kind"), absent(names.hold(hold.request))],
      });
      // It has arrived in between.
      if (!done) await settle(hold, nothing);
    } catch {
      await putItem(aws, table, closedIntent(hold.request), []).catch(() => {});
    }
  };

  return {
    ...createMeterUpkeep(aws, tables),

    async admit(hold) {
      try {
        return await (hold.counting ? count(hold) : take(hold));
      } catch (error) {
        if (doubtful.has(hold)) await giveUp(hold);
        if (!isOverload(error)) throw error;
        return { admitted: false, error: "global_rate_limited", retry_after_seconds: 1, standing: {} };
      }
    },

    async intend(intent) {
      const { item } = await putItem(aws, table, newIntent(intent), [absent("pk")]);
      if (item && wasClosed(item)) throw new GatewayError("global_rate_limited");
    },

    settle,

    async balance(meter, shards) {
      const keys = Array.from({ length: shards }, (_, shard) => meterKey(meter, shard));
      const items = await Promise.all(keys.map((key) => getItem(aws, table, key)));
      const posted = items.map((item) => (item ? readMeterItem(item) : { granted: 0n, used: 0n }));
      return posted.reduce((total, { granted, used }) => total + granted - used, 0n);
    },
  };
}

/** The store refuses for load, or the item stayed under transactions through every retry. */
function isOverload(error: unknown): boolean {
  return (
    error instanceof ThrottledError ||
    (error instanceof AwsError && error.code === "TransactionConflictException")
  );
}
