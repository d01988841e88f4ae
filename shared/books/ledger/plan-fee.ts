/**
 * What subscriptions cost, and when. A paid period lasts one, three or twelve quota months. Its fee is one entry of the
 * ledger, at the start of the period. Everything here is pure calculation; instants are Unix milliseconds.
 */
import type { PaidTime, PlanChoice, PlanPeriod, Subscription } from "../accounts/account.ts";
import { anchorAt, planAt } from "../accounts/subscription.ts";
import { monthsFrom, quotaPeriod } from "../billing/period.ts";
import { formatPoints, parsePoints } from "../billing/points.ts";
import type { Entry, FeePlace, PaidPeriod, PlanFee } from "./ledger.ts";

/** Quota months of a paid period. */
export const periodMonths: Record<PlanPeriod, number> = { monthly: 1, quarterly: 3, yearly: 12 };

/** A plan, and from when it is paid for. `until` is when another plan follows. */
interface Stretch extends PlanChoice, PaidTime {
  until: number;
}

/** The plans of a subscription that fees are posted for. None before `adopted` has seen it. */
function stretchesOf({ plan, period, paid, next }: Subscription): Stretch[] {
  if (!paid) return [];
  const first = { plan, period, ...paid, until: next?.from ?? Infinity };
  return next ? [first, { ...next, until: Infinity }] : [first];
}

/** The paid periods that have begun by `now`, the latest first. None begins after the subscription's end. */
export function paidPeriods(subscription: Subscription, now: number): PaidPeriod[] {
  const { meter, ends_at } = subscription;
  const periods: PaidPeriod[] = [];
  for (const { plan, period, from, unused_points, first_ends_at, until } of stretchesOf(subscription)) {
    for (let n = 0, start = from; start <= now && start < until && start < (ends_at ?? Infinity); n++) {
      const whole = periodEnd(subscription, start, period);
      const end = n === 0 ? (first_ends_at ?? whole) : whole;
      const unused = n === 0 && unused_points !== undefined ? { unused_points } : {};
      const again = againAt(subscription, start);
      periods.push({ meter, plan, period, starts_at: start, ends_at: end, ...unused, ...again });
      start = end;
    }
  }
  return periods.reverse();
}

/** The end of a whole paid period that begins at `start`. */
export function periodEnd(subscription: Subscription, start: number, period: PlanPeriod): number {
  return monthsFrom(anchorAt(subscription, start), start, periodMonths[period]);
}

/** How often time with this start was paid back before it began: the next fee of it needs an id of its own. */
export function againAt({ returned = [] }: Subscription, start: number): Pick<PaidPeriod, "again"> {
  const again = returned.filter((at) => at === start).length;
  return again === 0 ? {} : { again };
}

/**
 * The id of a paid period's entry. It follows from subscription and start, so an order that pays for it knows it too.
 */
export function feeId({ meter, starts_at, again }: FeePlace): string {
  const id = `plan_fee#${meter}#${new Date(starts_at).toISOString()}`;
  return again === undefined ? id : `${id}#${again}`;
}

/** The fees that nobody was paid back for: without those that give others back, and without these others. */
export function liveFees<Fee extends PlanFee>(fees: readonly Fee[]): Fee[] {
  const gone = new Set(fees.flatMap(({ returns }) => returns ?? []));
  return fees.filter((fee) => fee.returns === undefined && !gone.has(feeId(fee)));
}

/**
 * The entry of a fee, posted at `now`. It takes nothing from a wallet: the organization owes it. If the unused part of
 * the old plan is worth more than the new period, the operator owes the difference.
 */
export function feeEntry(organization: string, fee: PlanFee, now: number): Entry {
  const points = feePoints(fee);
  const [owing, revenue] = [`receivable:${organization}`, `revenue:plan:${fee.plan}`];
  const isReturned = points < 0n;
  return {
    id: feeId(fee),
    kind: "plan_fee",
    organization,
    debit: isReturned ? revenue : owing,
    credit: isReturned ? owing : revenue,
    points: formatPoints(isReturned ? -points : points),
    at: fee.starts_at,
    posted_at: now,
    event: null,
    fee,
  };
}

/** The amount of a fee, 10⁻¹⁸ points. */
export function feePoints({ price_points, unused_points = "0" }: PlanFee): bigint {
  return parsePoints(price_points) - parsePoints(unused_points);
}

/**
 * A subscription from before there were fees, changed so that its fees begin with the period that runs at `now`.
 * Undefined where it has fees already.
 */
export function adopted(subscription: Subscription, now: number): Subscription | undefined {
  if (subscription.paid) return undefined;
  const { next, ...unchanged } = subscription;
  const running = { ...unchanged, ...planAt(subscription, now) };
  const { started_at } = running;
  const months = periodMonths[running.period];
  let from = started_at;
  for (let n = months; monthsFrom(started_at, started_at, n) <= now; n += months)
    from = monthsFrom(started_at, started_at, n);
  return { ...running, paid: { from }, ...(next && next.from > now && { next }) };
}

/**
 * A subscription after a change at `now`, with what its fees need. `after` is the result of `withPlan` on `before`;
 * `fee` is that of the running period. A new plan begins a paid period of its own when it takes effect, at once or
 * later. Its fee is lower by the unused part of the period that it ends.
 */
export function withPaidTime(
  before: Subscription,
  after: Subscription,
  fee: PlanFee | undefined,
  now: number,
): Subscription {
  const { next, paid: _paid, ...unchanged } = after;
  const { next: due, paid: since } = before;
  const paid = due && due.from <= now ? paidTime(due) : since;
  const unused = (at: number) => unusedPoints(before, fee, at, now);
  const [ran, runs] = [planAt(before, now), planAt(after, now)];
  const isSame = ran.plan === runs.plan && ran.period === runs.period;
  // The id of a fee contains its start. Two fees of one instant would be the same entry.
  const latest = Math.max(paid?.from ?? 0, fee?.starts_at ?? 0);
  const begins = { from: Math.max(now, latest + 1), ...unused(now) };
  return {
    ...unchanged,
    ...(isSame ? paid && { paid } : { paid: begins }),
    ...(next && { next: { plan: next.plan, period: next.period, from: next.from, ...unused(next.from) } }),
  };
}

function paidTime({ from, unused_points }: PaidTime): PaidTime {
  return unused_points === undefined ? { from } : { from, unused_points };
}

function unusedPoints(
  subscription: Subscription,
  fee: PlanFee | undefined,
  at: number,
  now: number,
): Partial<PaidTime> {
  const isOver = subscription.ends_at !== null && subscription.ends_at <= now;
  if (!fee || isOver) return {};
  const points = unusedOf(subscription, fee, at);
  return points === 0n ? {} : { unused_points: formatPoints(points) };
}

/**
 * What was paid for the quota months of a fee from `at` on, 10⁻¹⁸ points. The month of `at` counts whole, because the
 * new plan gives all of its calls. The amount is cut off at 10⁻¹⁸ points.
 */
export function unusedOf(
  subscription: Pick<Subscription, "started_at" | "restarts">,
  fee: PlanFee,
  at: number,
): bigint {
  const months = quotaMonths(subscription, fee.starts_at, fee.ends_at);
  const left = quotaMonths(subscription, Math.max(at, fee.starts_at), fee.ends_at);
  return months === 0
    ? 0n
    : (parsePoints(fee.price_points) * BigInt(Math.min(left, months))) / BigInt(months);
}

/**
 * How many quota months there are from the one that `from` falls in up to `to`. They go by the day that holds at the
 * end: a plan that was bought anew begins with months of its own.
 */
export function quotaMonths(
  subscription: Pick<Subscription, "started_at" | "restarts">,
  from: number,
  to: number,
): number {
  const anchor = anchorAt(subscription, to - 1);
  let months = 0;
  for (let start = quotaPeriod(anchor, Math.max(from, anchor)).starts_at; start < to; months++)
    start = quotaPeriod(anchor, start).ends_at;
  return months;
}

/**
 * A subscription with another end. If it had ended and goes on, it is paid from `now`, unless the running period was
 * paid before it ended.
 */
export function withEnd(subscription: Subscription, ends_at: number | null, now: number): Subscription {
  const before = subscription.ends_at;
  const changed = { ...subscription, ends_at };
  if (before === null || before > now || (ends_at !== null && ends_at <= now)) return changed;
  const [latest] = paidPeriods(subscription, now);
  if (latest && now < latest.ends_at) return changed;
  const { next, ...unchanged } = changed;
  const plan = planAt(subscription, now);
  return { ...unchanged, ...plan, paid: { from: now }, ...(next && next.from > now && { next }) };
}
