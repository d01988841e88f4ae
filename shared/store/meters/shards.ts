/** The shards of a wallet on DynamoDB: read as one, opened and closed, and money moved between them. */

import { limits } from "../../limits.ts";
import type { Hold, Refusal } from "../../meters/meter.ts";
import { type Available, gatherAt, type Transfer } from "../../meters/shards.ts";
import type { Aws } from "../../platform/aws.ts";
import { readBigint, toAttribute } from "../dynamodb/attributes.ts";
import { absent, atLeast, type Change, equals, exists } from "../dynamodb/expressions.ts";
import { meterKey, type Tables } from "../dynamodb/item-keys.ts";
import { changeItem, getItem, updateItem } from "../dynamodb/items.ts";
import { actionsMax, isContention, transact, update } from "../dynamodb/transaction.ts";
import { balanceRefusal, overloaded } from "./admission-writes.ts";
import { type MeterItem, names, newMeterItem, readMeterItem } from "./meter-item.ts";

/** A shard that has what was wanted; or that the wallet lacks it; or that others were quicker every time. */
export type Collected = { shard: number } | { lacking: true; free: bigint; posted: bigint } | "contended";

export interface MeterShards {
  /** Finds the shard that has so many points free, moving them there from the wallet's others; `at` says which it must be. */
  collect(meter: string, points: bigint, at?: number): Promise<Collected>;
  gather(hold: Hold, at?: number): Promise<{ shard: number } | Refusal>;
  /** Every item of a wallet as they stood at one instant: while they were read nothing moved between them. */
  shardsOf(meter: string): Promise<MeterItem[]>;
  /** Makes a shard that takes no calls yet; one that is there is left alone. `shards` are in use. */
  openShard(meter: string, shard: number, shards: number): Promise<void>;
  /** Lets a shard take calls, but those of the keys that these marks say are revoked. */
  useShard(meter: string, shard: number, revoked: Map<string, bigint>): Promise<void>;
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
  /** Money moves with `granted`: when none has changed from one reading to the next, none was on its way. */
  const readTogether = async (meter: string, isEnough: (items: MeterItem[]) => boolean) => {
    let items = await readAll(aws, table, meter);
    let certain = items.length === 1;
    for (let reading = 1; reading < readingsMax && !certain && !isEnough(items); reading++) {
      const again = await readAll(aws, table, meter);
      certain =
        again.length === items.length &&
        again.every(({ granted }, shard) => granted === items[shard]?.granted);
      items = again;
    }
    return { items, certain };
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

  const collect: MeterShards["collect"] = async (meter, points, at) => {
    for (let round = 0; round < limits.gatherRoundsMax; round++) {
      const isEnough = (read: MeterItem[]) => sum(read, ({ avail }) => avail) >= points;
      const { items, certain } = await readTogether(meter, isEnough);
      const to = at ?? richest(items.filter(({ gone }) => gone === 0));
      // What one shard owes is not free on another.
      const transfers = isEnough(items) ? gatherAt(to, points, items) : undefined;
      if (!transfers && certain) {
        const posted = sum(items, ({ granted, used }) => granted - used);
        return { lacking: true, free: sum(items, ({ avail }) => avail), posted };
      }
      if (!transfers) continue;
      if (await moveAll(meter, transfers.slice(0, actionsMax - 1))) {
        if (transfers.length < actionsMax) return { shard: to };
      }
    }
    return "contended";
  };

  return {
    async shardsOf(meter) {
      return (await readTogether(meter, () => false)).items;
    },

    collect,

    async gather(hold, at) {
      const found = await collect(hold.meter, hold.points, at);
      if (found === "contended") return overloaded;
      return "lacking" in found ? balanceRefusal(hold, found.posted, found.free) : found;
    },

    async openShard(meter, shard, shards) {
      const { pk, ...set } = newMeterItem(meter, shard, "payg");
      const gone = { [names.gone]: toAttribute(shards) };
      const key = meterKey(meter, shard);
      await changeItem(aws, { table, key, set: { ...set, ...gone }, when: [absent("pk")] });
    },

    async useShard(meter, shard, revoked) {
      const marks = [...revoked].map(([key, at]) => [names.revoked(key), toAttribute(at)] as const);
      const change = { set: Object.fromEntries(marks), remove: [names.gone], when: [exists("kind")] };
      await changeItem(aws, { table, key: meterKey(meter, shard), ...change });
    },

    async emptyShard(meter, shard, shards) {
      const key = meterKey(meter, shard);
      // Marked first: from then on only settlements change what it has.
      const set = { [names.gone]: toAttribute(shards) };
      const { item } = await updateItem(aws, { table, key, set, when: [exists("kind")] });
      const avail = readBigint(item?.["avail"]);
      if (avail === 0n) return;
      const unchanged = [equals("avail", toAttribute(avail))];
      const left = granting(table, meter, shard, -avail, unchanged);
      const given = granting(table, meter, 0, avail, [exists("kind")]);
      // What has changed meanwhile is moved by the next pass.
      await transact(aws, [left, given].map(update));
    },

    move: (meter, transfer) => moveAll(meter, [transfer]),
  };
}

async function readShard(aws: Aws, table: string, meter: string, shard: number): Promise<MeterItem> {
  const item = await getItem(aws, table, meterKey(meter, shard));
  if (!item) throw new Error(`no meter item ${meter}#${shard}`);
  return readMeterItem(item);
}

async function readAll(aws: Aws, table: string, meter: string): Promise<MeterItem[]> {
  const items = [await readShard(aws, table, meter, 0)];
  const opened = items[0]?.opened ?? 1;
  while (items.length < opened) {
    const page = Array.from(
      { length: Math.min(pageSize, opened - items.length) },
      (_, i) => items.length + i,
    );
    items.push(...(await Promise.all(page.map((shard) => readShard(aws, table, meter, shard)))));
  }
  return items;
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
