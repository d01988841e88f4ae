/** The writes that admit a call or raise its hold, and the reasons why such a write was refused. */

import { timeOf } from "../../../base/platform/id.ts";
import { formatPoints } from "../../../books/billing/points.ts";
import type { Extension, Refusal } from "../../../books/meters/admission.ts";
import { budgetShares, type Hold, heldBy, type PlanLimits } from "../../../books/meters/hold.ts";
import { dayEnd, dayPointsCounter, retryAfterSeconds } from "../../../books/meters/window.ts";
import { type Item, readBigint } from "../dynamodb/attributes.ts";
import {
  absent,
  absentOrAtMost,
  atLeast,
  type Change,
  type Condition,
  equals,
  exists,
} from "../dynamodb/expressions.ts";
import { meterKey } from "../dynamodb/item-keys.ts";
import { holdAmounts, sumOf } from "./amounts.ts";
import { budgetConditions, budgetRefusal, heldRetryAfter } from "./budget.ts";
import { limitStatusOf } from "./limit-check.ts";
import { markOf } from "./mark.ts";
import { dueNames, leftoversOf, names, readHeld, readMeterItem, writeHeld } from "./meter-item.ts";

/** How many unused names may be on the item before a count of tokens removes them. A count settles nothing. */
const unusedNamesMax = 20;

/** Counts a request of the minute and takes nothing. If a lost answer repeats it, it counts twice in that minute. */
export function countingChange(table: string, hold: Hold): Change {
  return {
    table,
    key: meterKey(hold.meter, hold.shard),
    add: holdAmounts(hold),
    when: [exists("kind"), absent(names.frozen), absent(names.ended(hold.key, hold.revision))],
  };
}

/** Removes unused names where counting has left many. Undefined where there are few: a settlement removes those. */
export function tidyingChange(table: string, hold: Hold, item: Item): Change | undefined {
  const remove = dueNames(leftoversOf(item), timeOf(hold.request));
  if (remove.length < unusedNamesMax) return undefined;
  return { table, key: meterKey(hold.meter, hold.shard), remove, when: [exists("kind")] };
}

/** The marks that end what a call goes by: the revision of its key, and that of budgets of other levels that bound it. */
export function revisionsOf({ key, revision, bounds, boundsRevision }: Hold): string[] {
  const own = names.ended(key, revision);
  return bounds ? [own, names.endedBudgets(boundsRevision)] : [own];
}

/** Takes a hold, or several of one wallet. Without `exists("kind")` it would make an item where there is no meter. */
export function admissionChange(table: string, holds: Hold[]): Change {
  const [first] = holds;
  if (!first) throw new RangeError("nothing to hold");
  const revisions = new Set<string>();
  // Each hold has a name of its own. V8 makes a new shape for each new name of an object, but not of one like this.
  const set: Item = Object.create(null);
  for (const hold of holds) {
    for (const name of revisionsOf(hold)) revisions.add(name);
    set[names.hold(hold.request)] = writeHeld(heldBy(hold));
  }
  return {
    table,
    key: meterKey(first.meter, first.shard),
    set: Object.assign(set, markOf(first.meter, first.at)),
    add: sumOf(holds.map(holdAmounts)),
    when: [
      exists("kind"),
      ...holds.flatMap(({ request }) => [
        absent(names.hold(request)),
        absent(names.seized(request)),
        absent(names.closed(request)),
      ]),
      absent(names.frozen),
      ...[...revisions].map(absent),
      absent(names.retired),
      ...(first.planLimits
        ? planConditions(first, first.planLimits)
        : [atLeast("avail", totalPoints(holds))]),
      ...budgetConditions(holds),
    ],
  };
}

/** That the month has room for a hold's calls and, where the plan bounds them, the day for its points. */
function planConditions(
  { calls = 1, listPoints = 0n, request }: Hold,
  { quota, period, dayPoints }: PlanLimits,
): Condition[] {
  const month = absentOrAtMost(names.period(period.id), BigInt(quota - calls));
  if (dayPoints === undefined) return [month];
  return [month, absentOrAtMost(dayPointsCounter(timeOf(request)), dayPoints - listPoints)];
}

function totalPoints(holds: Hold[]): bigint {
  return holds.reduce((total, { points }) => total + points, 0n);
}

/** Why an admission was refused, from its item. Throws without a meter: that is a broken record, no client's error. */
export function refusal(hold: Hold, item: Item | undefined): Refusal {
  if (!item?.kind) throw new Error(`no meter item ${hold.meter}#${hold.shard}`);
  if (names.ended(hold.key, hold.revision) in item)
    return { admitted: false, error: "invalid_key", limitStatus: {} };
  if (hold.bounds && names.endedBudgets(hold.boundsRevision) in item)
    return { admitted: false, error: "invalid_key", isOfOrganization: true, limitStatus: {} };
  if (names.frozen in item) return { admitted: false, error: "account_frozen", limitStatus: {} };
  if (names.seized(hold.request) in item || names.closed(hold.request) in item) {
    // The sweep took this very hold for that of a dead call, and settles it.
    return { admitted: false, error: "global_rate_limited", retryAfterSeconds: 1, limitStatus: {} };
  }
  if (names.retired in item) return { ...overloaded, shards: Number(readBigint(item[names.retired])) };
  const overBudget = budgetRefusal(hold, readMeterItem(item));
  if (overBudget) return { ...overBudget, limitStatus: limitStatusOf(hold, item, timeOf(hold.request)) };
  if (hold.planLimits)
    return dayExhausted(hold, hold.planLimits, item) ?? quotaExhausted(hold, hold.planLimits, item);
  const posted = readBigint(item.granted) - readBigint(item.used);
  const refused = balanceRefusal(hold, posted, readBigint(item.avail));
  return { ...refused, ...(hasOtherShards(hold, item) && { tryOtherShard: true }) };
}

/** The refusal of a hold for which the plan's day has no room on this item. Undefined where it has room. */
function dayExhausted(hold: Hold, { dayPoints }: PlanLimits, item: Item): Refusal | undefined {
  const { listPoints = 0n } = hold;
  const now = timeOf(hold.request);
  const name = dayPointsCounter(now);
  const taken = readBigint(item[name]);
  if (dayPoints === undefined || taken + listPoints <= dayPoints) return undefined;
  const resets = new Date(dayEnd(now)).toISOString();
  return {
    admitted: false,
    error: "rate_limited",
    message: `The plan's calls of one day (UTC) may cost ${formatPoints(dayPoints)} points at list price. ${formatPoints(taken)} are used or held by calls in flight, and this call may cost up to ${formatPoints(listPoints)}. The day ends at ${resets}.`,
    retryAfterSeconds: retryAfterSeconds(dayEnd(now), now),
    lack: { free: dayPoints - taken },
    limitStatus: limitStatusOf(hold, item, now),
  };
}

function quotaExhausted(hold: Hold, { quota, period }: PlanLimits, item: Item): Refusal {
  const resets = new Date(period.ends_at).toISOString();
  const { calls = 1 } = hold;
  const left = quota - Number(readBigint(item[names.period(period.id)]));
  const isUsedUp = calls === 1 || left <= 0;
  return {
    admitted: false,
    error: "quota_exhausted",
    message: isUsedUp
      ? `The quota of ${quota} calls of this month is used up. The next month starts at ${resets}.`
      : `This call may cost so much that it counts as ${calls} calls, and ${left} of the quota of ${quota} calls of this month are left. Ask for less, for example with a lower limit on the output. The next month starts at ${resets}.`,
    limitStatus: limitStatusOf(hold, item, timeOf(hold.request)),
  };
}

/** The write that raises a hold to `points`. */
export function extensionChange(table: string, hold: Hold, points: bigint): Change {
  const name = names.hold(hold.request);
  const step = points - hold.points;
  const steps = budgetShares(hold).map(({ counter }) => [counter, step] as const);
  return {
    table,
    key: meterKey(hold.meter, hold.shard),
    set: { [name]: writeHeld(heldBy({ ...hold, points })) },
    add: { avail: -step, ...Object.fromEntries(steps) },
    when: [
      equals(name, writeHeld(heldBy(hold))),
      atLeast("avail", step),
      ...budgetConditions([{ ...hold, points: step }]),
    ],
  };
}

/** Why the hold was not raised. Undefined where it was: the answer was lost, and the write was repeated. */
export function extensionRefusal(
  hold: Hold,
  points: bigint,
  item: Item | undefined,
): Exclude<Extension, { extended: true }> | undefined {
  const held = item?.[names.hold(hold.request)];
  // The hold is gone: the sweep took it for that of a dead call.
  if (!item || !held) return { extended: false, error: "internal" };
  if (readHeld(held).points === points) return undefined;
  const step = { ...hold, points: points - hold.points };
  const overBudget = budgetRefusal(step, readMeterItem(item), "the next part of the answer");
  if (overBudget) {
    const { error, message, tryOtherShard } = overBudget;
    return {
      extended: false,
      error,
      ...(message !== undefined && { message }),
      ...(tryOtherShard && { tryOtherShard }),
    };
  }
  return {
    extended: false,
    error: "insufficient_balance",
    ...(hasOtherShards(hold, item) && { tryOtherShard: true }),
  };
}

function hasOtherShards({ shard }: Hold, item: Item): boolean {
  return shard > 0 || names.opened in item;
}

/** The refusal of a shard that cannot take a call now. Another shard may. */
export const overloaded: Refusal = {
  admitted: false,
  error: "global_rate_limited",
  retryAfterSeconds: 1,
  limitStatus: {},
  tryOtherShard: true,
};

/** The refusal of a wallet with `posted` points, of which `free` are held by no call. */
export function balanceRefusal({ points }: Hold, posted: bigint, free: bigint): Refusal {
  return {
    admitted: false,
    error: "insufficient_balance",
    lack: { free, posted },
    ...(posted >= points && { retryAfterSeconds: heldRetryAfter }),
    limitStatus: {},
  };
}
