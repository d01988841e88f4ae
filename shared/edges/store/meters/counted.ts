/** A subscription's meter with its counters of minutes and days, for whoever wants to see what is used of its limits. */

import type { Aws } from "../../../base/platform/aws.ts";
import { ownName } from "../../../books/meters/budget.ts";
import type { CountedMeters } from "../../../books/meters/limit-use.ts";
import { type Item, readBigint } from "../dynamodb/attributes.ts";
import { meterKey, type TableNames } from "../dynamodb/item-keys.ts";
import { getItem } from "../dynamodb/items.ts";
import { readMeterItem } from "./meter-item.ts";

/** The counted meters of a table of counters. One read gives all. */
export function createCountedMeters(
  aws: Aws,
  { counters: table }: Pick<TableNames, "counters">,
): CountedMeters {
  return {
    async counted(meter) {
      const item = await getItem(aws, table, meterKey(meter, 0));
      return item && { ...readMeterItem(item), counters: rateCounters(item) };
    },
  };
}

/** A bucket of the sliding minute, or the tokens of a day (books/meters/window.ts). */
const rateCounterName = /^(?:[st][0-9a-z]+|d\d+)$/;

function rateCounters(item: Item): [name: string, value: bigint][] {
  return Object.keys(item)
    .filter((name) => rateCounterName.test(ownName(name)))
    .map((name) => [name, readBigint(item[name])]);
}
