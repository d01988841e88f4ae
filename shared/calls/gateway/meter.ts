/**
 * The end of a call: its usage becomes an event, the queue acknowledges the event or the ledger records it, and then
 * the hold is settled. This order makes the charge exact (design §3, billing.md §2.4).
 */

import type { ErrorKey } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { describeError } from "../../base/platform/log.ts";
import { withUnasked } from "../../books/billing/pricing/rates.ts";
import {
  noUsage,
  tokensOf,
  type Usage,
  type UsageDetails,
  type UsageEvidence,
  withDetails,
} from "../../books/billing/usage.ts";
import { endCall } from "../../books/ledger/end-call.ts";
import { type AnswerFacts, isFree } from "../../books/ledger/free.ts";
import { type CacheHit, settlementOfEvent, type UsageEvent } from "../../books/ledger/usage-event.ts";
import { bookedBy, type CallIdentity, type Settlement } from "../../books/meters/hold.ts";
import { makeDurable } from "../access/durable.ts";
import { tokensGuess } from "../chat/estimate.ts";
import type { AttemptTiming } from "../upstreams/attempt-timing.ts";
import type { Admitted } from "./admit.ts";
import type { Deps } from "./deps.ts";
import { believe } from "./plausible.ts";
import type { RouteTaken } from "./route-taken.ts";
import { asAsked } from "./switches.ts";
import { houseOf } from "./told-attempt.ts";

/** How a call ended, as far as metering needs to know. */
export interface CallOutcome extends AnswerFacts {
  outcome: UsageEvent["outcome"];
  /** What the client was told, where the answer failed or broke off. */
  error?: ErrorKey | undefined;
  /** Its client hung up and had the provider broken off. It pays for its input, although nothing may have come. */
  broken_off?: true;
  /** The input alone, which a stream reported before it broke off. */
  early: Usage | undefined;
  /** The number of pictures in the answer, where it has any. */
  pictures?: number | undefined;
  /** What else the price depends on, such as the service tier. */
  details?: UsageDetails;
  /** Bytes of answer text. Called only for an estimate. */
  output_bytes: () => number;
  asked: Pick<RouteTaken, "provider" | "attempts" | "route">;
  /** From the first byte of a streamed answer to its last, without waits for its reader, in milliseconds. */
  generation_ms?: number;
}

/**
 * The outcome of a call that failed before it produced anything. It is free, and goes back to its quota. `error` is what
 * its client is told, if that is known here.
 */
export function failed(asked: RouteTaken, error?: ErrorKey): CallOutcome {
  return {
    outcome: "failed",
    error,
    usage: undefined,
    early: undefined,
    produced: false,
    finish: "error",
    output_bytes: () => 0,
    asked,
  };
}

/** What of a call is billed. */
interface BilledUsage {
  usage: Usage;
  evidence: UsageEvidence;
  /** It costs nothing, and takes no call of quota. */
  free: boolean;
  flags: string[];
}

/** The charge policy (design §3). */
function billedUsage(kind: UsageEvent["kind"], outcome: CallOutcome, input_tokens: number): BilledUsage {
  const { usage, early } = outcome;
  if (!outcome.broken_off && isFree(kind, outcome)) {
    const flags = outcome.outcome === "completed" ? ["empty"] : [];
    return { usage: usage ?? noUsage, evidence: usage ? "reported" : "none", free: true, flags };
  }
  if (usage) {
    return { usage, evidence: "reported", free: false, flags: oddities(usage) };
  }
  const output_tokens = tokensGuess(outcome.output_bytes());
  const input = early ?? { ...noUsage, input_tokens };
  return { usage: { ...input, output_tokens }, evidence: "estimated", free: false, flags: ["no_usage"] };
}

/**
 * The flags of a reported usage that is worth a look (design §3; billing.md faults 42, 43). It is billed all the same.
 */
function oddities(usage: Usage): string[] {
  const counts = Object.values(usage);
  if (counts.some((count) => count >= limits.tokensMax)) return ["usage_clamped"];
  return counts.every((count) => count === 0) ? ["zero_usage"] : [];
}

/** A usage event, and the settlement of its call's hold. */
interface Published {
  event: UsageEvent;
  settle: (() => Promise<void>) | undefined;
}

/**
 * Publishes the usage of a call. Once the event is durable, gives the settlement of the hold, which must run after the
 * last byte. Where neither queue nor ledger took the event there is no settlement: the hold is the only trace of the
 * call, and the sweep needs it.
 */
export async function publish(admitted: Admitted, outcome: CallOutcome, deps: Deps): Promise<Published> {
  const event = eventOf(admitted, outcome, deps.now());
  return await publishEvent(admitted, event, deps);
}

/** The same for a call that was answered out of the cache: it has used nothing, and takes one call of its quota. */
export async function publishHit(admitted: Admitted, cache: CacheHit, deps: Deps): Promise<Published> {
  const event = endCall(identityOf(admitted), {
    at: deps.now(),
    source: "gateway",
    usage: noUsage,
    evidence: "cache",
    free: false,
    flags: [`cache_${cache.level}`],
    outcome: "completed",
    provider: null,
    attempts: 0,
    cache,
  });
  return await publishEvent(admitted, event, deps);
}

async function publishEvent(admitted: Admitted, event: UsageEvent, deps: Deps): Promise<Published> {
  admitted.trace?.note({ event });
  const durable = await makeDurable(event, deps);
  return { event, settle: durable ? () => settle(admitted, settlementOfEvent(event), deps) : undefined };
}

function eventOf(admitted: Admitted, outcome: CallOutcome, now: number): UsageEvent {
  const { ticket, bounds, call, price, requested_model, own } = admitted;
  const { points } = ticket.hold;
  const { asked, generation_ms } = outcome;
  const { provider, attempts, route } = asked;
  const billed = billedUsage(admitted.protocol.kind, outcome, admitted.input_tokens);
  const told = withDetails(billed.usage, asAsked(outcome.details, call.switches));
  const whole = billed.free ? told : withUnasked(told, price.price);
  const { usage, reported } = believe(whole, admitted, outcome.pictures);
  // The attempt that was made last has answered, if any has.
  const last = route?.attempts.at(-1);
  const isOwn = last?.own_key === true;
  return endCall(
    { ...identityOf(admitted), ...(isOwn && own && { own_fee: own.fee }) },
    {
      at: now,
      source: "gateway",
      usage,
      ...(reported && { reported }),
      evidence: billed.evidence,
      free: billed.free,
      flags: [
        ...billed.flags,
        ...(outcome.broken_off ? ["aborted"] : []),
        ...(reported ? ["implausible"] : []),
      ],
      expected: { points, bounds },
      outcome: outcome.outcome,
      ...(outcome.error && { error: outcome.error }),
      provider,
      attempts,
      ...houseOf(last, billed.evidence === "none" ? inputOf(admitted, outcome) : undefined),
      ...(route && { route: generation_ms === undefined ? route : { ...route, generation_ms } }),
      ...(requested_model !== undefined && { requested_model }),
    },
  );
}

/** The input of an answer that told no usage, as far as a stream had begun to tell it. */
function inputOf({ input_tokens }: Admitted, { early }: CallOutcome): number {
  return early ? early.input_tokens + early.cache_read_tokens + early.cache_write_tokens : input_tokens;
}

function identityOf({
  request,
  protocol,
  principal,
  model,
  ticket,
  price,
  call,
  tags,
}: Admitted): CallIdentity {
  const { mode, meter, shard } = ticket.hold;
  return {
    id: request.id,
    kind: protocol.kind,
    organization: principal.organization.id,
    project: principal.key.project,
    key: principal.key.id,
    model: model.id,
    mode,
    meter,
    shard,
    price,
    user: call.user,
    ...(tags !== undefined && { tags }),
    ...bookedBy(ticket.hold),
  };
}

async function settle(admitted: Admitted, settlement: Settlement, deps: Deps): Promise<void> {
  try {
    await deps.meters.settle(admitted.ticket, settlement);
  } catch (error) {
    // The entry is written or will be. The sweep settles the hold from it.
    deps.log("warn", "settle_failed", { request: admitted.request.id, error: describeError(error) });
  }
}

/**
 * Logs the end of a call that was answered. `timing` is that of the attempt, if a provider was asked. The dashboard is
 * drawn from this line (infra/monitoring/dashboard.md).
 */
export function logEnd(
  admitted: Admitted,
  event: UsageEvent,
  { kind, status, timing }: { kind?: "whole" | "stream"; status: number; timing?: AttemptTiming },
  deps: Pick<Deps, "log">,
): void {
  deps.log("info", "call", {
    request: event.id,
    ...(admitted.trace && { trace: admitted.trace.id }),
    organization: event.organization,
    key: event.key,
    model: event.model,
    route: admitted.route.path,
    status,
    provider: event.provider ?? "",
    attempts: event.attempts,
    ...timing,
    ...(kind === "stream" && timing && { first_byte_ms: timing.sent_ms + timing.attempt_ms }),
    duration_ms: event.ended_at - event.admitted_at,
    tokens: tokensOf(event.usage),
    cost_points: event.cost_points,
    points: Number(event.list_points),
    evidence: event.evidence,
    flags: event.flags.join(" "),
  });
}
