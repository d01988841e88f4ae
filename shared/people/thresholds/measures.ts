/** What is measured of a meter (README.md "What is told"). Points are 10⁻¹⁸, instants Unix milliseconds. */
import type { BillingMode, KeyRecord, LevelBudget, Organization } from "../../books/accounts/account.ts";
import { isKept } from "../../books/accounts/key-state.ts";
import { anchorAt, isRunning, planAt } from "../../books/accounts/subscription.ts";
import { dayMs, quotaPeriod } from "../../books/billing/period.ts";
import { formatPoints, parsePoints } from "../../books/billing/points.ts";
import type { Plan } from "../../books/catalog/catalog.ts";
import {
  accountCounter,
  type Budget,
  type BudgetUse,
  budgetEnd,
  budgetOf,
} from "../../books/meters/budget.ts";
import { limitedName } from "../../books/meters/hold.ts";
import { accountOf, type LevelName } from "../../books/meters/levels.ts";
import { budgetUses, type Meter } from "../../books/meters/meter.ts";
import { defaultWalletThresholds, thresholdLimits } from "./bounds.ts";
import type { ThresholdMeasure } from "./measure.ts";
import { daysLeft, isGoneWithin, paceOf, type UsedSample } from "./pace.ts";

const { budgetPercents, quotaPercents, keyDays } = thresholdLimits;

/** A meter's fields that are measured. */
type MeasuredMeter = Pick<
  Meter,
  "mode" | "granted" | "used" | "budgets" | "holds" | "seized" | "tasks" | "periods"
>;

/** A meter at an instant, and what is known of whose it is. */
export interface MeasuredUse {
  /** All items of the meter, as they stood at one instant. */
  items: readonly MeasuredMeter[];
  organization: Organization;
  /** The organization's keys; undefined where they were not read. */
  keys: readonly KeyRecord[] | undefined;
  samples: readonly UsedSample[];
  plan: (name: string) => Plan | undefined;
  now: number;
}

/** All measures of a meter. */
export function measuresOf(measured: MeasuredUse): ThresholdMeasure[] {
  const { items, keys = [], now } = measured;
  const mode = items[0]?.mode ?? "payg";
  const uses = budgetUses(items);
  const own = keys.filter((key) => key.mode === mode && isKept(key, now));
  return [
    ...levelBudgets(uses, mode, measured),
    ...keyBudgets(uses, mode, own, now),
    ...(mode === "payg" ? walletMeasures(measured) : quotaMeasures(measured)),
    ...own.flatMap((key) => expiryOf(key, now)),
  ];
}

/** What a wallet was credited and charged, over all its items. */
export function walletOf(items: readonly Pick<Meter, "granted" | "used">[]): {
  granted: bigint;
  used: bigint;
} {
  return items.reduce(
    (sum, { granted, used }) => ({ granted: sum.granted + granted, used: sum.used + used }),
    { granted: 0n, used: 0n },
  );
}

type CountedUses = ReadonlyMap<string, BudgetUse>;

/** A budget of an account, and how its lines name it. */
interface NamedBudget extends Budget {
  level: LevelName;
  account: string;
  subject: string;
  name?: string;
}

function levelBudgets(
  uses: CountedUses,
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
  uses: CountedUses,
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
  uses: CountedUses,
  mode: BillingMode,
  now: number,
): ThresholdMeasure[] {
  const counters = new Map(instantsAt(now).map((at) => [accountCounter(account, period, at), at]));
  return [...counters].flatMap(([counter, at]) => {
    const use = uses.get(counter);
    if (!use) return [];
    const { spent } = use;
    const end = budgetEnd(period, at);
    const facts = {
      ...{ level, ...(name !== undefined && { name }), billing_mode: mode },
      ...{ budget_points: formatPoints(points), budget_period: period, spent_points: formatPoints(spent) },
      resets_at: end === null ? null : new Date(end).toISOString(),
    };
    const thresholds = percentsOf(budgetPercents, spent, points).map(({ percent, isReached }) => ({
      facts: { percent, ...facts },
      isReached,
    }));
    const measured = { kind: "budget_reached", subject, name: counter, of: formatPoints(points) } as const;
    return [{ ...measured, thresholds }];
  });
}

function percentsOf(percents: readonly number[], used: bigint, most: bigint) {
  return percents.map((percent) => ({
    percent,
    isReached: used > 0n && used * 100n >= most * BigInt(percent),
  }));
}

function quotaMeasures({ items, organization, plan: planOf, now }: MeasuredUse): ThresholdMeasure[] {
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
    const counts = items.flatMap(({ periods }) => periods.get(month.id) ?? []);
    if (quota === undefined || counts.length === 0) return [];
    const used = counts.reduce((sum, count) => sum + count, 0);
    const facts = { plan, quota, used, resets_at: new Date(month.ends_at).toISOString() };
    const thresholds = percentsOf(quotaPercents, BigInt(used), BigInt(quota)).map(
      ({ percent, isReached }) => ({
        facts: { percent, ...facts },
        isReached,
      }),
    );
    return [{ kind: "quota_reached", subject, name: `q${month.id}`, of: String(quota), thresholds }];
  });
}

/** The measures of a wallet. None where it was never credited. */
function walletMeasures({ items, organization, samples, now }: MeasuredUse): ThresholdMeasure[] {
  const { granted, used } = walletOf(items);
  if (granted <= 0n) return [];
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
      ...({ kind: "wallet_low", subject, name: `w${measure}`, of } as const),
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
  return [{ kind: "key_expiring", subject: id, name: `x${id.slice(-10)}`, of: ends, thresholds }];
}
