/**
 * What the calls of a key, or of another level, may spend in a UTC day, a UTC month, or in total. The meter has one
 * counter for it. This file names the counter and does the arithmetic. Points are 10⁻¹⁸, instants Unix milliseconds.
 */
import type { BillingMode, BudgetPeriod, KeyLimits } from "../accounts/account.ts";
import { spanEnd, spanOf } from "../billing/period.ts";
import { formatPoints, parsePoints } from "../billing/points.ts";
import { type LevelName, levels } from "./levels.ts";
import { dayCounter, dayCounterUnusedFrom, dayEnd } from "./window.ts";

/** How long after its period a changed budget stays on the first shard: calls of the period may be admitted later. */
const changedGraceMs = 3_600_000;

export interface Budget {
  points: bigint;
  period: BudgetPeriod;
}

/** What a budget's counter contains: the charges of calls that ended, and the holds of calls in flight. */
export interface BudgetUse {
  spent: bigint;
  held: bigint;
}

/** The budget among a key's own limits; undefined where it has none. */
export function budgetOf(own: KeyLimits | null | undefined): Budget | undefined {
  if (own?.budget_points === undefined || own.budget_period === undefined) return undefined;
  return { points: parsePoints(own.budget_points), period: own.budget_period };
}

/** The counter of a call that was admitted at `at`: `bd20778` for a day, `bm202611` for a month, `bt` for all time. */
export function budgetCounter(period: BudgetPeriod, at: number): string {
  if (period === "day") return `b${dayCounter(at)}`;
  return period === "month" ? monthCounter(at) : "bt";
}

/** The name on the meter of the counter of an account for a call that was admitted at `at`. */
export function accountCounter(account: string, period: BudgetPeriod, at: number): string {
  return `${account}:${budgetCounter(period, at)}`;
}

/** A counter's name without its account; any other name of the meter as it is. */
export function ownName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

function monthCounter(at: number): string {
  return `bm${spanOf(at, "month").replace("-", "")}`;
}

/** The counters of all three kinds of budget for a call admitted at `at`. The key's budget decides between them. */
export function budgetCounters(at: number): string[] {
  return (["day", "month", "total"] as const).map((period) => budgetCounter(period, at));
}

/** From when on nobody needs a counter: one day or month after its own has ended. Never for the counter of all time. */
export function budgetUnusedFrom(counter: string): number {
  if (counter.startsWith("bd")) return dayCounterUnusedFrom(counter.slice(1));
  const [, year, month] = /^bm(\d{4})(\d{2})$/.exec(counter) ?? [];
  return year === undefined ? Infinity : Date.UTC(Number(year), Number(month) + 1);
}

/** When the period that runs at `at` ends. Null for a budget in total. */
export function budgetEnd(period: BudgetPeriod, at: number): number | null {
  if (period === "total") return null;
  return period === "day" ? dayEnd(at) : spanEnd(spanOf(at, "month"));
}

/**
 * Whether a budget that counts since `from` (Unix milliseconds; undefined for always) has counted all calls of the period
 * that runs at `now`. A call of a moment before may still be admitted a little later.
 */
export function isWholePeriod(period: BudgetPeriod, from: number | undefined, now: number): boolean {
  if (from === undefined) return true;
  const surely = from + changedGraceMs;
  return period !== "total" && surely <= now && budgetCounter(period, surely) !== budgetCounter(period, now);
}

/**
 * Until when a budget that is changed at `at` may have to stay on the first shard: until no call of its period is admitted
 * any more. One in total has no end.
 */
export function changedUntil(period: BudgetPeriod, at: number): number {
  const end = budgetEnd(period, at);
  return end === null ? Number.MAX_SAFE_INTEGER : end + changedGraceMs;
}

/**
 * What a charged call takes of its key's budget: what its wallet pays or, on a subscription, the value at list price.
 */
export function budgetCost(
  mode: BillingMode,
  { cost_points, list_points, calls }: { cost_points: string; list_points: string; calls: number },
): bigint {
  if (mode === "payg") return parsePoints(cost_points);
  return calls === 0 ? 0n : parsePoints(list_points);
}

/** A budget as it is shown: what is spent, what calls in flight hold, what is left, and when it resets. */
export function showBudget({ points, period }: Budget, { spent, held }: BudgetUse, now: number) {
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

/** What did not fit into a budget. */
export type Refused = "the call" | "the next part of the answer";

/**
 * The message that `what` does not fit into the budget of a level at `now`. It says what is left, what would help, and who
 * can raise the budget. `what` may cost `needed` points.
 */
export function budgetMessage(
  { level, points, period }: Budget & { level: LevelName },
  { spent, held }: BudgetUse,
  { what, needed }: { what: Refused; needed: bigint },
  now: number,
): string {
  const { whose, remedy, raise } = levels[level];
  const budget = `budget of ${formatPoints(points)} points ${spans[period]}`;
  const cost = `up to ${formatPoints(needed)} points`;
  if (needed > points) {
    return `${whose} whole ${budget} is less than ${what} may cost, which is ${cost}. Ask for less, for example with a lower limit on the output, or ${remedy}.`;
  }
  const left = points - spent - held;
  const taken = `${formatPoints(left > 0n ? left : 0n)} are left, ${formatPoints(spent)} are spent and ${formatPoints(held)} are held by calls in flight`;
  const end = budgetEnd(period, now);
  const resets = end === null ? "It never resets." : `It resets at ${new Date(end).toISOString()}.`;
  const wait = spent + needed <= points ? " Try again when they have ended." : "";
  return `${whose} ${budget} does not cover ${what}, which may cost ${cost}: ${taken}.${wait} ${resets} ${raise}`;
}
