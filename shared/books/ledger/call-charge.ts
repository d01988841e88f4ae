/** What a call is charged once it has ended. Whoever says it or checks it asks here: `endCall`, the audit, the forecast. */

import { ownFeeOf } from "../billing/own-fee.ts";
import { parsePoints } from "../billing/points.ts";
import { charge } from "../billing/pricing/charge.ts";
import type { Usage } from "../billing/usage.ts";
import { type CallIdentity, callsWorth } from "../meters/hold.ts";

/** What the charge of a call depends on beside its usage. */
export type ChargedCall = Pick<CallIdentity, "price" | "mode" | "own_fee" | "call_points">;

/** What a call has used, and whether it is billed. */
interface ChargedUsage {
  usage: Usage;
  /** Of a video: one of the price's resolutions. */
  resolution?: string;
  /** It costs nothing, and goes back to its quota. */
  free: boolean;
  /** The most that may be charged, 10⁻¹⁸ points. */
  chargeMax?: bigint;
}

/** Points are 10⁻¹⁸. */
export interface CallCharge {
  /** What the payer is charged: 0 on a subscription. */
  cost: bigint;
  /** The value at list price with the discount, whoever pays: where the organization's own key paid, our fee. */
  list: bigint;
  /** Calls of quota: 0 for a free call, and several for one that its plan counts so. */
  calls: number;
  /** What the usage has and the price has no rate for. The charge leaves it out. */
  unpriced: string[];
}

/**
 * The charge of a call (billing.md §2.4). A wallet pays what the usage costs, or our fee where the organization's own key
 * has paid the provider. A subscription pays nothing. Throws `RangeError` where the price cannot be applied to the usage
 * (`charge`).
 */
export function chargeCall(
  { price, mode, own_fee, call_points }: ChargedCall,
  { usage, resolution, free, chargeMax }: ChargedUsage,
): CallCharge {
  const { points: worth, unpriced } = charge(usage, price, resolution === undefined ? {} : { resolution });
  if (free) return { cost: 0n, list: 0n, calls: 0, unpriced: [] };
  const list = own_fee ? ownFeeOf(own_fee, worth) : worth;
  const charged = chargeMax !== undefined && chargeMax < list ? chargeMax : list;
  return {
    cost: mode === "subscription" ? 0n : charged,
    list,
    calls: callsWorth(list, call_points === undefined ? undefined : parsePoints(call_points)),
    unpriced,
  };
}
