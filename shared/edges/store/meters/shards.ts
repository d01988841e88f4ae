/** The shards of a wallet on DynamoDB: reads them as one, and moves points between them. */

import { limits } from "../../../base/limits.ts";
import type { Aws } from "../../../base/platform/aws.ts";
import { timeOf } from "../../../base/platform/id.ts";
import type { Refusal } from "../../../books/meters/admission.ts";
import { partsAt, roomOn, shardsShared } from "../../../books/meters/budget-parts.ts";
import { type BudgetAsk, budgetAsks, type Hold } from "../../../books/meters/hold.ts";
import { budgetUses, type Meter, type Meters } from "../../../books/meters/meter.ts";
import { gatherAt, pickShard, type Transfer } from "../../../books/meters/shards.ts";
import { retryAfterSeconds } from "../../../books/meters/window.ts";
import { absent, atLeast, type Change, exists } from "../dynamodb/expressions.ts";
import { meterKey, type TableNames } from "../dynamodb/item-keys.ts";
import { getItem } from "../dynamodb/items.ts";
import { actionsMax, isContention, transact, update } from "../dynamodb/transaction.ts";
import { balanceRefusal, overloaded, revisionsOf } from "./admission-writes.ts";
import { oneCustomerMore, roomCondition, wholeBudgetRefusal } from "./budget.ts";
import { names, readMeterItem } from "./meter-item.ts";

/** What a shard is to have. */
interface Wanted {
  points: bigint;
  budgets?: readonly BudgetAsk[];
  /** The marks that end what they are asked by (`revisionsOf`). */
  marks?: readonly string[];
}

/** The shard that has it; or that wallet or budget have too little, by all items; or that others took it each time. */
type Collected = { shard: number } | { lacking: Meter[]; free: bigint; posted: bigint } | "contended";

interface WalletShards extends Pick<Meters, "gather" | "shardsOf"> {
  /** Finds a shard with what is wanted, or moves it to one from others. `at` demands a certain shard. */
  collect(meter: string, wanted: Wanted, at?: number): Promise<Collected>;
}

/** Items read at once. */
const pageSize = 100;

/** The shards in a table of counters. */
export function createWalletShards(
  aws: Aws,
  { counters: table }: Pick<TableNames, "counters">,
): WalletShards {
  /**
   * A transfer changes `granted` on both sides, and one of a budget `moves`. If two readings agree in them, nothing moved
   * between them.
   */
  const readTogether = async (meter: string, isEnough: (items: Meter[]) => boolean) => {
    let items = await readAll(aws, table, meter);
    let certain = items.length === 1;
    for (let reading = 1; reading < limits.shardReadingsMax && !certain && !isEnough(items); reading++) {
      const again = await readAll(aws, table, meter);
      certain =
        again.length === items.length &&
        again.every(
          ({ granted, moves }, shard) => granted === items[shard]?.granted && moves === items[shard]?.moves,
        );
      items = again;
    }
    return { items, certain };
  };

  const collect: WalletShards["collect"] = async (meter, { points, budgets = [], marks }, at) => {
    for (let round = 0; round < limits.gatherRoundsMax; round++) {
      const isEnough = (read: Meter[]) =>
        sum(read, ({ avail }) => avail) >= points &&
        budgets.every((ask) => sum(read, (item) => roomOn(item, ask)) >= ask.points);
      const { items, certain } = await readTogether(meter, isEnough);
      // A shard may owe points. Then the others do not have all of their free points to give.
      const found = isEnough(items) ? transfersFor({ points, budgets }, items, at) : undefined;
      if (!found && certain) {
        const posted = sum(items, ({ granted, used }) => granted - used);
        return { lacking: items, free: sum(items, ({ avail }) => avail), posted };
      }
      if (!found) continue;
      const { to, transfers } = found;
      const count = transfersOfOne(transfers);
      if (await moveAll(aws, table, meter, transfers.slice(0, count), marks)) {
        // Those to this shard come first. Others have to wait for calls of their own.
        if (transfers.slice(count).every((each) => each.to !== to)) return { shard: to };
      }
    }
    return "contended";
  };

  /** Parts of a customer's budget come from the first shard, so it must have a place for the customer. */
  const refusedCustomer = async (hold: Hold): Promise<Refusal | undefined> => {
    if (!hold.bounds?.some(({ level }) => level === "customer")) return undefined;
    const { budgets } = await readShard(aws, table, hold.meter, 0);
    const more = oneCustomerMore(hold, [...budgets.keys()]);
    if (!more || budgets.has(more.counter)) return undefined;
    const seconds = retryAfterSeconds(more.until, timeOf(hold.request));
    const { message } = more;
    return { admitted: false, error: "rate_limited", message, retryAfterSeconds: seconds, limitStatus: {} };
  };

  return {
    async shardsOf(meter) {
      return (await readTogether(meter, () => false)).items;
    },

    collect,

    async gather(hold, at, what = "the call") {
      const crowded = hold.bounds && (await refusedCustomer(hold));
      if (crowded) return crowded;
      const wanted = { points: hold.points, budgets: budgetAsks(hold), marks: revisionsOf(hold) };
      const found = await collect(hold.meter, wanted, at);
      if (found === "contended") return overloaded;
      if (!("lacking" in found)) return found;
      const overBudget = wholeBudgetRefusal(hold, budgetUses(found.lacking), what);
      return overBudget ?? balanceRefusal(hold, found.posted, found.free);
    },
  };
}

/** How many of the transfers, from the first on, one transaction takes. It writes each shard once. */
function transfersOfOne(transfers: Transfer[]): number {
  const shards = new Set<number>();
  const beyond = transfers.findIndex(({ from, to }) => shards.add(from).add(to).size > actionsMax);
  return beyond < 0 ? transfers.length : beyond;
}

/** The shard that is to have what is wanted, and the transfers that give it that. Undefined where others owe too much. */
function transfersFor(
  { points, budgets = [] }: Wanted,
  items: Meter[],
  at: number | undefined,
): { to: number; transfers: Transfer[] } | undefined {
  const inUse = items.filter(({ shardsAtRetirement }) => shardsAtRetirement === null);
  const sharing = inUse.slice(0, shardsShared(budgets, inUse.length));
  const to = at ?? (budgets.length > 0 ? anyOf(sharing) : richest(inUse));
  const named = new Set(sharing.map(({ shard }) => shard));
  const transfers = [gatherAt(to, points, items), ...budgets.map((ask) => partsAt(to, ask, items, named))];
  const found: Transfer[] = [];
  for (const each of transfers) {
    if (!each) return undefined;
    found.push(...each);
  }
  return { to, transfers: found.toSorted((a, b) => Number(b.to === to) - Number(a.to === to)) };
}

/**
 * Makes all transfers, or none: false where points are missing or other writers are in the way. Parts of budgets move by the
 * last revision alone: `marks` end those by which they are moved.
 */
export async function moveAll(
  aws: Aws,
  table: string,
  meter: string,
  transfers: Transfer[],
  marks: readonly string[] = [],
): Promise<boolean> {
  const changes = new Map<number, Purse[]>();
  for (const { from, to, points, budget } of transfers) {
    for (const [shard, amount] of [
      [from, -points],
      [to, points],
    ] as const) {
      const purses = changes.get(shard) ?? [];
      const known = purses.find((each) => each.budget?.counter === budget?.counter);
      if (known) known.points += amount;
      else purses.push({ points: amount, ...(budget && { budget }) });
      changes.set(shard, purses);
    }
  }
  if (changes.size === 0) return true;
  const writes = [...changes].map(([shard, purses]) =>
    movingChange(meterItem(table, meter, shard), shard, purses, marks),
  );
  try {
    return (await transact(aws, writes.map(update))) === null;
  } catch (error) {
    if (!isContention(error)) throw error;
    return false;
  }
}

/** What a shard gets of the wallet's points, or of what a budget has left. Below 0 it gives. */
interface Purse extends Pick<Transfer, "points" | "budget"> {}

/** What transfers are on one shard. It gives only what it has. */
function movingChange(
  item: Pick<Change, "table" | "key">,
  shard: number,
  purses: Purse[],
  marks: readonly string[],
): Change {
  const add: Record<string, bigint> = {};
  const when = [exists("kind")];
  if (purses.some(({ budget }) => budget)) when.push(...marks.map(absent));
  for (const { points, budget } of purses) {
    if (budget) {
      add[budget.counter] = -points;
      add[names.moves] = 1n;
      if (points < 0n) when.push(roomCondition(shard, { ...budget, points: -points }));
    } else {
      Object.assign(add, { granted: points, avail: points });
      if (points < 0n) when.push(atLeast("avail", -points));
    }
  }
  return { ...item, add, when };
}

function meterItem(table: string, meter: string, shard: number): Pick<Change, "table" | "key"> {
  return { table, key: meterKey(meter, shard) };
}

async function readShard(aws: Aws, table: string, meter: string, shard: number): Promise<Meter> {
  const item = await getItem(aws, table, meterKey(meter, shard));
  if (!item) throw new Error(`no meter item ${meter}#${shard}`);
  return readMeterItem(item);
}

/** All items of a wallet, each as it stands when it is read. */
export async function readAll(aws: Aws, table: string, meter: string): Promise<Meter[]> {
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

function richest(shards: Meter[]): number {
  return shards.reduce((most, each) => (each.avail > most.avail ? each : most)).shard;
}

/** One of the shards, each with the same chance, so that calls that lack the same do not all come to one. */
function anyOf(shards: Meter[]): number {
  return shards[pickShard(shards.length, null, new Set()) ?? 0]?.shard ?? 0;
}

function sum(items: Meter[], amount: (item: Meter) => bigint): bigint {
  return items.reduce((total, item) => total + amount(item), 0n);
}
