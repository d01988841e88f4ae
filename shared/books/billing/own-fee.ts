/** What the gateway takes for a call that an organization's own key pays (calls/upstreams/own-keys.md "What it costs"). */
import { parsePoints, parseRate } from "./points.ts";

/** A share of the value at list price, a decimal string from "0" to "1", or points for each call. */
export type OwnFee = { share: string } | { call: string };

/**
 * The fee for a call with this value at list price; both are 10⁻¹⁸ points. A share is exact, because the catalog has
 * only shares whose product with each discount has six decimals (catalog/rules.ts).
 */
export function ownFeeOf(fee: OwnFee, listPoints: bigint): bigint {
  return "call" in fee ? parsePoints(fee.call) : (listPoints * parseRate(fee.share)) / 1_000_000n;
}

/** Whether a value that was stored or sent is a fee. */
export function isOwnFee(value: unknown): value is OwnFee {
  const { share, call } = (value ?? {}) as { share?: unknown; call?: unknown };
  if (typeof share === "string")
    return call === undefined && /^(?:0(?:\.\d{1,6})?|1(?:\.0{1,6})?)$/.test(share);
  return typeof call === "string" && /^\d{1,18}(?:\.\d{1,18})?$/.test(call);
}

/** Whether a share of points at this discount is a whole number of 10⁻¹⁸ points, whatever the call. */
export function isExactShare(share: string, discount_rate: string): boolean {
  return (parseRate(share) * parseRate(discount_rate)) % 1_000_000n === 0n;
}
