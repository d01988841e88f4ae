/** Counts of messages on DynamoDB: an item for each count and window, and one for the blocks stopped on a day. */

import type { Aws } from "../../../base/platform/aws.ts";
import { spanOf } from "../../../books/billing/period.ts";
import type { Velocity, VelocityCount, VelocityCounts } from "../../../people/identity/velocity.ts";
import { velocityKey } from "../dynamodb/account-keys.ts";
import { type Item, toAttribute } from "../dynamodb/attributes.ts";
import { absentOrAtMost, absentOrBelow } from "../dynamodb/expressions.ts";
import type { TableNames } from "../dynamodb/item-keys.ts";
import { changeItem, getItem, updateItem } from "../dynamodb/items.ts";

/** The attribute of a count that is alone in its item. */
const sent = "sent";
/** How long an item is kept after its window: a clock may be behind. */
const keptMs = 3_600_000;
/** Stops are shown for a day more. */
const stopsKeptMs = 2 * 86_400_000;

/** Each method sends one request. A write whose answer is lost is repeated: there is then room for one message less. */
export function createVelocity(aws: Aws, { accounts: table }: Pick<TableNames, "accounts">): Velocity {
  const add = (count: VelocityCount, add: Record<string, number>) => ({
    table,
    key: velocityKey(count.what, count.window),
    set: { expires_at: expiryOf(count.ends_at + keptMs) },
    add,
  });
  /** The numbers of an item by their names, which begin with a plus as phones do. */
  const plusNumbers = async (key: Item): Promise<Record<string, number>> => {
    const fields = Object.entries((await getItem(aws, table, key)) ?? {});
    const named = fields.filter(([name]) => name.startsWith("+"));
    return Object.fromEntries(named.map(([name, value]) => [name, Number(value.N)]));
  };
  return {
    async read({ what, window, of }) {
      return countedIn(await getItem(aws, table, velocityKey(what, window)), of);
    },

    async take(count) {
      const { most, of = sent } = count;
      const when = most === undefined ? [] : [absentOrBelow(of, most)];
      const written = await updateItem(aws, { ...add(count, { [of]: 1 }), when });
      return written.done ? countedIn(written.item, of) : undefined;
    },

    async giveBack(count) {
      await changeItem(aws, add(count, { [count.of ?? sent]: -1 }));
    },

    async complete(count) {
      await changeItem(aws, add(count, { completed: 1 }));
    },

    async raise(count, by) {
      const written = await updateItem(aws, add(count, { raised: by }));
      return countedIn(written.item).raised;
    },

    async stop(block, at, until) {
      return await changeItem(aws, {
        table,
        key: stopsKey(at),
        set: { [block]: toAttribute(until), expires_at: expiryOf(at + stopsKeptMs) },
        when: [absentOrAtMost(block, BigInt(at))],
      });
    },

    stops: (at) => plusNumbers(stopsKey(at)),
    countries: (at) => plusNumbers(velocityKey("countries", spanOf(at, "day"))),
  };
}

/** The blocks that were stopped on a UTC day, each an attribute of its own. */
function stopsKey(at: number): Item {
  return velocityKey("stops", spanOf(at, "day"));
}

function expiryOf(at: number) {
  return toAttribute(Math.ceil(at / 1000));
}

function countedIn(item: Item | undefined, of = sent): VelocityCounts {
  const numberOf = (name: string) => Number(item?.[name]?.N ?? 0);
  return { sent: numberOf(of), completed: numberOf("completed"), raised: numberOf("raised") };
}
