/** The hold that a call takes on its meter before it is sent, or the error that says why it gets none (design §3). */

import { GatewayError } from "../../base/errors.ts";
import type { ProtocolName } from "../../base/http/routes.ts";
import { isOverload } from "../../base/platform/aws.ts";
import type { KeyRecord, Principal, Subscription } from "../../books/accounts/account.ts";
import { anchorAt, isRunning, planAt } from "../../books/accounts/subscription.ts";
import { quotaPeriod } from "../../books/billing/period.ts";
import { parsePoints } from "../../books/billing/points.ts";
import type { LimitStatus, Refusal } from "../../books/meters/admission.ts";
import { budgetOf } from "../../books/meters/budget.ts";
import { callsWorth, type Hold, type PlanLimits, type Ticket } from "../../books/meters/hold.ts";
import { homeOf } from "../../books/meters/shards.ts";
import type { AccessDeps } from "./deps.ts";
import { rateHeaders } from "./rate-headers.ts";
import type { WhatFits } from "./shortfall.ts";
import type { ShardChoice, Taken } from "./take.ts";

/** The meter that counts a key's calls, and which of its shards may take one. */
interface MeterChoice extends ShardChoice {
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
  const home = homeOf(key);
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
 * The points that a call holds, 10⁻¹⁸: on a wallet the most it may cost. A subscription holds none. Where its key has a
 * budget, or its plan bounds the day, it holds the most that the call may cost at list price. Where its plan counts dear
 * calls as several, it holds as many calls of the quota. `most` runs only where its result is needed.
 */
export function pointsHeld(
  { mode, limits: own }: Pick<KeyRecord, "mode" | "limits">,
  planLimits: PlanLimits | null,
  most: () => bigint,
): Pick<Hold, "points" | "listPoints" | "calls"> {
  if (mode === "payg") return { points: most() };
  const { callPoints, dayPoints } = planLimits ?? {};
  const calls = callPoints === undefined ? 1 : callsWorth(most(), callPoints);
  const isCounted = budgetOf(own) !== undefined || dayPoints !== undefined;
  return { points: 0n, ...(isCounted && { listPoints: most() }), ...(calls > 1 && { calls }) };
}

/** The hold that a caller's call asks for. Its shard is chosen when it is taken. */
export function holdFor(
  { key }: Principal,
  { meter, planLimits }: Pick<MeterChoice, "meter" | "planLimits">,
  asked: Pick<Hold, "request" | "at" | "points" | "listPoints" | "calls" | "tokens" | "counting">,
): Hold {
  const own = key.limits ? { limits: key.limits } : {};
  return { ...asked, key: key.id, mode: key.mode, meter, shard: 0, planLimits, ...own };
}

/** How a hold is taken, and how its refusal is told. */
interface HoldRequest {
  /** The protocol whose rate-limit headers a refusal has. */
  dialect: ProtocolName;
  /** Asks the meter. */
  take: () => Promise<Taken>;
  /** Names a smaller call that would fit, for a call that costs more than there is. */
  whatFits?: WhatFits;
}

/**
 * Takes a hold, and gives its ticket and what is left of the limits. Throws the meter's refusal, which may be one that
 * this process remembers (`refusals.ts`), and `global_rate_limited` where the meter is too busy to answer.
 */
export async function holdOrRefuse(
  wanted: Hold,
  { dialect, take, whatFits }: HoldRequest,
  deps: Pick<AccessDeps, "refusals" | "now">,
): Promise<{ ticket: Ticket; limitStatus: LimitStatus }> {
  const { hold, admission } = await deps.refusals.ask(wanted, take).catch((error: unknown) => {
    throw refuseUnmetered(error);
  });
  if (admission.admitted) return { ticket: admission.ticket, limitStatus: admission.limitStatus };
  const message = await messageOf(admission, hold, whatFits);
  const headers = refusalHeaders(admission, dialect, deps.now());
  const resets_ms = resetsIn(admission, deps.now());
  throw new GatewayError(admission.error, {
    ...(message === undefined ? {} : { message }),
    ...(resets_ms === undefined ? {} : { resets_ms }),
    headers,
  });
}

/** What a refusal says in place of its code's sentence. What explains a shortfall is loaded with the first one. */
async function messageOf(
  refusal: Refusal,
  hold: Pick<Hold, "points">,
  whatFits: WhatFits | undefined,
): Promise<string | undefined> {
  const { lack, message } = refusal;
  if (!lack) return message;
  const { shortfallMessage } = await import("./shortfall.ts");
  return shortfallMessage({ ...refusal, lack }, hold, whatFits);
}

/** After how many milliseconds the limit that refused has room again: that of a minute or day, or a plan's quota. */
function resetsIn({ error, retryAfterSeconds, limitStatus }: Refusal, now: number): number | undefined {
  if (retryAfterSeconds !== undefined) return retryAfterSeconds * 1000;
  const at = error === "quota_exhausted" ? limitStatus.quota?.resetAt : undefined;
  return at === undefined ? undefined : Math.max(0, at - now);
}

/** The limits as they stand, and when to try again. `now` is Unix milliseconds. */
function refusalHeaders(
  { error, retryAfterSeconds: seconds, limitStatus }: Refusal,
  dialect: ProtocolName,
  now: number,
): Record<string, string> {
  return {
    ...rateHeaders(dialect, limitStatus, now),
    ...(seconds === undefined ? {} : { "retry-after": String(seconds) }),
    // A call that is over a limit by itself never fits. Official SDKs repeat every 429 unless they are told not to.
    ...(error === "rate_limited" && seconds === undefined ? { "x-should-retry": "false" } : {}),
  };
}

/**
 * The error of a store that failed, for the client. A store that is too busy admits nobody, because nothing is ever
 * sent unmetered: that is `global_rate_limited` (design §4 "Overload"). Any other error is given back as it is.
 */
export function refuseUnmetered(error: unknown): unknown {
  if (!isOverload(error)) return error;
  return new GatewayError("global_rate_limited", { headers: { "retry-after": "1" } });
}
