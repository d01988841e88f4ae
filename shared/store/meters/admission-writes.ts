/** The writes by which a meter item takes a call in or holds more for it, and why one of them did not happen. */
import { budgetShare, type Extension, type Hold, type Refusal, type Terms } from "../../meters/meter.ts";
import { timeOf } from "../../platform/id.ts";
import { type Item, readBigint } from "../dynamodb/attributes.ts";
import { absent, absentOrBelow, atLeast, type Change, equals, exists } from "../dynamodb/expressions.ts";
import { meterKey } from "../dynamodb/item-keys.ts";
import { holdAmounts } from "./amounts.ts";
import { budgetCondition, budgetRefusal, heldRetryAfter } from "./budget.ts";
import { standingOf } from "./limit-check.ts";
import { heldBy, names, readHeld, staleNames, writeHeld } from "./meter-item.ts";

/** So many stale names are left lying before a count of tokens, which settles nothing, removes them. */
const staleNamesMax = 20;

/**
 * The write that counts a request of the minute, and takes nothing that would have to be settled. Said twice
 * because its first answer was lost, it counts twice: the minute forgets both.
 */
export function countingChange(table: string, hold: Hold): Change {
  return {
    table,
    key: meterKey(hold.meter, hold.shard),
    add: holdAmounts(hold),
    when: [exists("kind"), absent(names.frozen), absent(names.revoked(hold.key))],
  };
}

/**
 * The write that removes what nobody needs any more, where counting has left more of it than the next settlement,
 * which may never come, should find.
 */
export function tidyingChange(table: string, hold: Hold, item: Item): Change | undefined {
  const remove = staleNames(item, timeOf(hold.request));
  if (remove.length < staleNamesMax) return undefined;
  return { table, key: meterKey(hold.meter, hold.shard), remove, when: [exists("kind")] };
}

/** The write that takes a hold. `exists("kind")` keeps it from making half an item where no meter is. */
export function admissionChange(table: string, hold: Hold): Change {
  const limit = hold.terms
    ? absentOrBelow(names.period(hold.terms.period.id), hold.terms.quota)
    : atLeast("avail", hold.points);
  return {
    table,
    key: meterKey(hold.meter, hold.shard),
    set: { [names.hold(hold.request)]: writeHeld(heldBy(hold)) },
    add: holdAmounts(hold),
    when: [
      exists("kind"),
      absent(names.hold(hold.request)),
      absent(names.seized(hold.request)),
      absent(names.closed(hold.request)),
      absent(names.frozen),
      absent(names.revoked(hold.key)),
      absent(names.gone),
      limit,
      ...budgetCondition(hold),
    ],
  };
}

/**
 * Why the write did not happen, from the item as it was; it does not have this hold. Throws when there is
 * no such meter, which is a broken record and no answer to a client.
 */
export function refusal(hold: Hold, item: Item | undefined): Refusal {
  if (!item?.["kind"]) throw new Error(`no meter item ${hold.meter}#${hold.shard}`);
  if (names.revoked(hold.key) in item) return { admitted: false, error: "invalid_key", standing: {} };
  if (names.frozen in item) return { admitted: false, error: "account_frozen", standing: {} };
  if (names.seized(hold.request) in item || names.closed(hold.request) in item) {
    // The sweeper took this very hold for a dead call's, and settles it.
    return { admitted: false, error: "global_rate_limited", retry_after_seconds: 1, standing: {} };
  }
  const overBudget = budgetRefusal(hold, item);
  if (overBudget) return { ...overBudget, standing: standingOf(hold, item, timeOf(hold.request)) };
  if (hold.terms) return quotaExhausted(hold, hold.terms, item);
  if (names.gone in item) return { ...overloaded, shards: Number(readBigint(item[names.gone])) };
  const posted = readBigint(item["granted"]) - readBigint(item["used"]);
  const elsewhere = hold.shard > 0 || names.opened in item;
  return { ...balanceRefusal(hold, posted, readBigint(item["avail"])), ...(elsewhere && { elsewhere }) };
}

function quotaExhausted(hold: Hold, { quota, period }: Terms, item: Item): Refusal {
  const resets = new Date(period.ends_at).toISOString();
  return {
    admitted: false,
    error: "quota_exhausted",
    message: `The quota of ${quota} calls of this month is used up. The next month starts at ${resets}.`,
    standing: standingOf(hold, item, timeOf(hold.request)),
  };
}

/** The write that raises a hold to so many points. */
export function extensionChange(table: string, hold: Hold, points: bigint): Change {
  const name = names.hold(hold.request);
  const step = points - hold.points;
  const budget = budgetShare(hold);
  return {
    table,
    key: meterKey(hold.meter, hold.shard),
    set: { [name]: writeHeld(heldBy({ ...hold, points })) },
    add: { avail: -step, ...(budget && { [budget.counter]: step }) },
    when: [
      equals(name, writeHeld(heldBy(hold))),
      atLeast("avail", step),
      ...budgetCondition({ ...hold, points: step }),
    ],
  };
}

/** Why the write did not happen, from the item as it was; that it did, when it is this very write repeated. */
export function extensionRefusal(hold: Hold, points: bigint, item: Item | undefined): Extension {
  const held = item?.[names.hold(hold.request)];
  // Without a hold there is nothing to raise: the sweep has taken it for a dead call's.
  if (!item || !held) return { extended: false, error: "internal" };
  if (readHeld(held).points === points) return { extended: true };
  const overBudget = budgetRefusal(
    { ...hold, points: points - hold.points },
    item,
    "the next part of the answer",
  );
  if (overBudget) return { extended: false, error: overBudget.error, message: overBudget.message };
  const elsewhere = hold.shard > 0 || names.opened in item;
  return { extended: false, error: "insufficient_balance", ...(elsewhere && { elsewhere }) };
}

/** The shard cannot take a call now; another may. */
export const overloaded: Refusal = {
  admitted: false,
  error: "global_rate_limited",
  retry_after_seconds: 1,
  standing: {},
  elsewhere: true,
};

/** Too little is left of `posted` points, of which `free` are held by no call. */
export function balanceRefusal({ points }: Hold, posted: bigint, free: bigint): Refusal {
  return {
    admitted: false,
    error: "insufficient_balance",
    lack: { free, posted },
    ...(posted >= points && { retry_after_seconds: heldRetryAfter }),
    standing: {},
  };
}
