/** Opens and retires the shards of a wallet on DynamoDB, and evens them out. No call waits for it. */

import type { Aws } from "../../../base/platform/aws.ts";
import { transactionsOf } from "../../../books/meters/growth.ts";
import type { Meters } from "../../../books/meters/meter.ts";
import { toAttribute } from "../dynamodb/attributes.ts";
import { absent, type Change, equals, exists } from "../dynamodb/expressions.ts";
import { meterKey, type TableNames } from "../dynamodb/item-keys.ts";
import { changeItem, updateItem } from "../dynamodb/items.ts";
import { actionsMax, transact, update } from "../dynamodb/transaction.ts";
import { names, newMeterItem, readMeterItem, removalsMax } from "./meter-item.ts";
import { moveAll } from "./shards.ts";

type ShardUpkeep = Pick<Meters, "openShard" | "useShard" | "emptyShard" | "move">;

/** The upkeep of the shards in a table of counters. */
export function createShardUpkeep(aws: Aws, { counters: table }: Pick<TableNames, "counters">): ShardUpkeep {
  return {
    async openShard(meter, shard, shards) {
      const { pk, ...set } = newMeterItem(meter, shard, "payg");
      const retired = { [names.retired]: toAttribute(shards) };
      const key = meterKey(meter, shard);
      await changeItem(aws, { table, key, set: { ...set, ...retired }, when: [absent("pk")] });
    },

    async useShard(meter, shard, ended) {
      const marks = [...ended].map(([revision, at]) => [names.endedAs(revision), toAttribute(at)] as const);
      const change = { set: Object.fromEntries(marks), remove: [names.retired], when: [exists("kind")] };
      await changeItem(aws, { table, key: meterKey(meter, shard), ...change });
    },

    async emptyShard(meter, shard, shards) {
      const key = meterKey(meter, shard);
      // The mark comes first. From then on only settlements change what the shard has.
      const set = { [names.retired]: toAttribute(shards) };
      const { item } = await updateItem(aws, { table, key, set, when: [exists("kind")] });
      if (!item) return;
      const { avail, budgets } = readMeterItem(item);
      const points = avail === 0n ? {} : { granted: avail, avail };
      const parts = Object.fromEntries([...budgets].slice(0, removalsMax));
      const moves = budgets.size === 0 ? {} : { [names.moves]: 1n };
      if (avail === 0n && budgets.size === 0) return;
      const left: Change = {
        ...{ table, key },
        add: { ...negated(points), ...moves },
        remove: Object.keys(parts),
        when: Object.entries({ avail, ...parts }).map(([name, value]) => equals(name, toAttribute(value))),
      };
      const given = { table, key: meterKey(meter, 0), add: { ...points, ...parts, ...moves } };
      // If it has changed since, nothing moves, and the next pass does it.
      await transact(aws, [left, { ...given, when: [exists("kind")] }].map(update));
    },

    async move(meter, transfers) {
      let isMoved = true;
      for (const group of transactionsOf(transfers, actionsMax)) {
        isMoved = (await moveAll(aws, table, meter, group)) && isMoved;
      }
      return isMoved;
    },
  };
}

function negated(amounts: Record<string, bigint>): Record<string, bigint> {
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, -amount]));
}
