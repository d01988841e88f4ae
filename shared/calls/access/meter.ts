/** Which meter counts the calls of a key, and the limits of its plan at an instant (design §4 "Plans"). */

import { GatewayError } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import type { KeyRecord, Principal, Subscription } from "../../books/accounts/account.ts";
import { anchorAt, isRunning, planAt } from "../../books/accounts/subscription.ts";
import { quotaPeriod } from "../../books/billing/period.ts";
import { parsePoints } from "../../books/billing/points.ts";
import type { PlanLimits } from "../../books/meters/hold.ts";
import { boundingOf } from "../../books/meters/levels.ts";
import { type Home, homeOf } from "../../books/meters/shards.ts";
import type { AccessDeps } from "./deps.ts";

/** Which of its meter's shards may hold a call: any, or only the one on which all calls of its key are counted. */
export interface ShardChoice {
  shards: number;
  home: Home;
}

/** The meter that counts a key's calls, and which of its shards may take one. */
export interface MeterChoice extends ShardChoice {
  meter: string;
  /** The plan's limits at this instant; null on pay-as-you-go. */
  planLimits: PlanLimits | null;
}

/**
 * The meter of the key's billing mode at `now`, Unix milliseconds. Throws `insufficient_balance` where the organization
 * has no wallet, and `subscription_lapsed` where it has no running subscription.
 */
export function meterOf(
  { key, organization }: Principal,
  now: number,
  deps: Pick<AccessDeps, "catalog">,
): MeterChoice {
  const home = homeOf(key, now, boundingOf(organization, key, now));
  if (key.mode === "payg") {
    if (!organization.wallet) throw new GatewayError("insufficient_balance");
    const { meter, shards } = organization.wallet;
    return { meter, shards, home, planLimits: null };
  }
  const { subscription } = organization;
  const planLimits = subscription && planLimitsAt(subscription, now, deps);
  if (!planLimits) throw new GatewayError("subscription_lapsed");
  return { meter: subscription.meter, shards: 1, home, planLimits };
}

/** The limits of a subscription's plan at `now`; undefined where no period runs, or the catalog has no such plan. */
export function planLimitsAt(
  subscription: Subscription,
  now: number,
  { catalog }: { catalog: Pick<AccessDeps["catalog"], "plan"> },
): PlanLimits | undefined {
  if (!isRunning(subscription, now)) return undefined;
  const bought = planAt(subscription, now);
  const plan = catalog.plan(bought.plan);
  if (!plan) return undefined;
  const { id, ends_at } = quotaPeriod(anchorAt(subscription, now), now);
  const { quota, rpm, tpm, tpd, list_points_max } = plan;
  const { call, day, above } = list_points_max ?? {};
  return {
    quota: quota[bought.period],
    rpm,
    tpm,
    tpd,
    period: { id, ends_at },
    ...(call !== undefined && above === "count" && { callPoints: parsePoints(call) }),
    ...(day !== undefined && { dayPoints: parsePoints(day) }),
  };
}

/**
 * The most tokens that a call's media reserve in the minute and the day: a part of the lowest limit, the key's own
 * limits included. Reserved in full, one document would use the whole window up.
 */
export function mediaMostOf({ tpm, tpd }: PlanLimits, { limits: own }: Pick<KeyRecord, "limits">): number {
  const most = [tpm, tpd, own?.tpm, own?.tpd].filter((limit) => typeof limit === "number");
  return Math.floor(Math.min(...most) / limits.mediaWindowParts);
}
