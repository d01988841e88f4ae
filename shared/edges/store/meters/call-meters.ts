/** The meters on DynamoDB as a gateway needs them: one conditional write admits a call, another one settles it. */
import { type Aws, isOverload } from "../../../base/platform/aws.ts";
import { budgetUses, type CallMeters, type Meters } from "../../../books/meters/meter.ts";
import { intentKey, meterKey, type TableNames } from "../dynamodb/item-keys.ts";
import { attemptChange, getItem } from "../dynamodb/items.ts";
import { endOfTurn, type Tick } from "../joining.ts";
import { extensionChange, extensionRefusal } from "./admission-writes.ts";
import { createAdmit } from "./admissions.ts";
import { isShared } from "./budget.ts";
import { abandon } from "./giving-up.ts";
import { readIntent } from "./intent.ts";
import { createIntend } from "./intents.ts";
import { readMeterItem } from "./meter-item.ts";
import { createSettle } from "./settlements.ts";
import { createWalletShards } from "./shards.ts";

/** The call meters of a table of counters. The code of the other methods is not in a gateway's bundle. */
export function createCallMeters(
  aws: Aws,
  tables: Pick<TableNames, "counters">,
  tick: Tick = endOfTurn,
): CallMeters & Pick<Meters, "shardsOf"> {
  const table = tables.counters;
  const { gather, shardsOf } = createWalletShards(aws, tables);

  return {
    gather,
    shardsOf,

    admit: createAdmit(aws, table, tick),

    async extend(ticket, points) {
      const { hold } = ticket;
      try {
        const { done, item } = await attemptChange(aws, extensionChange(table, hold, points));
        const refused = done ? undefined : extensionRefusal(hold, points, item);
        return refused ?? { extended: true, ticket: { ...ticket, hold: { ...hold, points } } };
      } catch (error) {
        if (!isOverload(error)) throw error;
        return { extended: false, error: "global_rate_limited" };
      }
    },

    intend: createIntend(aws, table, tick),

    settle: createSettle(aws, table, tick),
    abandon: (ticket) => abandon(aws, table, ticket),

    async intent(request) {
      return readIntent(await getItem(aws, table, intentKey(request)));
    },

    async budgets(meter) {
      const item = await getItem(aws, table, meterKey(meter, 0));
      if (!item) return new Map();
      const first = readMeterItem(item);
      return budgetUses(isShared(first) ? await shardsOf(meter) : [first]);
    },

    async balance(meter) {
      const items = await shardsOf(meter);
      return items.reduce((total, { granted, used }) => total + granted - used, 0n);
    },
  };
}
