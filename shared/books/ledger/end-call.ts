/** Makes the usage event of a call, from the call's identity and from how it ended. No other file makes one. */

import type { ErrorKey } from "../../base/errors.ts";
import { timeOf } from "../../base/platform/id.ts";
import { formatPoints } from "../billing/points.ts";
import type { UsageBounds } from "../billing/pricing/hold-points.ts";
import { withRatesOf } from "../billing/pricing/pin-price.ts";
import { sizeOf } from "../billing/pricing/tiers.ts";
import { noUsage, type Usage } from "../billing/usage.ts";
import type { CallIdentity } from "../meters/hold.ts";
import { chargeCall } from "./call-charge.ts";
import { eventVersion } from "./spread-hours.ts";
import type { UsageEvent } from "./usage-event.ts";

/** How a call ended: what its event says beside whose call it was and what it came to. Points are 10⁻¹⁸. */
export interface CallEnd
  extends Omit<
    UsageEvent,
    keyof CallIdentity | "version" | "admitted_at" | "ended_at" | "cost_points" | "list_points" | "calls"
  > {
  /** Unix milliseconds. */
  at: number;
  /** The call costs nothing, and goes back to its quota. */
  free: boolean;
  /** What an operator should look at. `endCall` adds flags of its own. */
  flags: string[];
  /** The most that the call was expected to use. A call that used more gets the flag `overrun`. */
  expected?: Expectation;
  /** The most that may be charged. */
  chargeMax?: bigint;
}

/** The most that a call was expected to use. */
interface Expectation {
  /** The points that its wallet held for it. */
  points: bigint;
  /**
   * The most tokens, where the request bounds them. A subscription holds no points, so its calls are compared by these.
   */
  bounds?: Pick<UsageBounds, "input_tokens" | "output_tokens">;
}

/** The usage event of a call that ended, with its charge (`chargeCall`). Throws what that throws. */
export function endCall(call: CallIdentity, end: CallEnd): UsageEvent {
  const { at, free, flags, expected, chargeMax: _, usage, reported, resolution, ...rest } = end;
  const { spread: __, ...identity } = call;
  const { cost, list, calls, unpriced } = chargeCall(call, end);
  const flagsFound = [
    ...(unpriced.length > 0 ? ["unpriced_switch"] : []),
    ...(expected && isOverrun(call, usage, list, expected) ? ["overrun"] : []),
  ];
  return {
    version: eventVersion(call),
    ...identity,
    admitted_at: timeOf(call.id),
    ended_at: at,
    usage,
    ...(reported && { reported }),
    ...(resolution !== undefined && { resolution }),
    price: withRatesOf(call.price, usage.details),
    cost_points: formatPoints(cost),
    list_points: formatPoints(list),
    calls,
    ...rest,
    flags: free ? flags : [...flags, ...flagsFound],
  };
}

/** The end of a call that was held and never sent. `error`: what its client was told, where somebody told it. */
export function neverSent(source: UsageEvent["source"], at: number, error?: ErrorKey): CallEnd {
  return {
    at,
    source,
    usage: noUsage,
    evidence: "none",
    outcome: "failed",
    ...(error && { error }),
    free: true,
    flags: [],
    provider: null,
    attempts: 0,
  };
}

/** Whether a call used more than was expected: in points on a wallet, in tokens on a subscription. */
function isOverrun(
  { mode }: CallIdentity,
  usage: Usage,
  points: bigint,
  { points: held, bounds }: Expectation,
): boolean {
  if (mode === "payg") return points > held;
  if (!bounds) return false;
  return sizeOf(usage, "input_tokens") > bounds.input_tokens || usage.output_tokens > bounds.output_tokens;
}
