/**
 * The end of a call: what it used → usage event → acknowledged by the queue, or written straight to the
 * ledger → the hold settled. The order is what makes it exact (design §3, billing.md §2.4).
 */

import { formatPoints } from "../billing/points.ts";
import { charge } from "../billing/pricing/charge.ts";
import { withRatesOf } from "../billing/pricing/rates.ts";
import { sizeOf } from "../billing/pricing/tiers.ts";
import { type Evidence, noUsage, type Usage, type UsageDetails, withDetails } from "../billing/usage.ts";
import { tokensGuess } from "../chat/estimate.ts";
import { type AnswerFacts, isFree } from "../ledger/free.ts";
import { settlementOfEvent, type UsageEvent } from "../ledger/usage-event.ts";
import { limits } from "../limits.ts";
import type { Settlement } from "../meters/meter.ts";
import { describeError } from "../platform/log.ts";
import type { Admitted } from "./admit.ts";
import type { Deps } from "./deps.ts";
import { makeDurable } from "./durable.ts";
import { believe } from "./plausible.ts";
import { asAsked } from "./switches.ts";

/** How a call ended, as far as metering cares. */
export interface Outcome extends AnswerFacts {
  outcome: UsageEvent["outcome"];
  /** The input side alone, from a stream that broke off. */
  early: Usage | undefined;
  /** Pictures that stand in the answer, where it is one of pictures. */
  pictures?: number | undefined;
  /** How the call was served and what else its price depends on, as far as it is known. */
  details?: UsageDetails;
  /** Bytes of answer text; asked only for an estimate. */
  output_bytes: () => number;
  provider: string | null;
  attempts: number;
}

/** A call that failed before it produced anything: free, and given back. */
export function failed(provider: string | null, attempts: number): Outcome {
  return {
    outcome: "failed",
    usage: undefined,
    early: undefined,
    produced: false,
    finish: "error",
    output_bytes: () => 0,
    provider,
    attempts,
  };
}

interface Metered {
  usage: Usage;
  evidence: Evidence;
  /** No charge, and no call of quota. */
  free: boolean;
  flags: string[];
}

/** The charge policy of design §3, line by line. */
function meterUsage(kind: UsageEvent["kind"], outcome: Outcome, input_tokens: number): Metered {
  const { usage, early } = outcome;
  if (isFree(kind, outcome)) {
    const flags = outcome.outcome === "completed" ? ["empty"] : [];
    return { usage: usage ?? noUsage, evidence: usage ? "reported" : "none", free: true, flags };
  }
  if (usage) {
    return { usage, evidence: "reported", free: false, flags: doubtsOf(usage) };
  }
  const output_tokens = tokensGuess(outcome.output_bytes());
  const input = early ?? { ...noUsage, input_tokens };
  return { usage: { ...input, output_tokens }, evidence: "estimated", free: false, flags: ["no_usage"] };
}

/** What makes a reported usage worth a look, whatever is billed of it (design §3; billing.md faults 42, 43). */
function doubtsOf(usage: Usage): string[] {
  const counts = Object.values(usage);
  if (counts.some((count) => count >= limits.tokensMax)) return ["usage_clamped"];
  return counts.every((count) => count === 0) ? ["zero_usage"] : [];
}

/**
 * Publishes the usage of a call. Resolves once it is durable with the settlement of its hold, which is
 * to run after the last byte; or with undefined when neither queue nor ledger took it: then the hold
 * must stay for the sweeper, which is the only trace left.
 */
export async function publish(
  admitted: Admitted,
  outcome: Outcome,
  deps: Deps,
): Promise<{ event: UsageEvent; settle: (() => Promise<void>) | undefined }> {
  const event = eventOf(admitted, outcome, deps.now());
  const durable = await makeDurable(event, deps);
  return { event, settle: durable ? () => settle(admitted, settlementOfEvent(event), deps) : undefined };
}

function eventOf(admitted: Admitted, outcome: Outcome, now: number): UsageEvent {
  const { principal, model, hold, price, call, request } = admitted;
  const metered = meterUsage(admitted.protocol.kind, outcome, admitted.input_tokens);
  const { evidence, free } = metered;
  const told = withDetails(metered.usage, asAsked(outcome.details, call.switches));
  const { usage, reported } = believe(told, admitted, outcome.pictures);
  const { points, unpriced } = charge(usage, price);
  const flags = reported ? [...metered.flags, "implausible"] : metered.flags;
  if (!free && unpriced.length > 0) flags.push("unpriced_switch");
  const paid = !free && hold.mode === "payg";
  return {
    version: 1,
    id: request.id,
    kind: admitted.protocol.kind,
    organization: principal.organization.id,
    project: principal.key.project,
    key: principal.key.id,
    model: model.id,
    mode: hold.mode,
    meter: hold.meter,
    shard: hold.shard,
    admitted_at: request.received_at,
    ended_at: now,
    usage,
    ...(reported && { reported }),
    price: withRatesOf(price, usage.details),
    cost_points: paid ? formatPoints(points) : "0",
    list_points: free ? "0" : formatPoints(points),
    calls: free ? 0 : 1,
    evidence,
    source: "gateway",
    outcome: outcome.outcome,
    flags: !free && isOverrun(admitted, usage, points) ? [...flags, "overrun"] : flags,
    user: call.user,
    provider: outcome.provider,
    attempts: outcome.attempts,
  };
}

/** Whether more was used than could be expected of the request: on a wallet, than was held for it. */
function isOverrun({ hold, bounds }: Admitted, usage: Usage, points: bigint): boolean {
  if (hold.mode === "payg") return points > hold.points;
  return sizeOf(usage, "input_tokens") > bounds.input_tokens || usage.output_tokens > bounds.output_tokens;
}

async function settle(admitted: Admitted, settlement: Settlement, deps: Deps): Promise<void> {
  try {
    await deps.meters.settle(admitted.hold, settlement);
  } catch (error) {
    // The entry stands or will; the sweeper settles the hold from it.
    deps.log("warn", "settle_failed", { request: admitted.request.id, error: describeError(error) });
  }
}
