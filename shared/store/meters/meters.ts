/** The meters on DynamoDB (design §3): admission is one conditional write, settlement another. */

import { GatewayError } from "../../errors.ts";
import type { Admission, Hold, Meters, Settlement } from "../../meters/meter.ts";
import { type Aws, type Doubt, isOverload } from "../../platform/aws.ts";
import { pause } from "../../platform/pause.ts";
import { type Item, toAttribute } from "../dynamodb/attributes.ts";
import { absent, type Change, exists } from "../dynamodb/expressions.ts";
import { meterKey, type Tables } from "../dynamodb/item-keys.ts";
import { changeItem, putItem, updateItem } from "../dynamodb/items.ts";
import {
  admissionChange,
  countingChange,
  extensionChange,
  extensionRefusal,
  overloaded,
  refusal,
  tidyingChange,
} from "./admission-writes.ts";
import { minutesOf, releaseChange, settlementAmounts, undoChange } from "./amounts.ts";
import { closedIntent, newIntent, readIntent, upTo } from "./intent.ts";
import { verdict } from "./limit-check.ts";
import { heldBy, names, staleNames } from "./meter-item.ts";
import { createMeterShards, type MeterShards } from "./shards.ts";
import { createMeterUpkeep, type MeterUpkeep } from "./upkeep.ts";

export interface MeterStore extends Meters, MeterShards, MeterUpkeep {}

/** Between two tries to give up an admission: doubled each time, four seconds in all. */
const giveUpWaitMs = 250;
const giveUpWaitMaxMs = 2_000;

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
      if (doubt.doubtful) await abandon(hold);
      return refusal(hold, item);
    }
    const admission = verdict(hold, item);
    if (admission.admitted) images.set(hold, item);
    else if (!(await undo(hold, item).catch(() => false))) await abandon(hold);
    return admission;
  };

  const count = async (hold: Hold): Promise<Admission> => {
    const { done, item } = await updateItem(aws, countingChange(table, hold));
    if (!done || !item) return refusal(hold, item);
    const admission = verdict(hold, item);
    const tidying = admission.admitted && tidyingChange(table, hold, item);
    if (tidying) await changeItem(aws, tidying);
    if (!admission.admitted) await undo(hold, item);
    return admission;
  };

  const undo = async (hold: Hold, item: Item): Promise<boolean> => {
    const mark = closing(hold, hold.at);
    if (await changeItem(aws, { ...undoChange(table, hold, item, true), ...mark })) return true;
    return await changeItem(aws, { ...undoChange(table, hold, item, false), ...mark });
  };

  const settle = async (hold: Hold, settlement: Settlement): Promise<boolean> => {
    const held = { name: names.hold(hold.request), held: heldBy(hold) };
    const amounts = settlementAmounts(hold.request, held.held, settlement, minutesOf(hold));
    const stale = staleNames(images.get(hold) ?? {}, settlement.at);
    const change = releaseChange(table, meterKey(hold.meter, hold.shard), held, amounts, stale);
    return await changeItem(aws, { ...change, ...closing(hold, settlement.at) });
  };

  const giveBack = async (hold: Hold): Promise<boolean> => {
    const nothing: Settlement = { points: 0n, list_points: 0n, tokens: 0, give_back: true, at: hold.at };
    if (await settle(hold, nothing)) return true;
    if (await changeItem(aws, barredHold(table, hold))) return true;
    // It has arrived in between, or a sweep with a fast clock has it.
    return await settle(hold, nothing);
  };

  const inDoubt = new WeakSet<Hold>();
  const abandon = async (hold: Hold): Promise<void> => {
    const bar = () => barIntent(aws, table, hold);
    if (!(await giveUp(() => giveBack(hold), bar))) inDoubt.add(hold);
  };

  const shards = createMeterShards(aws, tables);

  return {
    ...createMeterUpkeep(aws, tables),
    ...shards,

    async admit(hold) {
      try {
        return await (hold.counting ? count(hold) : take(hold));
      } catch (error) {
        if (doubtful.has(hold)) await abandon(hold);
        if (!isOverload(error)) throw error;
        return overloaded;
      }
    },

    async extend(hold, points) {
      try {
        const { done, item } = await updateItem(aws, extensionChange(table, hold, points));
        return done ? { extended: true } : extensionRefusal(hold, points, item);
      } catch (error) {
        if (!isOverload(error)) throw error;
        return { extended: false, error: "global_rate_limited" };
      }
    },

    async intend(intent, attempt) {
      const { done } = await putItem(aws, table, newIntent(intent, attempt), [upTo(attempt)]);
      if (!done) throw new GatewayError("global_rate_limited");
    },

    settle,
    abandon,
    isInDoubt: (hold) => inDoubt.has(hold),

    async balance(meter) {
      const items = await shards.shardsOf(meter);
      return items.reduce((total, { granted, used }) => total + granted - used, 0n);
    },
  };
}

/** The write that keeps a hold from being taken: there is none, and no sweep has had it. */
function barredHold(table: string, { meter, shard, request, at }: Hold): Change {
  const closed = names.closed(request);
  const none = [names.hold(request), names.seized(request), closed].map(absent);
  const set = { [closed]: toAttribute(at) };
  return { table, key: meterKey(meter, shard), set, when: [exists("kind"), ...none] };
}

/** Whether there is no intent any more, nor will be of this attempt or an earlier one. */
async function barIntent(aws: Aws, table: string, { request, attempt }: Hold): Promise<boolean> {
  const { done, item } = await putItem(aws, table, closedIntent(request), [upTo(attempt)]);
  return done || !readIntent(item);
}

/**
 * After an admission that was refused or failed, and may have happened or yet happen: its hold goes back, or
 * can never be taken. Where the meter does not answer the intent is barred instead, without which a sweeper gives
 * the hold back; with it, it would bill a call that was never sent. So neither is given up while load is all
 * that is in the way: the client is refused anyway, and can wait for it. False where neither was taken, or where a sweep
 * was quicker: it has billed the call by its intent, which then stays.
 */
async function giveUp(giveBack: () => Promise<boolean>, bar: () => Promise<boolean>): Promise<boolean> {
  for (let waitMs = giveUpWaitMs; ; waitMs *= 2) {
    try {
      if (await giveBack()) return true;
    } catch {
      // The intent is left.
    }
    try {
      return await bar();
    } catch (error) {
      if (!isOverload(error) || waitMs > giveUpWaitMaxMs) return false;
    }
    await pause(waitMs);
  }
}
