/** What the overview asks every few seconds: what is left, what today has used, and what needs attention. */

import { consoleLimits } from "../../../base/console-limits.ts";
import { jsonReply } from "../../../base/http/message.ts";
import { readQuery } from "../../../base/http/query.ts";
import type { Subscription } from "../../../books/accounts/account.ts";
import { dayMs } from "../../../books/billing/period.ts";
import { formatPoints } from "../../../books/billing/points.ts";
import type { Sums } from "../../../books/ledger/ledger.ts";
import { renderSums } from "../../../books/reports/report.ts";
import { planLimitsAt } from "../../../calls/access/meter.ts";
import type { ConsoleSchema } from "../../openapi/route-types.ts";
import { type ConsoleCall, callerOf } from "../call.ts";
import { showSubscription } from "./subscription.ts";
import { inFlight, type MeterDeps, pointsOf, quotaUse, readMeters, renderUse } from "./usage-limits.ts";
import { firstOfWeek, type RecentUses } from "./usage-recent.ts";
import { type ScopeDeps, scopeOf } from "./usage-scope.ts";

interface SummaryDeps extends ScopeDeps, MeterDeps {
  recent: RecentUses;
}

/** `GET /api/v1/usage/summary`. Throws `invalid_request` for any parameter. */
export async function showSummary(call: ConsoleCall, deps: SummaryDeps) {
  readQuery(call.request.query, {});
  const caller = callerOf(call);
  const now = call.request.received_at;
  const { organization } = caller;
  const scope = await scopeOf(caller, deps);
  const [read, { at, today, week, compared }] = await Promise.all([
    readMeters(organization, deps),
    deps.recent.of(scope, caller.user.id, now),
  ]);
  const wallet = read.wallet && pointsOf(read.wallet);
  // A member who sees only own keys is not told what the others spend.
  const pace = scope.own === null ? paceOf(week, organization.created_at, now) : undefined;
  const days_left = wallet && pace !== undefined ? daysLeft(wallet.balance, pace) : null;
  const { subscription } = organization;
  const plan = subscription && planLimitsAt(subscription, now, deps);
  return jsonReply({
    object: "usage_summary",
    at: new Date(now).toISOString(),
    wallet: wallet
      ? { balance_points: formatPoints(wallet.balance), held_points: formatPoints(wallet.held) }
      : null,
    subscription: subscription && {
      ...showSubscription(subscription, now),
      quota: plan ? renderUse(quotaUse(plan, read.subscription)) : null,
    },
    in_flight: inFlight(read, now),
    counted_at: new Date(at).toISOString(),
    today: renderSums(today),
    compared: {
      until: new Date(compared.until).toISOString(),
      today: renderSums(compared.today),
      yesterday: renderSums(compared.yesterday),
    },
    pace: pace === undefined ? null : { points_per_day: formatPoints(pace) },
    days_left,
    alerts: alertsOf(subscription, days_left, now),
  });
}

/** Points a day, 10⁻¹⁸, over the last days. A young organization has fewer of them, and counts as one day old at least. */
function paceOf({ cost_points }: Sums, createdAt: number, now: number): bigint {
  const elapsed = Math.max(dayMs, now - Math.max(firstOfWeek(now), createdAt));
  return (cost_points * BigInt(dayMs)) / BigInt(elapsed);
}

/** Whole days that a balance lasts; null where nothing is spent. */
function daysLeft(balance: bigint, pace: bigint): number | null {
  if (pace <= 0n) return null;
  if (balance <= 0n) return 0;
  const days = balance / pace;
  return days > BigInt(consoleLimits.daysLeftMax) ? consoleLimits.daysLeftMax : Number(days);
}

type Alert = ConsoleSchema<"UsageSummary">["alerts"][number];

/** What somebody should act on, at `now` (Unix milliseconds). */
function alertsOf(subscription: Subscription | null, days_left: number | null, now: number): Alert[] {
  const alerts: Alert[] = [];
  if (days_left !== null && days_left < consoleLimits.lowBalanceDays) {
    alerts.push({ kind: "low_balance", days_left });
  }
  const ends_at = subscription?.ends_at ?? null;
  if (ends_at !== null && ends_at <= now + consoleLimits.planEndsDays * dayMs) {
    const kind = ends_at <= now ? "plan_ended" : "plan_ends";
    alerts.push({ kind, at: new Date(ends_at).toISOString() });
  }
  return alerts;
}
