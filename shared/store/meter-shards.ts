/** The shards of a wallet on DynamoDB: read as one, opened and closed, and money moved between them. */
import type { Hold, Refusal } from "../billing/meter.ts";
import { type Available, gatherAt, type Transfer } from "../billing/shards.ts";
import { limits } from "../limits.ts";
import type { Aws } from "../platform/aws.ts";
import { balanceRefusal, overloaded } from "./admission.ts";
import { type Item, toAttribute } from "./attributes.ts";
import { absent, atLeast, type Change, equals, exists } from "./expressions.ts";
import { getItem, updateItem } from "./items.ts";
import { type MeterItem, names, newMeterItem, readMeterItem } from "./meter-item.ts";
import { meterKey, type Tables } from "./table.ts";
import { actionsMax, isContention, transact, update } from "./transaction.ts";

export interface MeterShards {
  gather(hold: Hold, at?: number): Promise<{ shard: number } | Refusal>;
  /** Every item of a wallet as they stood at one instant: while they were read nothing moved between them. */
  shardsOf(meter: string): Promise<MeterItem[]>;
  /** Makes a shard that takes no calls yet; one that is there is left alone. `shards` are in use. */
  openShard(meter: string, shard: number, shards: number): Promise<void>;
  /** Lets a shard take calls, but those of the keys that these marks say are revoked. */
  useShard(meter: string, shard: number, revoked: Item): Promise<void>;
  /** Takes a shard out of use, `shards` being left, and moves what it has free or owes to the first. */
  emptyShard(meter: string, shard: number, shards: number): Promise<void>;
  /** Moves points if they are there; says whether they were. */
  move(meter: string, transfer: Transfer): Promise<boolean>;
}

/** Items read at once. */
const pageSize = 100;
const readingsMax = 10;

/** The shards in a table of counters. */
export function createMeterShards(aws: Aws, { counters: table }: Pick<Tables, "counters">): MeterShards {
  const read = async (meter: string, shard: number): Promise<MeterItem> => {
    const item = await getItem(aws, table, meterKey(meter, shard));
    if (!item) throw new Error(`no meter item ${meter}#${shard}`);
    return readMeterItem(item);
  };

  const readAll = async (meter: string): Promise<MeterItem[]> => {
    const items = [await read(meter, 0)];
    const opened = items[0]?.opened ?? 1;
    while (items.length < opened) {
      const page = Array.from(
        { length: Math.min(pageSize, opened - items.length) },
        (_, i) => items.length + i,
      );
      items.push(...(await Promise.all(page.map((shard) => read(meter, shard)))));
    }
    return items;
  };

  /** Money moves with `granted`: when none has changed from one reading to the next, none was on its way. */
  const shardsOf = async (meter: string, isEnough = (_: MeterItem[]) => false): Promise<MeterItem[]> => {
    let items = await readAll(meter);
    for (let reading = 1; reading < readingsMax && items.length > 1 && !isEnough(items); reading++) {
      const again = await readAll(meter);
      const stands =
        again.length === items.length &&
        again.every(({ granted }, shard) => granted === items[shard]?.granted);
      items = again;
      if (stands) break;
    }
    return items;
  };

  /** Several transfers to one shard, all or none; false when one is not there or others write too much. */
  const moveAll = async (meter: string, transfers: Transfer[]): Promise<boolean> => {
    const [first] = transfers;
    if (!first) return true;
    const total = transfers.reduce((sum, { points }) => sum + points, 0n);
    const taken = transfers.map(({ from, points }) =>
      granting(table, meter, from, -points, [atLeast("avail", points)]),
    );
    const given = granting(table, meter, first.to, total, [exists("kind")]);
    try {
      return (await transact(aws, [...taken, given].map(update))) === null;
    } catch (error) {
      if (!isContention(error)) throw error;
      return false;
    }
  };

  return {
    shardsOf: (meter) => shardsOf(meter),

    async gather(hold, at) {
      for (let round = 0; round < limits.gatherRoundsMax; round++) {
        const items = await shardsOf(hold.meter, (read) => sum(read, ({ avail }) => avail) >= hold.points);
        const to = at ?? richest(items.filter(({ gone }) => gone === 0));
        const transfers = gatherAt(to, hold.points, items);
        if (!transfers)
          return balanceRefusal(
            hold,
            sum(items, ({ granted, used }) => granted - used),
          );
        if (await moveAll(hold.meter, transfers.slice(0, actionsMax - 1))) {
          if (transfers.length < actionsMax) return { shard: to };
        }
      }
      return overloaded;
    },

    async openShard(meter, shard, shards) {
      const { pk, ...set } = newMeterItem(meter, shard, "payg");
      const gone = { [names.gone]: toAttribute(shards) };
      const key = meterKey(meter, shard);
      await updateItem(aws, { table, key, set: { ...set, ...gone }, when: [absent("pk")] });
    },

    async useShard(meter, shard, revoked) {
      const change = { table, key: meterKey(meter, shard), set: revoked, remove: [names.gone] };
      await updateItem(aws, { ...change, when: [exists("kind")] });
    },

    async emptyShard(meter, shard, shards) {
      const { avail, gone } = await read(meter, shard);
      if (avail === 0n && gone === shards) return;
      const set = { [names.gone]: toAttribute(shards) };
      const left = granting(table, meter, shard, -avail, [equals("avail", toAttribute(avail))]);
      if (avail === 0n) await updateItem(aws, { ...left, set });
      // What has changed meanwhile is moved by the next pass.
      else
        await transact(aws, [
          update({ ...left, set }),
          update(granting(table, meter, 0, avail, [exists("kind")])),
        ]);
    },

    move: (meter, transfer) => moveAll(meter, [transfer]),
  };
}

/** The change by which a shard is given points that another had been granted. */
function granting(
  table: string,
  meter: string,
  shard: number,
  points: bigint,
  when: Change["when"] & {},
): Change {
  return { table, key: meterKey(meter, shard), add: { granted: points, avail: points }, when };
}

function richest(shards: Available): number {
  return shards.reduce((most, each) => (each.avail > most.avail ? each : most)).shard;
}

function sum(items: MeterItem[], amount: (item: MeterItem) => bigint): bigint {
  return items.reduce((total, item) => total + amount(item), 0n);
}
