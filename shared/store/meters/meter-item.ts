/**
 * What stands on a meter item (billing.md §2.2).
 *
 * - A wallet has `granted`, `avail` and `used` in 10⁻¹⁸ points.
 * - A subscription has `s…` and `t…` minute buckets (meters/window.ts), `d<day>` tokens of a UTC day and `q<period>`
 *   calls of a quota month. A key with limits of its own has its minute and day once more as `k<key>:<name>`.
 * - A key with a budget has, on either, `k<key>:b<period>`: the 10⁻¹⁸ points that its calls were charged or hold. The
 *   period is a day (`bd<day>`), a month (`bm<month>`) or all time (`bt`).
 * - `h…` is a call in flight. `v…` is a video task that is not settled: tasks outlive calls by far, so neither the
 *   sweeper nor a cap on calls counts them.
 * - `z…` is a hold that the sweeper has seized, and `y…` one that it has settled of late.
 * - `x…` is a key revoked of late. `fz` stands there while the organization is frozen.
 * - The first of several shards has `opened`, how many items there are, and `owner`. A shard that is out of use has
 *   `gone`, how many were left when it went.
 */
import type { BillingMode } from "../../accounts/account.ts";
import { type BudgetUse, isBudgetOver } from "../../meters/budget.ts";
import { type BudgetShare, budgetShare, type Hold, limitedName } from "../../meters/meter.ts";
import { dayCounter, staleBuckets } from "../../meters/window.ts";
import { bareId, isTask, timeOf } from "../../platform/id.ts";
import { type Item, readBigint, readText, toItem } from "../dynamodb/attributes.ts";
import { meterKey, meterKind, readMeterKey } from "../dynamodb/item-keys.ts";

/** What a hold took from its meter, to be given back exactly. */
export interface Held {
  /** Pay-as-you-go: 10⁻¹⁸ points. */
  points: bigint;
  /** Subscriptions: tokens of the windows, and the quota month one call was taken from. */
  tokens: number;
  period: string;
  /** The key, as `names.limited` knows it, where it has limits of its own. */
  key?: string;
  /** What it took of that key's budget, where it has one. */
  budget?: BudgetShare;
}

/** A meter item in full. */
export interface MeterItem {
  meter: string;
  shard: number;
  mode: BillingMode;
  granted: bigint;
  avail: bigint;
  used: bigint;
  /** By request id. */
  holds: Map<string, Held>;
  /** By task id. */
  tasks: Map<string, Held>;
  seized: Map<string, Held>;
  /** Calls by quota month; months before the last two are dropped. */
  periods: Map<string, number>;
  /** Points spent and held, 10⁻¹⁸, by the counter of a key's budget. */
  budgets: Map<string, bigint>;
  frozen: boolean;
  /** When keys were revoked of late, Unix milliseconds by the bare key id. */
  revoked: Map<string, bigint>;
  /** Shards of the wallet that there are items for, as the first shard knows; 1 on others. */
  opened: number;
  /** The organization of a wallet with several shards, on the first of them. */
  owner: string;
  /** The shards that were left when this one went out of use; 0 while it is in use. */
  gone: number;
}

/**
 * How long a mark is needed. No admission comes so late that it knows nothing of a key's revocation or of the
 * end of its own hold, not even from a process that was frozen or between clocks half an hour apart.
 */
const markLifetimeMs = 3_600_000;
const removalsMax = 100;

export const names = {
  frozen: "fz",
  opened: "opened",
  owner: "owner",
  gone: "gone",
  hold: (request: string) => `${isTask(request) ? "v" : "h"}${bareId(request)}`,
  seized: (request: string) => `z${bareId(request)}`,
  closed: (request: string) => `y${bareId(request)}`,
  revoked: (key: string) => `x${bareId(key)}`,
  period: (id: string) => `q${id}`,
  /** What precedes a limited key's own counters, and marks its holds. */
  limited: limitedName,
} as const;

/** A counter of a limited key, and the name it would have as the subscription's. `kind` is none. */
const limitedCounter = /^k[0-9A-HJKMNP-TV-Z]{10}:(.+)$/;
/** The counter of a limited key's budget. */
const budgetCounterName = /^k[0-9A-HJKMNP-TV-Z]{10}:b/;

/** A new meter item, with nothing on it. */
export function newMeterItem(meter: string, shard: number, mode: BillingMode): Item {
  const wallet = mode === "payg" ? { granted: 0n, avail: 0n, used: 0n } : {};
  return { ...meterKey(meter, shard), ...toItem({ kind: meterKind, mode, ...wallet }) };
}

/** What a hold takes. */
export function heldBy(hold: Hold): Held {
  const budget = budgetShare(hold);
  return {
    points: hold.points,
    tokens: hold.tokens,
    period: hold.terms?.period.id ?? "",
    ...(hold.limits && { key: names.limited(hold.key) }),
    ...(budget && { budget }),
  };
}

/**
 * A hold as its attribute: points as a number, or tokens and quota month as `1500.20261121`; of a limited key
 * with the key behind, `1500.20261121.kN7…` or `2000..kN7…`. A key with a budget has its counter behind that,
 * `2000..kN7….bd20778`. A subscription says last what it took from there: `1500.20261121.kN7….bm202611.7000`.
 */
export function writeHeld({ points, tokens, period, key, budget }: Held): Item[string] {
  const amount = period === "" ? String(points) : String(tokens);
  if (key !== undefined) {
    const parts = [amount, period, key];
    if (budget) parts.push(ownName(budget.counter));
    if (budget && period !== "") parts.push(String(budget.points));
    return { S: parts.join(".") };
  }
  return period === "" ? { N: amount } : { S: `${amount}.${period}` };
}

/** Reads what `writeHeld` wrote. */
export function readHeld(attribute: Item[string]): Held {
  if ("N" in attribute) return { points: readBigint(attribute), tokens: 0, period: "" };
  const [amount = "0", period = "", key, counter, share = amount] = readText(attribute).split(".");
  const held = period === "" ? { points: BigInt(amount), tokens: 0 } : { points: 0n, tokens: Number(amount) };
  const budget = counter !== undefined && { counter: `${key}:${counter}`, points: BigInt(share) };
  return { ...held, period, ...(key !== undefined && { key }), ...(budget && { budget }) };
}

/** Reads an item that has a `kind`. */
export function readMeterItem(item: Item): MeterItem {
  const holdsOf = (letter: string, prefix: string) =>
    new Map(named(item, letter).map(([name, value]) => [prefix + name.slice(1), readHeld(value)]));
  return {
    ...readMeterKey(readText(item["pk"])),
    mode: readText(item["mode"]) as BillingMode,
    granted: readBigint(item["granted"]),
    avail: readBigint(item["avail"]),
    used: readBigint(item["used"]),
    holds: holdsOf("h", "req_"),
    tasks: holdsOf("v", "VTK-"),
    seized: holdsOf("z", "req_"),
    periods: new Map(named(item, "q").map(([name, value]) => [name.slice(1), Number(readBigint(value))])),
    budgets: new Map(
      named(item, "k")
        .filter(([name]) => budgetCounterName.test(name))
        .map(([name, value]) => [name, readBigint(value)]),
    ),
    frozen: names.frozen in item,
    revoked: new Map(named(item, "x").map(([name, value]) => [name.slice(1), readBigint(value)])),
    opened: Math.max(1, Number(readBigint(item[names.opened]))),
    owner: readText(item[names.owner]),
    gone: Number(readBigint(item[names.gone])),
  };
}

/** The minute buckets of an item, for window arithmetic: the subscription's, or those of a limited key. */
export function countersOf(item: Item, limited = ""): [name: string, value: bigint][] {
  const prefix = limited === "" ? "" : `${limited}:`;
  return [...named(item, `${prefix}s`), ...named(item, `${prefix}t`)].map(([name, value]) => [
    name.slice(prefix.length),
    readBigint(value),
  ]);
}

/** The calls in flight of a limited key. A hold from before `since` (Unix milliseconds) belongs to a dead call. */
export function inFlight(item: Item, limited: string, since: number): number {
  const own = named(item, "h").filter(([, value]) => readHeld(value).key === limited);
  return own.filter(([name]) => timeOf(name) >= since).length;
}

/** The video tasks that hold something. */
export function openTasks(item: Item): number {
  return named(item, "v").length;
}

/** What budgets have spent and hold, by their counters. */
export function budgetUses({ budgets, holds, seized, tasks }: MeterItem): Map<string, BudgetUse> {
  const held = new Map<string, bigint>();
  for (const { budget } of [holds, seized, tasks].flatMap((each) => [...each.values()])) {
    if (budget) held.set(budget.counter, (held.get(budget.counter) ?? 0n) + budget.points);
  }
  const uses = [...budgets].map(([name, taken]) => {
    const own = held.get(name) ?? 0n;
    return [name, { spent: taken - own, held: own }] as const;
  });
  return new Map(uses);
}

/** The attributes of an item that nobody needs any more at `now`; the next write removes them. */
export function staleNames(item: Item, now: number): string[] {
  // A task that nobody has decided on yet may still give its call back, however old its month.
  const awaited = new Set(named(item, "v").map(([, value]) => names.period(readHeld(value).period)));
  const periods = named(item, "q").map(([name]) => name);
  const marks = [...named(item, "x"), ...named(item, "y")].filter(
    ([, value]) => Number(readBigint(value)) + markLifetimeMs <= now,
  );
  const stale = [
    ...Object.keys(item).filter((name) => isStaleCounter(ownName(name), now)),
    ...periods
      .sort()
      .slice(0, -2)
      .filter((name) => !awaited.has(name)),
    ...staleBudgets(item, now),
    ...marks.map(([name]) => name),
  ];
  return stale.slice(0, removalsMax);
}

/** The counters of budgets whose day or month is over; a hold that took from one may still give back. */
function staleBudgets(item: Item, now: number): string[] {
  const over = Object.keys(item).filter(
    (name) => budgetCounterName.test(name) && isBudgetOver(ownName(name), now),
  );
  if (over.length === 0) return over;
  const held = ["h", "v", "z"].flatMap((letter) => named(item, letter));
  const awaited = new Set(held.map(([, value]) => readHeld(value).budget?.counter));
  return over.filter((name) => !awaited.has(name));
}

/** Whether a minute or a day is over for good. Yesterday's calls may still settle. */
function isStaleCounter(name: string, now: number): boolean {
  if (name.startsWith("d")) return Number(name.slice(1)) < Number(dayCounter(now).slice(1)) - 1;
  return staleBuckets([name], now).length > 0;
}

/** The name of a limited key's counter without the key; any other name as it is. */
export function ownName(name: string): string {
  return limitedCounter.exec(name)?.[1] ?? name;
}

/**
 * The attributes of one sort. No other attribute of the item starts with a letter that stands for one, but for
 * `kind`, which is told from the `k` of limited keys by what follows.
 */
function named(item: Item, start: string): [string, Item[string]][] {
  return Object.entries(item).filter(([name]) => name.startsWith(start)) as [string, Item[string]][];
}
