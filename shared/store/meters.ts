/** The meters on DynamoDB (design §3): admission is one conditional write, settlement another. */
import type { Admission, Hold, Meters } from "../billing/meter.ts";
import { GatewayError } from "../errors.ts";
import { type Aws, isOverload } from "../platform/aws.ts";
import {
  admissionChange,
  countingChange,
  extensionChange,
  extensionRefusal,
  mustTidy,
  overloaded,
  refusal,
  tidyingChange,
  verdict,
} from "./admission.ts";
import type { Item } from "./attributes.ts";
import { absent, either, exists } from "./expressions.ts";
import { newIntent } from "./intent.ts";
import { changeItem, putItem, updateItem } from "./items.ts";
import {
  heldBy,
  minutesOf,
  names,
  releaseChange,
  settlementAmounts,
  staleNames,
  undoChange,
} from "./meter-item.ts";
import { createMeterShards, type MeterShards } from "./meter-shards.ts";
import { createMeterUpkeep, type MeterUpkeep } from "./meter-upkeep.ts";
import { meterKey, type Tables } from "./table.ts";

export interface MeterStore extends Meters, MeterShards, MeterUpkeep {}

/** The meters of a table of counters. */
export function createMeters(aws: Aws, tables: Pick<Tables, "counters">): MeterStore {
  const table = tables.counters;
  // The image a hold was admitted on names what is stale by the time that hold is settled.
  const images = new WeakMap<Hold, Item>();

  const take = async (hold: Hold): Promise<Admission> => {
    const { item } = await updateItem(aws, admissionChange(table, hold));
    // A hold of our own that is there already is this very call, whose first answer was lost.
    if (!item || !(names.hold(hold.request) in item)) return refusal(hold, item);
    const admission = verdict(hold, item);
    if (admission.admitted) images.set(hold, item);
    else await undo(hold, item);
    return admission;
  };

  const count = async (hold: Hold): Promise<Admission> => {
    const { done, item } = await updateItem(aws, countingChange(table, hold));
    if (!done || !item) return refusal(hold, item);
    const admission = verdict(hold, item);
    if (!admission.admitted) await undo(hold, item);
    else if (mustTidy(hold, item)) await changeItem(aws, tidyingChange(table, hold, item));
    return admission;
  };

  const undo = async (hold: Hold, item: Item): Promise<void> => {
    const done = await changeItem(aws, undoChange(table, hold, item, true));
    if (!done) await changeItem(aws, undoChange(table, hold, item, false));
  };

  const shards = createMeterShards(aws, tables);

  return {
    ...createMeterUpkeep(aws, tables),
    ...shards,

    async admit(hold) {
      try {
        return await (hold.counting ? count(hold) : take(hold));
      } catch (error) {
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

    async intend(intent) {
      const open = either(absent("pk"), exists("intent"));
      const { done } = await putItem(aws, table, newIntent(intent), [open]);
      if (!done) throw new GatewayError("global_rate_limited");
    },

    async settle(hold, settlement) {
      const held = { name: names.hold(hold.request), held: heldBy(hold) };
      const amounts = settlementAmounts(hold.request, held.held, settlement, minutesOf(hold));
      const stale = staleNames(images.get(hold) ?? {}, settlement.at);
      const change = releaseChange(table, meterKey(hold.meter, hold.shard), held, amounts, stale);
      return await changeItem(aws, change);
    },

    async balance(meter) {
      const items = await shards.shardsOf(meter);
      return items.reduce((total, { granted, used }) => total + granted - used, 0n);
    },
  };
}
