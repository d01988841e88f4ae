/** What is used of the limits, by the counters that admission decides by: of the plan, the wallet, and single keys. */

import { jsonReply } from "../../../base/http/message.ts";
import { readQuery } from "../../../base/http/query.ts";
import type { KeyLimits, KeyRecord, Organization } from "../../../books/accounts/account.ts";
import { isLiving } from "../../../books/accounts/key-state.ts";
import { keysOf } from "../../../books/accounts/organization-keys.ts";
import { formatPoints } from "../../../books/billing/points.ts";
import type { ModelCatalog } from "../../../books/catalog/models.ts";
import {
  type Budget,
  type BudgetUse,
  budgetCounter,
  budgetOf,
  showBudget,
} from "../../../books/meters/budget.ts";
import { budgetName, type PlanLimits } from "../../../books/meters/hold.ts";
import {
  type CountedMeter,
  type CountedMeters,
  countersOfKey,
  inFlightOf,
  inFlightOn,
  type LimitUse,
  ownRates,
  rateUses,
  spanUse,
} from "../../../books/meters/limit-use.ts";
import { allHeld, budgetUses, dayUse, type Meter, type Meters } from "../../../books/meters/meter.ts";
import { planLimitsAt } from "../../../calls/access/meter.ts";
import type { ConsoleSchema } from "../../openapi/route-types.ts";
import { type ConsoleCall, callerOf } from "../call.ts";
import { showSubscription } from "./subscription.ts";
import { type ScopeDeps, scopeOf } from "./usage-scope.ts";

export interface MeterDeps {
  meters: Pick<Meters, "shardsOf">;
  counted: CountedMeters;
  catalog: Pick<ModelCatalog, "plan">;
}

/** The meters of an organization as they stood when they were read. */
interface MetersRead {
  /** All shards of the wallet; undefined without a wallet. */
  wallet: Meter[] | undefined;
  subscription: CountedMeter | undefined;
}

/** Reads the meters of an organization, strongly consistent. */
export async function readMeters(
  { wallet, subscription }: Pick<Organization, "wallet" | "subscription">,
  { meters, counted }: Pick<MeterDeps, "meters" | "counted">,
): Promise<MetersRead> {
  const [shards, meter] = await Promise.all([
    wallet ? meters.shardsOf(wallet.meter) : undefined,
    subscription ? counted.counted(subscription.meter) : undefined,
  ]);
  return { wallet: shards, subscription: meter };
}

/** Points of a wallet that are not spent, and those of them that calls in flight hold; 10⁻¹⁸. */
export function pointsOf(wallet: readonly Meter[]): { balance: bigint; held: bigint } {
  const sum = (amountOf: (meter: Meter) => bigint) =>
    wallet.reduce((all, meter) => all + amountOf(meter), 0n);
  return {
    balance: sum(({ granted, used }) => granted - used),
    held: sum((meter) => allHeld(meter).reduce((all, { points }) => all + points, 0n)),
  };
}

/** The calls in flight on these meters at `now` (Unix milliseconds). */
export function inFlight({ wallet = [], subscription }: MetersRead, now: number): number {
  const all = [...wallet, ...(subscription ? [subscription] : [])];
  return all.reduce((sum, meter) => sum + inFlightOn(meter, now), 0);
}

/** The calls that are used of the quota month that runs. */
export function quotaUse({ quota, period }: PlanLimits, meter: Pick<Meter, "periods"> | undefined): LimitUse {
  return spanUse(meter?.periods.get(period.id) ?? 0, quota, period.ends_at);
}

/** What is used of a limit, as the interface shows it. */
export function renderUse({ limit, used, resetsAt, freeAt }: LimitUse) {
  return { used, limit, resets_at: rfc3339OrNull(resetsAt), free_at: rfc3339OrNull(freeAt) };
}

/** `GET /api/v1/limits`. Throws `invalid_request` for any parameter. */
export async function showLimits(call: ConsoleCall, deps: MeterDeps & ScopeDeps) {
  readQuery(call.request.query, {});
  const caller = callerOf(call);
  const now = call.request.received_at;
  const { organization } = caller;
  const [read, scope] = await Promise.all([readMeters(organization, deps), scopeOf(caller, deps)]);
  const keys = scope.own ?? (await keysOf(deps.accounts, organization.id));
  return jsonReply({
    object: "limits",
    at: new Date(now).toISOString(),
    in_flight: inFlight(read, now),
    subscription: subscriptionLimits(organization, read.subscription, now, deps),
    wallet: read.wallet ? walletState(read.wallet, now) : null,
    keys: [...keys.values()].flatMap((key) =>
      key.limits && isLiving(key, now) ? [keyLimits({ ...key, limits: key.limits }, read, now)] : [],
    ),
  });
}

/** What is used of a plan. The limits are null where no paid period runs, because then no call is let in. */
function subscriptionLimits(
  { subscription }: Organization,
  meter: CountedMeter | undefined,
  now: number,
  deps: Pick<MeterDeps, "catalog">,
) {
  if (!subscription) return null;
  const plan = planLimitsAt(subscription, now, deps);
  const rates = plan && rateUses(meter?.counters ?? [], plan, now);
  return {
    ...showSubscription(subscription, now),
    rpm: rates ? renderUse(rates.rpm) : null,
    tpm: rates ? renderUse(rates.tpm) : null,
    tpd: rates ? renderUse(rates.tpd) : null,
    quota: plan ? renderUse(quotaUse(plan, meter)) : null,
    day_points: dayPoints(plan, meter, now),
    in_flight: meter ? inFlightOn(meter, now) : 0,
    open_tasks: meter?.tasks.size ?? 0,
  };
}

/** What is used of the points that a plan's calls of one day may come to; null where it does not bound them. */
function dayPoints(plan: PlanLimits | undefined, meter: Meter | undefined, now: number) {
  const points = plan?.dayPoints;
  return points === undefined ? null : bounded({ points, period: "day" }, now, meter && dayUse(meter, now));
}

function walletState(wallet: readonly Meter[], now: number) {
  const { balance, held } = pointsOf(wallet);
  return {
    balance_points: formatPoints(balance),
    held_points: formatPoints(held),
    free_points: formatPoints(balance - held),
    in_flight: wallet.reduce((sum, meter) => sum + inFlightOn(meter, now), 0),
    open_tasks: wallet.reduce((sum, { tasks }) => sum + tasks.size, 0),
  };
}

/** What is used of a key's own limits. All calls of such a key are counted on the first item of its meter. */
function keyLimits(
  key: KeyRecord & { limits: KeyLimits },
  read: MetersRead,
  now: number,
): ConsoleSchema<"Limits">["keys"][number] {
  const meter = key.mode === "payg" ? read.wallet?.[0] : read.subscription;
  const { limits: own } = key;
  const counters = key.mode === "payg" || !read.subscription ? [] : countersOfKey(read.subscription, key.id);
  const rates = rateUses(counters, ownRates(own), now);
  return {
    id: key.id,
    name: key.name,
    last_four: key.last_four,
    billing_mode: key.mode,
    ...(own.rpm !== undefined && { rpm: renderUse(rates.rpm) }),
    ...(own.tpm !== undefined && { tpm: renderUse(rates.tpm) }),
    ...(own.tpd !== undefined && { tpd: renderUse(rates.tpd) }),
    ...(own.max_concurrency !== undefined && {
      in_flight: { used: meter ? inFlightOf(meter, key.id, now) : 0, limit: own.max_concurrency },
    }),
    budget: shownBudget(key, meter, now),
  };
}

function shownBudget(key: KeyRecord, meter: Meter | undefined, now: number) {
  const budget = budgetOf(key.limits);
  if (!budget) return null;
  const uses = meter && budgetUses([meter]);
  return bounded(budget, now, uses?.get(budgetName(key.id, budgetCounter(budget.period, now))));
}

function bounded(budget: Budget, now: number, use: BudgetUse = { spent: 0n, held: 0n }) {
  return { limit_points: formatPoints(budget.points), ...showBudget(budget, use, now) };
}

function rfc3339OrNull(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
