/** What of a plan's order is paid back (people/payments/README.md "Refunds of plans"). Pure; instants are Unix ms. */
import type { Subscription } from "../../books/accounts/account.ts";
import { anchorAt } from "../../books/accounts/subscription.ts";
import { dayMs, quotaPeriod } from "../../books/billing/period.ts";
import { formatPoints } from "../../books/billing/points.ts";
import type { PlanFee } from "../../books/ledger/ledger.ts";
import { feeId, quotaMonths } from "../../books/ledger/plan-fee.ts";
import type { PlanOrder } from "./order.ts";
import { resolved } from "./plan-price.ts";

/** A fee with the time at which it was posted. */
export interface PostedFee extends PlanFee {
  posted_at: number;
}

/** A part of a whole, both integers. */
interface PlanShare {
  part: bigint;
  of: bigint;
}

/** The quota month that runs at `now` in the time of a fee. Before it begins, the first one. */
export function runningMonth(
  subscription: Subscription,
  { ends_at }: Pick<PlanFee, "ends_at">,
  now: number,
): ReturnType<typeof quotaPeriod> {
  const anchor = anchorAt(subscription, ends_at - 1);
  return quotaPeriod(anchor, Math.max(now, anchor));
}

/**
 * The unused share of the time of a fee: all of it before it begins. Then it is the quota months to come, and a share of the
 * running one. That is the smaller of its days that have not begun and the calls of its quota that are left. `calls` is how
 * many were used in the running month. A plan that the catalog does not have any more goes by days.
 */
export function unusedShare(
  subscription: Subscription,
  fee: Pick<PlanFee, "starts_at" | "ends_at">,
  { quota, calls }: { quota: number | undefined; calls: number },
  now: number,
): PlanShare {
  if (fee.starts_at > now) return { part: 1n, of: 1n };
  if (fee.ends_at <= now) return { part: 0n, of: 1n };
  const month = runningMonth(subscription, fee, now);
  const all = quotaMonths(subscription, fee.starts_at, fee.ends_at);
  const later = month.ends_at < fee.ends_at ? quotaMonths(subscription, month.ends_at, fee.ends_at) : 0;
  const days = {
    part: Math.floor((month.ends_at - now) / dayMs),
    of: (month.ends_at - month.starts_at) / dayMs,
  };
  const left = quota === undefined ? days : { part: Math.max(0, quota - calls), of: quota };
  const { part, of } = left.part * days.of < days.part * left.of ? left : days;
  return { part: BigInt(later) * BigInt(of) + BigInt(part), of: BigInt(all) * BigInt(of) };
}

/**
 * The subscription once the order of its last paid time, `fee`, is paid back. What has not begun is taken off its end. An
 * upgrade that runs is undone: what it took the place of runs on. Any other plan that runs ends now. `others` are the fees
 * that nobody was paid back for. Undefined where an upgrade leaves nothing that could run on.
 */
export function withoutFee(
  subscription: Subscription,
  fee: PlanFee,
  { action, others }: Pick<PlanOrder, "action"> & { others: readonly PostedFee[] },
  now: number,
): Subscription | undefined {
  if (fee.starts_at > now) {
    const { next, returned = [], ...kept } = subscription;
    const before = next && next.from < fee.starts_at ? { next } : {};
    return { ...kept, ...before, ends_at: fee.starts_at, returned: [...returned, fee.starts_at] };
  }
  const running = resolved(subscription, now);
  if (action !== "upgrade")
    return { ...running, paid: { from: fee.starts_at, first_ends_at: now }, ends_at: now };
  const below = others
    .filter(({ starts_at, ends_at }) => starts_at <= now && now < ends_at)
    .toSorted((one, other) => one.posted_at - other.posted_at)
    .findLast((other) => feeId(other) !== feeId(fee));
  if (!below) return undefined;
  const { plan, period, starts_at, ends_at } = below;
  return { ...running, plan, period, paid: { from: starts_at, first_ends_at: ends_at } };
}

/** The first instant from `now` on at which no fee of a meter starts: the id of a fee contains its start. */
export function freeStart(fees: readonly PlanFee[], now: number): number {
  const starts = new Set(fees.map(({ starts_at }) => starts_at));
  let start = now;
  while (starts.has(start)) start += 1;
  return start;
}

/** The fee that gives back so many points of another one, from `starts_at` on. */
export function feeBack(fee: PlanFee, points: bigint, starts_at: number): PlanFee {
  const { meter, plan, period, ends_at, order } = fee;
  return {
    ...{ meter, plan, period, starts_at, ends_at, ...(order !== undefined && { order }) },
    ...{ price_points: "0", unused_points: formatPoints(points), returns: feeId(fee) },
  };
}
