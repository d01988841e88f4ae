/**
 * What one key may spend in a UTC day, a UTC month, or in total. The meter keeps one counter of it; this file names
 * that counter and says what it means. Points are 10⁻¹⁸, instants Unix milliseconds.
 */
import type { BillingMode, BudgetPeriod, KeyLimits } from "../accounts/account.ts";
import { dayMs, spanEnd, spanOf, spanStart } from "../billing/period.ts";
import { formatPoints, parsePoints } from "../billing/points.ts";
import { dayCounter, dayEnd } from "./window.ts";

export interface Budget {
  points: bigint;
  period: BudgetPeriod;
}

/** What a budget's counter has: charged to calls that ended, and held by those that have not. */
export interface BudgetUse {
  spent: bigint;
  held: bigint;
}

/** The budget among a key's own limits. */
export function budgetOf(own: KeyLimits | null | undefined): Budget | undefined {
  if (own?.budget_points === undefined || own.budget_period === undefined) return undefined;
  return { points: parsePoints(own.budget_points), period: own.budget_period };
}

/** The counter of calls that were admitted at `at`: `bd20778` of a day, `bm202611` of a month, `bt` of all time. */
export function budgetCounter(period: BudgetPeriod, at: number): string {
  if (period === "day") return `b${dayCounter(at)}`;
  return period === "month" ? monthCounter(at) : "bt";
}

function monthCounter(at: number): string {
  return `bm${spanOf(at, "month").replace("-", "")}`;
}

/** Every counter that a call admitted at `at` may be on: which of them it is on, its key's budget says. */
export function budgetCounters(at: number): string[] {
  return (["day", "month", "total"] as const).map((period) => budgetCounter(period, at));
}

/** Whether a counter's day or month is over so long that nobody needs it: the last one before the running is kept. */
export function isBudgetOver(counter: string, now: number): boolean {
  if (counter.startsWith("bd")) return Number(counter.slice(2)) < Math.floor(now / dayMs) - 1;
  return counter.startsWith("bm") && counter < monthCounter(spanStart(spanOf(now, "month")) - 1);
}

/** When the period that runs at `at` ends; null for one that never does. */
export function budgetEnd(period: BudgetPeriod, at: number): number | null {
  if (period === "total") return null;
  return period === "day" ? dayEnd(at) : spanEnd(spanOf(at, "month"));
}

/** What a call takes of its key's budget once it is charged: what its wallet pays or, on a subscription, its list price. */
export function budgetCost(
  mode: BillingMode,
  { cost_points, list_points, calls }: { cost_points: string; list_points: string; calls: number },
): bigint {
  if (mode === "payg") return parsePoints(cost_points);
  return calls === 0 ? 0n : parsePoints(list_points);
}

/** A budget as its key shows it: what is spent, held by calls in flight and left, and when it begins anew. */
export function showBudget({ points, period }: Budget, { spent, held }: BudgetUse, now: number): object {
  const left = points - spent - held;
  const end = budgetEnd(period, now);
  return {
    period,
    spent_points: formatPoints(spent),
    held_points: formatPoints(held),
    left_points: formatPoints(left > 0n ? left : 0n),
    resets_at: end === null ? null : new Date(end).toISOString(),
  };
}

const spans: Record<BudgetPeriod, string> = {
  day: "per day (UTC)",
  month: "per month (UTC)",
  total: "in total",
};

/**
 * Says why something does not fit into a budget at `now`, and what would make it fit. `what` is asked for, and may
 * cost `needed` points.
 */
export function budgetMessage(
  { points, period }: Budget,
  { spent, held }: BudgetUse,
  { what, needed }: { what: "the call" | "the next part of the answer"; needed: bigint },
  now: number,
): string {
  const budget = `budget of ${formatPoints(points)} points ${spans[period]}`;
  const cost = `up to ${formatPoints(needed)} points`;
  if (needed > points) {
    return `The key's whole ${budget} is less than ${what} may cost, which is ${cost}. Ask for less, for example with a lower limit on the output, or use a key with a larger budget.`;
  }
  const taken = `${formatPoints(spent)} are spent and ${formatPoints(held)} are held by calls in flight`;
  const end = budgetEnd(period, now);
  const resets = end === null ? "It never resets." : `It resets at ${new Date(end).toISOString()}.`;
  const wait = spent + needed <= points ? " Try again when they have ended." : "";
  return `The key's ${budget} does not cover ${what}, which may cost ${cost}: ${taken}.${wait} ${resets}`;
}
