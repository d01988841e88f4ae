/**
 * What stands on a meter item (billing.md §2.2). A wallet has `granted`, `avail` and `used` in 10⁻¹⁸ points;
 * a subscription has `s…` and `t…` minute buckets (billing/window.ts), `d<day>` tokens of a UTC day and
 * `q<period>` calls of a quota month. Both have one `h…` per call in flight, `z…` for a hold the sweeper has
 * seized, `y…` for one it has settled of late, `x…` for a key revoked of late, and `fz` while the organization is frozen.
 */
import type { BillingMode } from "../billing/account.ts";
import type { Hold, Settlement } from "../billing/meter.ts";
import { bucketAt, dayCounter, isInWindow, packBucket, staleBuckets } from "../billing/window.ts";
import { bareId, timeOf } from "../platform/id.ts";
import { type Item, readBigint, readText, toItem } from "./attributes.ts";
import { atLeast, type Change, equals } from "./expressions.ts";
import { meterKey, meterKind, readMeterKey } from "./table.ts";

/** What a hold took from its meter, to be given back exactly. */
export interface Held {
  /** Pay-as-you-go: 10⁻¹⁸ points. */
  points: bigint;
  /** Subscriptions: tokens of the windows, and the quota month one call was taken from. */
  tokens: number;
  period: string;
}

/** A meter item in full. */
export interface MeterItem {
  meter: string;
  shard: number;
  mode: BillingMode;
  granted: bigint;
  avail: bigint;
  used: bigint;
  /** By request id; a task's hold is listed as the request of the same time. */
  holds: Map<string, Held>;
  seized: Map<string, Held>;
  /** Calls by quota month; months before the last two are dropped. */
  periods: Map<string, number>;
  frozen: boolean;
}

/**
 * How long a mark is needed. No admission comes so late that it knows nothing of a key's revocation or of the
 * end of its own hold, not even from a process that was frozen or between clocks half an hour apart.
 */
const markLifetimeMs = 3_600_000;
const removalsMax = 100;

export const names = {
  frozen: "fz",
  hold: (request: string) => `h${bareId(request)}`,
  seized: (request: string) => `z${bareId(request)}`,
  closed: (request: string) => `y${bareId(request)}`,
  revoked: (key: string) => `x${bareId(key)}`,
  period: (id: string) => `q${id}`,
} as const;

/** A new meter item, with nothing on it. */
export function newMeterItem(meter: string, shard: number, mode: BillingMode): Item {
  const wallet = mode === "payg" ? { granted: 0n, avail: 0n, used: 0n } : {};
  return { ...meterKey(meter, shard), ...toItem({ kind: meterKind, mode, ...wallet }) };
}

/** What a hold takes. */
export function heldBy(hold: Hold): Held {
  return { points: hold.points, tokens: hold.tokens, period: hold.terms?.period.id ?? "" };
}

/** A hold as its attribute: points as a number, or tokens and quota month as `1500.20261121`. */
export function writeHeld({ points, tokens, period }: Held): Item[string] {
  return period === "" ? { N: String(points) } : { S: `${tokens}.${period}` };
}

/** Reads what `writeHeld` wrote. */
export function readHeld(attribute: Item[string]): Held {
  if ("N" in attribute) return { points: readBigint(attribute), tokens: 0, period: "" };
  const [tokens, period = ""] = readText(attribute).split(".");
  return { points: 0n, tokens: Number(tokens), period };
}

/** Reads an item that has a `kind`. */
export function readMeterItem(item: Item): MeterItem {
  const holdsOf = (letter: string) =>
    new Map(named(item, letter).map(([name, value]) => [`req_${name.slice(1)}`, readHeld(value)]));
  return {
    ...readMeterKey(readText(item["pk"])),
    mode: readText(item["mode"]) as BillingMode,
    granted: readBigint(item["granted"]),
    avail: readBigint(item["avail"]),
    used: readBigint(item["used"]),
    holds: holdsOf("h"),
    seized: holdsOf("z"),
    periods: new Map(named(item, "q").map(([name, value]) => [name.slice(1), Number(readBigint(value))])),
    frozen: names.frozen in item,
  };
}

/** The minute buckets of an item, for window arithmetic. */
export function countersOf(item: Item): [name: string, value: bigint][] {
  return [...named(item, "s"), ...named(item, "t")].map(([name, value]) => [name, readBigint(value)]);
}

/** What a hold adds to its meter. */
export function holdAmounts(hold: Hold): Record<string, bigint> {
  if (!hold.terms) return { avail: -hold.points };
  const at = timeOf(hold.request);
  const bucket = bucketAt(at, hold.terms.rpm);
  if (hold.counting) return { [bucket]: packBucket(1, 0) };
  return {
    [bucket]: packBucket(1, hold.tokens),
    [dayCounter(at)]: BigInt(hold.tokens),
    [names.period(hold.terms.period.id)]: 1n,
  };
}

/**
 * What a settlement adds to the meter (billing.md §2.4.4 and §3): the unused part of a hold goes back where
 * it was taken, and tokens beyond it are a debt of the running minute. `rpm` is undefined when the minute of
 * the call is long over, which is when a sweeper settles.
 */
export function settlementAmounts(
  request: string,
  held: Held,
  settlement: Settlement,
  rpm: number | null | undefined,
): Record<string, bigint> {
  if (held.period === "") return { avail: held.points - settlement.points, used: settlement.points };
  const admittedAt = timeOf(request);
  const tokens = (settlement.give_back ? 0 : settlement.tokens) - held.tokens;
  const amounts: Record<string, bigint> = { [dayCounter(admittedAt)]: BigInt(tokens) };
  if (settlement.give_back) amounts[names.period(held.period)] = -1n;
  if (rpm !== undefined) {
    const bucket = bucketAt(tokens > 0 ? settlement.at : admittedAt, rpm);
    if (isInWindow(bucket, settlement.at))
      amounts[bucket] = packBucket(settlement.give_back ? -1 : 0, tokens);
  }
  return Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount !== 0n));
}

/**
 * The write that ends a hold: it and the amounts in one step, exactly once, because the hold is there only
 * once. Stale names that the amounts add to are spared.
 */
export function releaseChange(
  table: string,
  key: Item,
  hold: { name: string; held: Held },
  amounts: Record<string, bigint>,
  stale: string[],
): Change {
  const remove = [hold.name, ...stale.filter((name) => !(name in amounts))];
  return { table, key, add: amounts, remove, when: [equals(hold.name, writeHeld(hold.held))] };
}

/**
 * The write that takes a hold back as if it had never been. Counters that it alone has made go away with it
 * (`alone`, which must still be so), lest refused calls pile up on the item.
 */
export function undoChange(table: string, hold: Hold, item: Item, alone: boolean): Change {
  const amounts = Object.entries(holdAmounts(hold));
  const own = alone ? amounts.filter(([name, amount]) => readBigint(item[name]) === amount) : [];
  const back = amounts
    .filter((each) => !own.includes(each))
    .map(([name, amount]) => [name, -amount] as const);
  const held = { name: names.hold(hold.request), held: heldBy(hold) };
  const stale = [...staleNames(item, timeOf(hold.request)), ...own.map(([name]) => name)];
  const change = releaseChange(
    table,
    meterKey(hold.meter, hold.shard),
    held,
    Object.fromEntries(back),
    stale,
  );
  // A count of tokens has no hold that could be gone already: its counter must still have what is taken.
  const there = hold.counting ? back.map(([name, amount]) => atLeast(name, -amount)) : (change.when ?? []);
  return { ...change, when: [...there, ...own.map(([name, amount]) => equals(name, { N: String(amount) }))] };
}

/** The attributes of an item that nobody needs any more at `now`; the next write removes them. */
export function staleNames(item: Item, now: number): string[] {
  const days = named(item, "d").map(([name]) => name);
  const periods = named(item, "q").map(([name]) => name);
  const marks = [...named(item, "x"), ...named(item, "y")].filter(
    ([, value]) => Number(readBigint(value)) + markLifetimeMs <= now,
  );
  const stale = [
    ...staleBuckets(Object.keys(item), now),
    // Yesterday's calls may still settle, and last month's.
    ...days.filter((name) => Number(name.slice(1)) < Number(dayCounter(now).slice(1)) - 1),
    ...periods.sort().slice(0, -2),
    ...marks.map(([name]) => name),
  ];
  return stale.slice(0, removalsMax);
}

/** The attributes of one sort. No other attribute of the item starts with a letter that stands for one. */
function named(item: Item, letter: string): [string, Item[string]][] {
  return Object.entries(item).filter(([name]) => name.startsWith(letter)) as [string, Item[string]][];
}
