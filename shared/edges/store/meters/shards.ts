/** The shards of a wallet on DynamoDB: reads them as one, and moves points between them. */

import { limits } from "../../../base/limits.ts";
import type { Aws } from "../../../base/platform/aws.ts";
import type { Meter, Meters } from "../../../books/meters/meter.ts";
import { gatherAt, type Transfer } from "../../../books/meters/shards.ts";
import { atLeast, type Change, exists } from "../dynamodb/expressions.ts";
import { meterKey, type TableNames } from "../dynamodb/item-keys.ts";
import { getItem } from "../dynamodb/items.ts";
import { actionsMax, isContention, transact, update } from "../dynamodb/transaction.ts";
import { balanceRefusal, overloaded } from "./admission-writes.ts";
import { readMeterItem } from "./meter-item.ts";

/** The shard that has the points; or that the wallet has too few; or that other calls took them each time. */
type Collected = { shard: number } | { lacking: true; free: bigint; posted: bigint } | "contended";

interface WalletShards extends Pick<Meters, "gather" | "shardsOf"> {
  /** Finds a shard with so many free points, or moves points to one from others. `at` demands a certain shard. */
  collect(meter: string, points: bigint, at?: number): Promise<Collected>;
}

/** Items read at once. */
const pageSize = 100;
const readingsMax = 10;

/** The shards in a table of counters. */
export function createWalletShards(
  aws: Aws,
  { counters: table }: Pick<TableNames, "counters">,
): WalletShards {
  /** A transfer changes `granted` on both sides. If two readings agree in it, no points moved between them. */
  const readTogether = async (meter: string, isEnough: (items: Meter[]) => boolean) => {
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

  const collect: WalletShards["collect"] = async (meter, points, at) => {
    for (let round = 0; round < limits.gatherRoundsMax; round++) {
      const isEnough = (read: Meter[]) => sum(read, ({ avail }) => avail) >= points;
      const { items, certain } = await readTogether(meter, isEnough);
      const to = at ?? richest(items.filter(({ shardsAtRetirement }) => shardsAtRetirement === null));
      // A shard may owe points. Then the others do not have all of their free points to give.
      const transfers = isEnough(items) ? gatherAt(to, points, items) : undefined;
      if (!transfers && certain) {
        const posted = sum(items, ({ granted, used }) => granted - used);
        return { lacking: true, free: sum(items, ({ avail }) => avail), posted };
      }
      if (!transfers) continue;
      if (await moveAll(aws, table, meter, transfers.slice(0, actionsMax - 1))) {
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
  };
}

/** Makes all transfers, or none: false where points are missing or other writers are in the way. */
export async function moveAll(
  aws: Aws,
  table: string,
  meter: string,
  transfers: Transfer[],
): Promise<boolean> {
  const changes = new Map<number, bigint>();
  for (const { from, to, points } of transfers) {
    changes.set(from, (changes.get(from) ?? 0n) - points);
    changes.set(to, (changes.get(to) ?? 0n) + points);
  }
  if (changes.size === 0) return true;
  const writes = [...changes].map(([shard, points]) =>
    granting(table, meter, shard, points, [points < 0n ? atLeast("avail", -points) : exists("kind")]),
  );
  try {
    return (await transact(aws, writes.map(update))) === null;
  } catch (error) {
    if (!isContention(error)) throw error;
    return false;
  }
}

async function readShard(aws: Aws, table: string, meter: string, shard: number): Promise<Meter> {
  const item = await getItem(aws, table, meterKey(meter, shard));
  if (!item) throw new Error(`no meter item ${meter}#${shard}`);
  return readMeterItem(item);
}

async function readAll(aws: Aws, table: string, meter: string): Promise<Meter[]> {
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

/** What a transfer is on one shard: points that were granted to another. */
export function granting(
  table: string,
  meter: string,
  shard: number,
  points: bigint,
  when: Change["when"] & {},
): Change {
  return { table, key: meterKey(meter, shard), add: { granted: points, avail: points }, when };
}

function richest(shards: Meter[]): number {
  return shards.reduce((most, each) => (each.avail > most.avail ? each : most)).shard;
}

function sum(items: Meter[], amount: (item: Meter) => bigint): bigint {
  return items.reduce((total, item) => total + amount(item), 0n);
}
