/** What the house would pay for a call, by the costs of a catalog's channels (forecast.md "How to read it"). Pure. */

import type { ModelCatalog } from "../../catalog/models.ts";
import { costAt, isUnbilled, type UnbookedCost, unpricedBy } from "../../ledger/house-cost.ts";
import { readHouseRates } from "../../ledger/house-rates.ts";
import type { UsageEvent } from "../../ledger/usage-event.ts";
import { channelsAsked, sharedRates } from "../asked-channels.ts";

/** Why nobody can say what a call would cost the house. */
export type UnknownCost = UnbookedCost | "several_costs" | "not_reported";

/** The cost of a call in 10⁻¹² of the operator's currency, or why it is not known. */
export function houseCostOf(event: UsageEvent, catalog: Pick<ModelCatalog, "find">): bigint | UnknownCost {
  const { own_fee, evidence, model, provider, house, usage, reported } = event;
  if (own_fee || isUnbilled(event)) return 0n;
  if (provider === null) return "no_provider";
  const channel = readHouseRates(house)?.channel;
  const rates = sharedRates(channelsAsked({ model, provider, channel }, catalog));
  if (typeof rates === "string") return rates;
  if (evidence !== "reported" || reported) return "not_reported";
  return unpricedBy(event) ?? costAt(usage, rates);
}
