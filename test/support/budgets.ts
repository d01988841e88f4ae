/** Calls of a key that has a budget, on either mode, and what its counter says. */

import { newId } from "#shared/base/platform/id.ts";
import type { BudgetPeriod, KeyLimits } from "#shared/books/accounts/account.ts";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import { type BudgetUse, budgetCounter } from "#shared/books/meters/budget.ts";
import { budgetName, type Hold } from "#shared/books/meters/hold.ts";
import type { Meters } from "#shared/books/meters/meter.ts";
import type { Database } from "./dynamodb.ts";
import { noon, openPlan, openWallet, planHold, planLimits, settlement, walletHold } from "./store.ts";

export const budgetOf = (points: string, period: BudgetPeriod = "day"): KeyLimits => ({
  budget_points: points,
  budget_period: period,
});

/** A key on a meter of its own: what its calls ask for, and how they end. */
export interface Spender {
  meter: string;
  key: string;
  /** A call that may cost so many points. */
  hold(points: string, at?: number): Hold;
  /** The end of a call that is charged so many. */
  charged(points: string, at?: number): ReturnType<typeof settlement>;
}

export type Mode = "payg" | "subscription";

/** A spender with 1,000 points, or with a subscription that limits nothing. */
export async function newSpender(db: Database, mode: Mode, limits: KeyLimits): Promise<Spender> {
  const key = newId("key", noon);
  const meter = await (mode === "payg" ? openWallet(db, "1000") : openPlan(db));
  return {
    meter,
    key,
    hold: (points, at = noon) =>
      mode === "payg"
        ? { ...walletHold(meter, points, at, key), limits }
        : { ...planHold(meter, planLimits(), 5, at, key), limits, listPoints: parsePoints(points) },
    charged: (points, at = noon + 1000) =>
      settlement({
        points: mode === "payg" ? parsePoints(points) : 0n,
        listPoints: parsePoints(points),
        tokens: 5,
        at,
      }),
  };
}

/** What a spender's budget has spent and holds, in points; undefined where it has no counter. */
export async function usedOf(
  meters: Pick<Meters, "budgets">,
  { meter, key }: Spender,
  period: BudgetPeriod = "day",
  at = noon,
): Promise<{ spent: string; held: string } | undefined> {
  const use = (await meters.budgets(meter)).get(budgetName(key, budgetCounter(period, at)));
  return use && shown(use);
}

function shown({ spent, held }: BudgetUse): { spent: string; held: string } {
  return { spent: formatPoints(spent), held: formatPoints(held) };
}
