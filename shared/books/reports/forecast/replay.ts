/** What a settled call would have been charged with another catalog (forecast.md "What is replayed"). Pure. */

import { parsePoints } from "../../billing/points.ts";
import { modeOf } from "../../billing/pricing/modes/index.ts";
import type { PinnedPrice } from "../../billing/pricing/price.ts";
import { withUnasked } from "../../billing/pricing/rates.ts";
import type { ModelCatalog } from "../../catalog/models.ts";
import { type CallCharge, type ChargedCall, chargeCall } from "../../ledger/call-charge.ts";
import type { UsageEvent } from "../../ledger/usage-event.ts";

/** Why a call counts then as it counts now (forecast.md "What is not"). */
type KeptCall = "model_gone" | "other_measure" | "no_resolution" | "own_key_not_taken" | "charged_at_hold";

/** A call at the other catalog: its charge there, or why that cannot be said. */
export type ReplayedCall = CallCharge | { kept: KeptCall };

/** What a replay reads of the other catalog. */
export type OtherPrices = Pick<ModelCatalog, "find" | "price" | "ownFee">;

/**
 * The charge of an event at the prices of another catalog. `unpriced` names only what the call's own price has a rate for.
 */
export function replayCall(event: UsageEvent, catalog: OtherPrices): ReplayedCall {
  if (event.calls === 0) return { cost: 0n, list: 0n, calls: 0, unpriced: [] };
  const model = catalog.find(event.model);
  if (!model) return { kept: "model_gone" };
  const price = catalog.price(model, event.admitted_at);
  const kept = whyKept(event, price, catalog);
  if (kept) return { kept };
  const usage = event.evidence === "cache" ? event.usage : withUnasked(event.usage, price.price);
  const then = chargeCall(callAt(event, price, catalog), { ...event, usage, free: false });
  if (then.unpriced.length === 0) return then;
  const before = new Set(chargeCall(event, { ...event, free: false }).unpriced);
  return { ...then, unpriced: then.unpriced.filter((name) => !before.has(name)) };
}

function whyKept(event: UsageEvent, { price }: PinnedPrice, catalog: OtherPrices): KeptCall | undefined {
  const { resolution, own_fee, source, mode, cost_points, list_points } = event;
  const other = modeOf(price);
  if (modeOf(event.price.price).measures !== other.measures) return "other_measure";
  const resolutions = other.resolutions(price);
  if (resolutions && !resolutions.includes(resolution ?? "")) return "no_resolution";
  if (own_fee && !catalog.ownFee()) return "own_key_not_taken";
  const isCut =
    source === "sweeper" && mode === "payg" && parsePoints(cost_points) < parsePoints(list_points);
  return isCut ? "charged_at_hold" : undefined;
}

/** The call as it would have been admitted at another price. */
function callAt(
  { mode, own_fee, call_points }: UsageEvent,
  price: PinnedPrice,
  catalog: OtherPrices,
): ChargedCall {
  const fee = own_fee && catalog.ownFee();
  return { price, mode, ...(fee && { own_fee: fee }), ...(call_points !== undefined && { call_points }) };
}
