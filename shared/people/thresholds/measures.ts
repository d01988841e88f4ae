/** What is measured of a meter (README.md "What is told"). Points are 10⁻¹⁸, instants Unix milliseconds. */
import type { BillingMode, KeyRecord, LevelBudget, Organization } from "../../books/accounts/account.ts";
import { isKept } from "../../books/accounts/key-state.ts";
import { anchorAt, isRunning, planAt } from "../../books/accounts/subscription.ts";
import { dayMs, quotaPeriod } from "../../books/billing/period.ts";
import { formatPoints, parsePoints } from "../../books/billing/points.ts";
import type { Plan } from "../../books/catalog/catalog.ts";
import { accountCounter, type Budget, budgetEnd, budgetOf } from "../../books/meters/budget.ts";
import { limitedName } from "../../books/meters/hold.ts";
import { accountOf, type LevelName } from "../../books/meters/levels.ts";
import type { CertainUse, Meter } from "../../books/meters/meter.ts";
import type { AuditFacts } from "../identity/audit.ts";
import { defaultWalletThresholds, thresholdLimits } from "./bounds.ts";
import type { ThresholdMeasure } from "./measure.ts";
import { daysLeft, isGoneWithin, paceOf, type UsedSample } from "./pace.ts";

const { budgetPercents, quotaPercents, keyDays } = thresholdLimits;

/** A meter, and what is known of whose it is. */
export interface MeasuredUse {
  mode: BillingMode;
  /** Calls by quota month. */
  periods: Meter["periods"];
  /** What was credited to a wallet and charged; undefined where that is not known. */
  wallet: { granted: bigint; used: bigint } | undefined;
  /** What is spent by each counter of a budget; undefined where that is not known. */
  spent: CertainUse["spent"];
  organization: Organization;
  /** The organization's keys; undefined where they were not read. */
  keys: readonly KeyRecord[] | undefined;
  samples: readonly UsedSample[];
  plan: (name: string) => Plan | undefined;
  now: number;
}

/** All measures of a meter, of what is known. */
export function measuresOf(measured: MeasuredUse): ThresholdMeasure[] {
  const { mode, spent = new Map(), keys = [], now } = measured;
  const own = keys.filter((key) => key.mode === mode && isKept(key, now));
  return [
    ...levelBudgets(spent, mode, measured),
    ...keyBudgets(spent, mode, own, now),
    ...(mode === "payg" ? walletMeasures(measured) : quotaMeasures(measured)),
    ...own.flatMap((key) => expiryOf(key, now)),
  ];
}

type Spent = NonNullable<CertainUse["spent"]>;

/** A budget of an account, and how its lines name it. */
interface NamedBudget extends Budget {
  level: LevelName;
  account: string;
  subject: string;
  name?: string;
}

function levelBudgets(
  uses: Spent,
  mode: BillingMode,
  { organization, now }: MeasuredUse,
): ThresholdMeasure[] {
  const { id, budgets = [] } = organization;
  // A meter knows end customers by a hash alone.
  const named = budgets.filter(({ level }) => level !== "customer");
  return named.flatMap((row: LevelBudget) => {
    const { level, period } = row;
    const budget = { level, period, points: parsePoints(row.points), account: accountOf(level, row.id) };
    return budgetMeasure({ ...budget, subject: row.id || id }, uses, mode, now);
  });
}

function keyBudgets(
  uses: Spent,
  mode: BillingMode,
  keys: readonly KeyRecord[],
  now: number,
): ThresholdMeasure[] {
  return keys.flatMap(({ id, name, limits }) => {
    const budget = budgetOf(limits);
    if (!budget) return [];
    const named = { ...budget, level: "key" as const, account: limitedName(id), subject: id, name };
    return budgetMeasure(named, uses, mode, now);
  });
}

/** An instant of each period that is looked at: of the running one, and of one that has just ended. */
function instantsAt(now: number): number[] {
  return [now - thresholdLimits.lateMs, now];
}

/** The measures of a budget. None where nothing was ever counted for it. */
function budgetMeasure(
  { level, period, points, account, subject, name }: NamedBudget,
  uses: Spent,
  mode: BillingMode,
  now: number,
): ThresholdMeasure[] {
  const counters = new Map(instantsAt(now).map((at) => [accountCounter(account, period, at), at]));
  return [...counters].flatMap(([counter, at]) => {
    const spent = uses.get(counter);
    if (spent === undefined) return [];
    const end = budgetEnd(period, at);
    const facts = {
      ...{ level, ...(name !== undefined && { name }), billing_mode: mode },
      ...{ budget_points: formatPoints(points), budget_period: period, spent_points: formatPoints(spent) },
      resets_at: end === null ? null : new Date(end).toISOString(),
    };
    const thresholds = thresholdsOf(budgetPercents, { used: spent, most: points, facts });
    const measured = { kind: "budget_reached", subject, name: counter, of: formatPoints(points) } as const;
    return [{ ...measured, isOver: at !== now, thresholds }];
  });
}

/** The thresholds at these percents of the most that may be used, with their facts. */
function thresholdsOf(
  percents: readonly number[],
  { used, most, facts }: { used: bigint; most: bigint; facts: AuditFacts },
): ThresholdMeasure["thresholds"] {
  return percents.map((percent) => ({
    facts: { percent, ...facts },
    isReached: used > 0n && used * 100n >= most * BigInt(percent),
  }));
}

function quotaMeasures({ periods, organization, plan: planOf, now }: MeasuredUse): ThresholdMeasure[] {
  const { id: subject, subscription } = organization;
  if (!subscription || !isRunning(subscription, now)) return [];
  const months = new Map(
    instantsAt(now).map((at) => {
      const month = quotaPeriod(anchorAt(subscription, at), at);
      return [month.id, { month, at }];
    }),
  );
  return [...months.values()].flatMap(({ month, at }) => {
    // The plan of that month: another one may have begun with this one.
    const { plan, period } = planAt(subscription, at);
    const quota = planOf(plan)?.quota[period];
    const used = periods.get(month.id);
    if (quota === undefined || used === undefined) return [];
    const facts = { plan, quota, used, resets_at: new Date(month.ends_at).toISOString() };
    const thresholds = thresholdsOf(quotaPercents, { used: BigInt(used), most: BigInt(quota), facts });
    const measured = { kind: "quota_reached", subject, name: `q${month.id}`, of: String(quota) } as const;
    return [{ ...measured, isOver: at !== now, thresholds }];
  });
}

/** The measures of a wallet. None where it was never credited. */
function walletMeasures({ wallet, organization, samples, now }: MeasuredUse): ThresholdMeasure[] {
  if (!wallet || wallet.granted <= 0n) return [];
  const { granted, used } = wallet;
  const { id: subject, wallet_thresholds = defaultWalletThresholds } = organization;
  const left = granted - used;
  const pace = paceOf(samples, used, now);
  return wallet_thresholds.map(({ measure, below }) => {
    const isReached =
      measure === "points"
        ? left < parsePoints(below)
        : pace !== undefined && isGoneWithin(left, Number(below), pace);
    const facts = {
      ...{ measure, below, balance_points: formatPoints(left) },
      days_left: (pace && daysLeft(left, pace)) ?? null,
    };
    const of = `${formatPoints(granted)} ${below}`;
    return {
      ...({ kind: "wallet_low", subject, name: `w${measure}`, of, isOver: false } as const),
      thresholds: [{ facts, isReached }],
    };
  });
}

/** How near a key's end is. Of a key that was made later than a threshold, that threshold is none. */
function expiryOf({ id, name, program, created_at, expires_at }: KeyRecord, now: number): ThresholdMeasure[] {
  if (expires_at === null || program) return [];
  const days = keyDays.filter((each) => created_at < expires_at - each * dayMs);
  if (days.length === 0) return [];
  const ends = new Date(expires_at).toISOString();
  const thresholds = days.map((each) => ({
    facts: { days: each, name, expires_at: ends },
    isReached: expires_at - each * dayMs <= now,
  }));
  const measured = { kind: "key_expiring", subject: id, name: `x${id.slice(-10)}`, of: ends } as const;
  return [{ ...measured, isOver: false, thresholds }];
}
