/** What sweep, audit and operator do with meters: open them, read them in full, and settle calls that died. */

import type { Aws } from "../../../base/platform/aws.ts";
import { timeOf } from "../../../base/platform/id.ts";
import type { Meters } from "../../../books/meters/meter.ts";
import { toAttribute } from "../dynamodb/attributes.ts";
import { absent, exists } from "../dynamodb/expressions.ts";
import { intentKey, meterKey, type TableNames } from "../dynamodb/item-keys.ts";
import { changeItem, getItem, putItem, updateItem } from "../dynamodb/items.ts";
import { releaseChange, settlementAmounts } from "./amounts.ts";
import { closedIntent, lastAttempt, readIntent } from "./intent.ts";
import { names, newMeterItem, readHeld, readMeterItem } from "./meter-item.ts";

type MeterUpkeep = Pick<
  Meters,
  "open" | "readMeter" | "seize" | "settleSeized" | "closeIntent" | "fixIntent"
>;

/** The upkeep of the meters of a table of counters. */
export function createMeterUpkeep(aws: Aws, { counters: table }: Pick<TableNames, "counters">): MeterUpkeep {
  const readMeter: MeterUpkeep["readMeter"] = async (meter, shard) => {
    const item = await getItem(aws, table, meterKey(meter, shard));
    return item && readMeterItem(item);
  };

  return {
    readMeter,

    async open(meter, shard, mode) {
      await putItem(aws, table, newMeterItem(meter, shard, mode), [absent("pk")]);
    },

    async seize(meter, shard, request) {
      const rename = { from: names.hold(request), to: names.seized(request) };
      const change = { table, key: meterKey(meter, shard), rename, when: [exists(rename.from)] };
      const seized = (await updateItem(aws, change)).item?.[rename.to];
      return seized && readHeld(seized);
    },

    async settleSeized(meter, shard, request, held, settlement) {
      const amounts = settlementAmounts(request, held, settlement, []);
      const seized = { name: names.seized(request), held };
      const change = releaseChange(table, meterKey(meter, shard), seized, amounts, []);
      // The gateway may be alive and repeat an admission whose answer was lost: the mark refuses that. A sweep whose
      // clock is far behind must not leave a mark that has run out already.
      const set = { [names.closed(request)]: toAttribute(Math.max(settlement.at, timeOf(request))) };
      return await changeItem(aws, { ...change, set });
    },

    async closeIntent(request) {
      const { item } = await putItem(aws, table, closedIntent(request), [absent("pk")]);
      return readIntent(item);
    },

    async fixIntent(request) {
      const change = { table, key: intentKey(request), set: lastAttempt, when: [exists("intent")] };
      return readIntent((await updateItem(aws, change)).item);
    },
  };
}
