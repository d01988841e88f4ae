/**
 * The attributes of a meter item (billing.md §2.2).
 *
 * - A wallet has `granted`, `avail` and `used` in 10⁻¹⁸ points, and in `c` the sum of the hashes of its credits.
 * - A subscription has the minute buckets `s…` and `t…` (books/meters/window.ts). It counts the tokens of a UTC day in
 *   `d<day>`, and the calls of a quota month in `q<period>`. Where its plan bounds them, `l<day>` has the points at list
 *   price that the calls of a UTC day came to or hold.
 * - A key with limits of its own also has minute and day counters, named `k<key>:<name>`.
 * - A key with a budget has `k<key>:b<period>` on either kind of meter. It is the 10⁻¹⁸ points that the key's calls
 *   were charged or hold. Budgets of other levels have `O:b<period>`, `P<project>:…`, `M<member>:…` and `C<customer>:…`
 *   (books/meters/levels.ts). The period is a day (`bd<day>`), a month (`bm<month>`) or all time (`bt`). What a shard gave to
 *   another one is added to it, and what it was given is taken off. `moves` counts how often that was done to the item.
 * - `h…` is the hold of a call in flight, and `v…` that of a video task that is not settled. A task takes far longer
 *   than a call. The sweep of calls and the cap on calls in flight leave `v…` out.
 * - `z…` is a hold that the sweep has seized. For an hour `y…` marks a hold that has ended.
 * - For an hour `x…` marks a revision of a key that has ended: the key was changed or revoked. `xO.…` marks one of the
 *   budgets of the organization's levels. The organization is frozen while there is `fz`.
 * - `mark` and `marked` are the keys of an index (mark.ts), which an admission sets.
 * - The first of several shards has `opened`, the number of items, and `owner`. A retired shard has `gone`, the number
 *   of shards that the wallet kept.
 */

import { bareId, isTask, timeOf } from "../../../base/platform/id.ts";
import type { BillingMode } from "../../../books/accounts/account.ts";
import { budgetUnusedFrom, ownName } from "../../../books/meters/budget.ts";
import { type Held, type Leftover, limitedName } from "../../../books/meters/hold.ts";
import { organizationAccount } from "../../../books/meters/levels.ts";
import type { Meter } from "../../../books/meters/meter.ts";
import { bucketUnusedFrom, dayCounterUnusedFrom } from "../../../books/meters/window.ts";
import { type Item, readBigint, readText, toItem } from "../dynamodb/attributes.ts";
import { meterKey, meterKind, readMeterKey } from "../dynamodb/item-keys.ts";

/** How long a mark stays. An admission that knows nothing of it comes sooner, even if a clock is half an hour off. */
const markLifetimeMs = 3_600_000;
/** Names out of use that one write removes at most. */
export const removalsMax = 100;

export const names = {
  frozen: "fz",
  opened: "opened",
  owner: "owner",
  retired: "gone",
  credits: "c",
  moves: "moves",
  hold: (request: string) => `${isTask(request) ? "v" : "h"}${bareId(request)}`,
  seized: (request: string) => `z${bareId(request)}`,
  closed: (request: string) => `y${bareId(request)}`,
  /** Names a revision of a key once. So a mark that goes out of use is never one that was set anew. */
  ended: (key: string, revision = 0) => `x${bareId(key)}${revision === 0 ? "" : `.${revision}`}`,
  endedAs: (revision: string) => `x${revision}`,
  /** The same of a revision of the budgets of an organization's levels. */
  endedBudgets: (revision = 0) => `x${organizationAccount}${revision === 0 ? "" : `.${revision}`}`,
  period: (id: string) => `q${id}`,
  /** The prefix of a limited key's own counters, which its holds name too. */
  limited: limitedName,
} as const;

/** A new meter item, with nothing on it. */
export function newMeterItem(meter: string, shard: number, mode: BillingMode): Item {
  const wallet = mode === "payg" ? { granted: 0n, avail: 0n, used: 0n } : {};
  return { ...meterKey(meter, shard), ...toItem({ kind: meterKind, mode, ...wallet }) };
}

/**
 * A hold as its attribute. On a wallet it is the points as a number; on a subscription the tokens and the quota month,
 * `1500.20261121`. A limited key is appended, `1500.20261121.kN7…` or `2000..kN7…`, and then the counters of budgets: that of the key without its
 * name, and others in full, `2000..kN7….bd20778+O:bm202611`. The key may be empty then, `2000...O:bm202611`. On a
 * subscription the share of each budget comes last, `1500.20261121.kN7….bm202611.7000`. A hold of several calls says so
 * behind the month, `1500.20261121~3`, and then its share of the day's points, `1500.20261121~1~7000`. A release that
 * does not know these takes them for a part of the month's name.
 */
export function writeHeld({
  points,
  tokens,
  period: month,
  calls = 1,
  dayPoints,
  key,
  budgets = [],
}: Held): Item[string] {
  const more = dayPoints === undefined ? (calls > 1 ? `~${calls}` : "") : `~${calls}~${dayPoints}`;
  const period = month + more;
  const amount = period === "" ? String(points) : String(tokens);
  const [share] = budgets;
  if (key !== undefined || share) {
    const parts = [amount, period, key ?? ""];
    const own = `${key}:`;
    const counters = budgets.map(({ counter }) =>
      counter.startsWith(own) ? counter.slice(own.length) : counter,
    );
    if (share) parts.push(counters.join("+"));
    if (share && period !== "") parts.push(String(share.points));
    return { S: parts.join(".") };
  }
  return period === "" ? { N: amount } : { S: `${amount}.${period}` };
}

/** Reads what `writeHeld` wrote. */
export function readHeld(attribute: Item[string]): Held {
  if ("N" in attribute) return { points: readBigint(attribute), tokens: 0, period: "" };
  const [amount = "0", month = "", key = "", counters, share = amount] = readText(attribute).split(".");
  const [period = "", calls = "1", day] = month.split("~");
  const held = period === "" ? { points: BigInt(amount), tokens: 0 } : { points: 0n, tokens: Number(amount) };
  const budgets = counters?.split("+").map((name) => ({
    counter: name.startsWith("b") ? `${key}:${name}` : name,
    points: BigInt(share),
  }));
  const more = {
    ...(calls !== "1" && { calls: Number(calls) }),
    ...(day !== undefined && { dayPoints: BigInt(day) }),
  };
  return { ...held, period, ...more, ...(key !== "" && { key }), ...(budgets && { budgets }) };
}

/** Reads a meter item: one that has a `kind`. */
export function readMeterItem(item: Item): Meter {
  const holdsOf = (letter: string, prefix: string) =>
    new Map(named(item, letter).map(([name, value]) => [prefix + name.slice(1), readHeld(value)]));
  const retired = item[names.retired];
  return {
    ...readMeterKey(readText(item.pk)),
    mode: readText(item.mode) as BillingMode,
    granted: readBigint(item.granted),
    avail: readBigint(item.avail),
    used: readBigint(item.used),
    credits: readBigint(item[names.credits]),
    holds: holdsOf("h", "req_"),
    tasks: holdsOf("v", "VTK-"),
    seized: holdsOf("z", "req_"),
    periods: new Map(named(item, "q").map(([name, value]) => [name.slice(1), Number(readBigint(value))])),
    days: new Map(named(item, "l").map(([name, value]) => [name, readBigint(value)])),
    budgets: new Map(budgetCountersOf(item).map((name) => [name, readBigint(item[name])])),
    moves: Number(readBigint(item[names.moves])),
    frozen: names.frozen in item,
    ended: new Map(named(item, "x").map(([name, value]) => [name.slice(1), readBigint(value)])),
    opened: Math.max(1, Number(readBigint(item[names.opened]))),
    owner: readText(item[names.owner]),
    shardsAtRetirement: retired ? Number(readBigint(retired)) : null,
    marked: item.marked ? readText(item.marked) : null,
  };
}

/** The minute buckets of an item, for window arithmetic: the subscription's, or those of a limited key. */
export function countersOf(item: Item, limited = ""): [name: string, value: bigint][] {
  const prefix = limited === "" ? "" : `${limited}:`;
  const counters: [name: string, value: bigint][] = [];
  for (const name in item) {
    const letter = name[prefix.length];
    if ((letter === "s" || letter === "t") && name.startsWith(prefix))
      counters.push([name.slice(prefix.length), readBigint(item[name])]);
  }
  return counters;
}

/** The calls in flight of a limited key. A hold from before `since` (Unix milliseconds) belongs to a dead call. */
export function inFlight(item: Item, limited: string, since: number): number {
  const own = named(item, "h").filter(([, value]) => readHeld(value).key === limited);
  return own.filter(([name]) => timeOf(name) >= since).length;
}

/** The number of calls in flight. */
export function holdsOn(item: Item): number {
  return named(item, "h").length;
}

/** The number of video tasks that hold something. */
export function openTasks(item: Item): number {
  return named(item, "v").length;
}

/**
 * Whether a call reads the item for what goes out of use. One in 32 does, by its id's last character. 32 calls leave at
 * most 64 names, and its settlement removes up to 100.
 */
export function looksForLeftovers(request: string): boolean {
  return request.endsWith("0");
}

/** The attributes of an item that go out of use, and when. An item may have hundreds, so this looks at each once. */
export function leftoversOf(item: Item): Leftover[] {
  const leftovers: Leftover[] = [];
  const periods: string[] = [];
  const budgets: string[] = [];
  for (const name in item) {
    const own = ownName(name);
    const letter = own[0];
    if (letter === "h" || letter === "v" || letter === "z") continue;
    if (letter === "x" || letter === "y") {
      leftovers.push({ name, unusedFrom: Number(readBigint(item[name])) + markLifetimeMs });
    } else if (letter === "q") periods.push(name);
    else if (letter === "b" && own !== name) budgets.push(name);
    else {
      const unusedFrom = letter === "d" || letter === "l" ? dayCounterUnusedFrom(own) : bucketUnusedFrom(own);
      if (unusedFrom !== Infinity) leftovers.push({ name, unusedFrom });
    }
  }
  return [...leftovers, ...oldPeriods(item, periods), ...budgetLeftovers(item, budgets)];
}

/** The names of the leftovers that nobody needs at `now`, as many as one write removes. */
export function dueNames(leftovers: Leftover[], now: number, most = removalsMax): string[] {
  const due = leftovers.filter(({ unusedFrom }) => unusedFrom <= now);
  return due.slice(0, most).map(({ name }) => name);
}

/** All quota months but the last two. A task without a verdict may still give its call back, however old its month. */
function oldPeriods(item: Item, periods: string[]): Leftover[] {
  const old = periods.sort().slice(0, -2);
  if (old.length === 0) return [];
  const awaited = new Set(named(item, "v").map(([, value]) => names.period(readHeld(value).period)));
  return old.filter((name) => !awaited.has(name)).map((name) => ({ name, unusedFrom: 0 }));
}

/** The counters of budgets, except those that a hold has taken from: it may still give back. */
function budgetLeftovers(item: Item, counters: string[]): Leftover[] {
  if (counters.length === 0) return [];
  const held = ["h", "v", "z"].flatMap((letter) => named(item, letter));
  const shares = held.flatMap(([, value]) => readHeld(value).budgets ?? []);
  const awaited = new Set(shares.map(({ counter }) => counter));
  return counters
    .filter((name) => !awaited.has(name))
    .map((name) => ({ name, unusedFrom: budgetUnusedFrom(ownName(name)) }))
    .filter(({ unusedFrom }) => unusedFrom !== Infinity);
}

/** The names of an item's counters of budgets: they begin behind the account with `b`. */
export function budgetCountersOf(item: Item): string[] {
  const found: string[] = [];
  for (const name in item) {
    const colon = name.indexOf(":");
    if (colon > 0 && name[colon + 1] === "b") found.push(name);
  }
  return found;
}

/** The attributes of one sort, by first letter. `kind` is the exception. The item may have hundreds of others. */
function named(item: Item, letter: string): [string, Item[string]][] {
  const found: [string, Item[string]][] = [];
  for (const name in item) if (name[0] === letter) found.push([name, item[name] as Item[string]]);
  return found;
}
