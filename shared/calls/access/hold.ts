/** What a call holds on its meter before it is sent (billing.md §2.3). */

import type { KeyRecord, Principal } from "../../books/accounts/account.ts";
import { budgetOf } from "../../books/meters/budget.ts";
import { callsWorth, type Hold, type PlanLimits } from "../../books/meters/hold.ts";
import type { Bound } from "../../books/meters/levels.ts";
import type { MeterChoice } from "./meter.ts";

/**
 * The points that a call holds, 10⁻¹⁸: on a wallet the most it may cost. A subscription holds none. Where its key has a
 * budget, a budget of another level bounds it, or its plan bounds the day, it holds the most that the call may cost at list price. Where its plan counts dear
 * calls as several, it holds as many calls of the quota. `most` runs only where its result is needed.
 */
export function pointsHeld(
  { mode, limits: own }: Pick<KeyRecord, "mode" | "limits">,
  planLimits: PlanLimits | null,
  most: () => bigint,
  bounds: Bound[] = [],
): Pick<Hold, "points" | "listPoints" | "calls" | "bounds"> {
  const bounded = bounds.length > 0 && { bounds };
  if (mode === "payg") return { points: most(), ...bounded };
  const { callPoints, dayPoints } = planLimits ?? {};
  const calls = callPoints === undefined ? 1 : callsWorth(most(), callPoints);
  const isCounted = bounded || budgetOf(own) !== undefined || dayPoints !== undefined;
  return { points: 0n, ...(isCounted && { listPoints: most() }), ...(calls > 1 && { calls }), ...bounded };
}

/** The hold that a caller's call asks for. Its shard is chosen when it is taken. */
export function holdFor(
  { key, organization: { wallet, budgets_revision } }: Principal,
  { meter, planLimits }: Pick<MeterChoice, "meter" | "planLimits">,
  asked: Pick<Hold, "request" | "at" | "points" | "listPoints" | "calls" | "bounds" | "tokens" | "counting">,
): Hold {
  const { spread } = wallet ?? {};
  const isRevised = asked.bounds !== undefined && budgets_revision !== undefined;
  const own = {
    ...(isRevised && { boundsRevision: budgets_revision }),
    ...(key.limits && { limits: key.limits }),
    ...(key.revision !== undefined && { revision: key.revision }),
    ...(spread && { spread }),
  };
  return { ...asked, key: key.id, mode: key.mode, meter, shard: 0, planLimits, ...own };
}
