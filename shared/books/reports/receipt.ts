/** The receipt of a call, by which a reader can compute the charge again. Amounts are points, instants RFC 3339. */

import type { OwnFee } from "../billing/own-fee.ts";
import { formatPoints, parsePoints } from "../billing/points.ts";
import { charge } from "../billing/pricing/charge.ts";
import { explain } from "../billing/pricing/explain.ts";
import { unitOf } from "../billing/pricing/line.ts";
import { tagsObject } from "../billing/tags.ts";
import { noUsage } from "../billing/usage.ts";
import { creditedBy, creditKindOf } from "../ledger/credit.ts";
import type { Entry } from "../ledger/ledger.ts";
import type { CacheHit, ToldAttempt, UsageEvent } from "../ledger/usage-event.ts";
import type { Intent } from "../meters/intent.ts";
import { advisedErrorOf, errorOf, type ListedEvent } from "./listed-call.ts";

/** The receipt of a booked call: its last event and the sum of all its entries. Throws `TypeError` without usage. */
export function settledReceipt(entries: Entry[]) {
  const events = entries.map(({ event }) => event).filter((event) => event !== null);
  const event = events.at(-1);
  if (!event) throw new TypeError("no entry has a usage event");
  const [estimate] = events.length > 1 ? events : [];
  return {
    id: event.id,
    object: "request" as const,
    status: "settled" as const,
    created_at: rfc3339(event.admitted_at),
    ended_at: rfc3339(event.ended_at),
    ...callerOf(event),
    outcome: event.outcome,
    error: advisedErrorOf(event),
    provider: event.provider,
    attempts: event.attempts,
    route: routeOf(event),
    flags: event.flags,
    ...(event.cache && { cache: hitOf(event.cache) }),
    ...(event.own_fee && { own_fee: feeOf(event.own_fee, event) }),
    ...figures(event),
    price: { version: event.price.version, ...event.price.price },
    discount_rate: event.price.discount_rate,
    reason: reasonFor(event),
    correction: estimate ? correction(estimate, event) : null,
    entries: entries.map(({ id, kind, points, at, debit, credit }) => ({
      id,
      kind,
      points,
      at: rfc3339(at),
      debit,
      credit,
    })),
  };
}

/** The answer that a call was given out of the cache, and what it would have cost. */
function hitOf({ level, verified, entry, age_seconds, saved_points }: CacheHit) {
  return { level, ...(verified && { verified }), entry, age_seconds, saved_points };
}

/** Our fee for a call that the organization's own key has paid, and the value at list price that it is a share of. */
function feeOf(fee: OwnFee, event: UsageEvent) {
  const [share, call] = "share" in fee ? [fee.share, null] : [null, fee.call];
  return { share, call, of_points: formatPoints(event.calls === 0 ? 0n : listValueOf(event)) };
}

/** The value of a call's usage at list price, whoever's key has paid for it. */
function listValueOf({ usage, price, resolution }: UsageEvent): bigint {
  return charge(usage, price, resolution === undefined ? {} : { resolution }).points;
}

/** The receipt of a credit: its kind, and the points by which it changed the wallet. */
export function creditReceipt(entry: Entry): object {
  const { id, at, debit, credit } = entry;
  return {
    reference: id.slice("credit#".length),
    kind: creditKindOf(entry),
    points: formatPoints(creditedBy(entry)),
    at: rfc3339(at),
    debit,
    credit,
  };
}

/** The receipt of a call whose event has not reached the ledger yet, from the call's intent. */
export function pendingReceipt(intent: Intent, created_at: number) {
  return {
    id: intent.request,
    object: "request" as const,
    status: "pending" as const,
    created_at: rfc3339(created_at),
    ended_at: null,
    ...callerOf(intent),
    price: { version: intent.price.version, ...intent.price.price },
    discount_rate: intent.price.discount_rate,
    held_points: intent.hold_points,
    entries: [],
  };
}

/** The receipt of a call that was never sent, because the call `first` had its idempotency key. It cost nothing. */
export function repeatedReceipt(intent: Intent, created_at: number, first: string) {
  return {
    id: intent.request,
    object: "request" as const,
    status: "repeated" as const,
    created_at: rfc3339(created_at),
    ended_at: null,
    ...callerOf(intent),
    repeats: first,
    cost_points: "0",
    entries: [],
  };
}

/** The receipt of a call that was refused before it was held: why, and what to do. It cost nothing. */
export function refusedReceipt(event: ListedEvent) {
  return {
    id: event.id,
    object: "request" as const,
    status: "refused" as const,
    created_at: rfc3339(event.admitted_at),
    ended_at: null,
    ...callerOf(event),
    path: event.path,
    error: advisedErrorOf(event),
    cost_points: "0",
    entries: [],
  };
}

/**
 * A call in a list: the first members of its receipt, and its cost. `corrected` says whether an estimate was.
 */
export function callObject(event: ListedEvent, corrected: boolean) {
  const { id, outcome, provider, flags, usage, evidence, calls, list_points, cost_points } = event;
  return {
    id,
    object: "call" as const,
    created_at: rfc3339(event.admitted_at),
    ended_at: event.ended_at === null ? null : rfc3339(event.ended_at),
    ...callerOf(event),
    outcome,
    error: errorOf(event),
    provider,
    flags,
    usage: { ...noUsage, ...usage },
    evidence,
    calls,
    list_points,
    cost_points,
    corrected,
  };
}

function callerOf(call: ListedEvent | Intent) {
  const { kind, model, requested_model, project, key, user, tags, mode } = call;
  const asked = requested_model === undefined ? {} : { requested_model };
  const who = {
    project_id: project,
    key_id: key,
    user,
    ...(tags !== undefined && { tags: tagsObject(tags) }),
  };
  return { kind, model, ...asked, ...who, billing_mode: mode };
}

/** How the call found its channel. Which of a provider's channels it was is our own matter. */
function routeOf({ route }: UsageEvent) {
  if (!route) return null;
  const { routing, why, of, attempts } = route;
  return {
    routing,
    why,
    of,
    attempts: attempts.map(attemptOf),
  };
}

function attemptOf({ model, provider, outcome, status, own_key, ms }: ToldAttempt) {
  return {
    ...(model !== undefined && { model }),
    provider,
    outcome,
    ...(status !== undefined && { status }),
    ...(own_key && { own_key }),
    ms,
  };
}

/** The usage, and how it becomes points. The lines add up to `list_points`, or to what our fee is of. */
function figures(event: UsageEvent) {
  const { usage, reported, evidence, calls, list_points, cost_points, resolution } = event;
  // The store does not keep the order of names. Readers get the order that reports have.
  const counts = {
    usage: { ...noUsage, ...usage },
    ...(reported && { reported: { ...noUsage, ...reported } }),
    ...(resolution === undefined ? {} : { resolution }),
  };
  return { ...counts, evidence, calls, ...bill(event), list_points, cost_points };
}

function bill({ usage, price, resolution, calls }: UsageEvent) {
  // A call that was given back has no value, whatever its provider reported.
  if (calls === 0) return { tiers: [], ways: [], lines: [] };
  const { tiers, ways, lines } = explain(usage, price, resolution === undefined ? {} : { resolution });
  return {
    tiers,
    ways,
    lines: lines.map((line) => ({ ...line, per: unitOf(line), points: formatPoints(line.points) })),
  };
}

const cutBack =
  "The provider reported more than the request could come to (`reported`): `usage` is the most it could come to.";

const estimateCutBack =
  "They were more than the request could come to (`reported`): `usage` is the most it could come to.";

/** Says what the charge is made of, and where the counts come from if not from the provider (billing.md §2.6). */
function reasonFor({ calls, mode, evidence, reported, own_fee }: UsageEvent): string {
  const reason = reasonOf({ calls, mode, evidence, own_fee });
  if (!reported) return reason;
  return `${reason} ${evidence === "estimated" ? estimateCutBack : cutBack}`;
}

/** What a reason goes by. */
type ReasonFacts = Pick<UsageEvent, "calls" | "mode" | "evidence"> & { own_fee: OwnFee | undefined };

function reasonOf({ calls, mode, evidence, own_fee }: ReasonFacts): string {
  if (calls === 0)
    return "The call failed, or had no output and no finish reason: it is free, and was given back.";
  if (evidence === "cache")
    return "The answer came out of the cache (`cache`): it takes one call of the subscription's quota, and costs nothing.";
  if (own_fee) {
    const paid = "The organization's own key has paid the provider.";
    if (mode === "subscription") return `${paid} The call takes one call of the subscription's quota.`;
    return `${paid} What is charged is our fee (\`own_fee\`).`;
  }
  if (mode === "subscription") return "The call is paid by one call of the subscription's quota.";
  if (evidence === "none")
    return "The call's usage is unknown, so that it is charged its input, and no more than was held for it.";
  const sum = "The sum of the lines: quantity × unit price / per × discount rate.";
  return evidence === "reported"
    ? sum
    : `${sum} The provider reported no usage: the quantities are estimated.`;
}

function correction(estimate: UsageEvent, event: UsageEvent) {
  const difference = parsePoints(event.cost_points) - parsePoints(estimate.cost_points);
  return { estimate: figures(estimate), difference_points: formatPoints(difference) };
}

function rfc3339(at: number): string {
  return new Date(at).toISOString();
}
