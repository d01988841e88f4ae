/** The meters as sweep, audit and operator know them: opened, read in full, and settled for calls that died. */
import type { BillingMode } from "../../accounts/account.ts";
import type { BudgetUse } from "../../meters/budget.ts";
import type { Intent, Settlement } from "../../meters/meter.ts";
import type { Aws } from "../../platform/aws.ts";
import { timeOf } from "../../platform/id.ts";
import { readText, toAttribute } from "../dynamodb/attributes.ts";
import { absent, exists } from "../dynamodb/expressions.ts";
import { intentKey, meterKey, meterKind, readMeterKey, type Tables } from "../dynamodb/item-keys.ts";
import { changeItem, getItem, pages, putItem, updateItem } from "../dynamodb/items.ts";
import { tableSchemas } from "../dynamodb/table-schema.ts";
import { releaseChange, settlementAmounts } from "./amounts.ts";
import { closedIntent, lastAttempt, readIntent } from "./intent.ts";
import {
  budgetUses,
  type Held,
  type MeterItem,
  names,
  newMeterItem,
  readHeld,
  readMeterItem,
} from "./meter-item.ts";

export interface MeterUpkeep {
  /** Makes a meter item; one that is there is left alone. */
  open(meter: string, shard: number, mode: BillingMode): Promise<void>;
  readMeter(meter: string, shard: number): Promise<MeterItem | undefined>;
  /** What keys have spent and hold of their budgets, which are all on the first shard; by `budgetName`. */
  budgets(meter: string): Promise<Map<string, BudgetUse>>;
  /** Every meter item, each read strongly consistent; one made this very moment may be missing. */
  everyMeter(): AsyncIterable<MeterItem>;
  /**
   * Takes a hold away from its gateway, so that only `settleSeized` can end it: what was held, also when it
   * was seized before; undefined when it is settled already.
   */
  seize(meter: string, shard: number, request: string): Promise<Held | undefined>;
  /** Settles a seized hold exactly once: false when it is gone already. */
  settleSeized(
    meter: string,
    shard: number,
    request: string,
    held: Held,
    settlement: Settlement,
  ): Promise<boolean>;
  intent(request: string): Promise<Intent | undefined>;
  /** The intent of a call or, where it has none, the certainty that it never will: then it was never sent. */
  closeIntent(request: string): Promise<Intent | undefined>;
  /** The intent as it will stay: no later attempt of its call can replace it, and so none is held any more. */
  fixIntent(request: string): Promise<Intent | undefined>;
}

/** Meters read at once when all are read. */
const pageSize = 25;

/** The upkeep of the meters of a table of counters. */
export function createMeterUpkeep(aws: Aws, { counters: table }: Pick<Tables, "counters">): MeterUpkeep {
  const readMeter: MeterUpkeep["readMeter"] = async (meter, shard) => {
    const item = await getItem(aws, table, meterKey(meter, shard));
    return item && readMeterItem(item);
  };

  return {
    readMeter,

    async budgets(meter) {
      const item = await readMeter(meter, 0);
      return item ? budgetUses(item) : new Map();
    },

    async open(meter, shard, mode) {
      await putItem(aws, table, newMeterItem(meter, shard, mode), [absent("pk")]);
    },

    async *everyMeter() {
      const { name, partition } = tableSchemas.counters.index;
      const input = {
        TableName: table,
        IndexName: name,
        KeyConditionExpression: "#kind = :meter",
        ExpressionAttributeNames: { "#kind": partition },
        ExpressionAttributeValues: { ":meter": { S: meterKind } },
        Limit: pageSize,
      };
      for await (const page of pages(aws, "Query", input)) {
        const keys = page.map((item) => readMeterKey(readText(item["pk"])));
        const meters = await Promise.all(keys.map(({ meter, shard }) => readMeter(meter, shard)));
        yield* meters.filter((meter) => meter !== undefined);
      }
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
      // Its gateway may be alive, and about to repeat an admission whose answer was lost.
      // A sweeper whose clock is far behind must not leave a mark that is over already.
      const set = { [names.closed(request)]: toAttribute(Math.max(settlement.at, timeOf(request))) };
      return await changeItem(aws, { ...change, set });
    },

    async intent(request) {
      return readIntent(await getItem(aws, table, intentKey(request)));
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
