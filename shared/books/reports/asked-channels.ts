/** The channels of a catalog that an attempt may have gone to, and what they cost. Pure. */

import type { ReadyChannel } from "../catalog/catalog.ts";
import type { ModelCatalog } from "../catalog/models.ts";
import { ratesOf } from "../ledger/house-rates.ts";

/** Where an attempt went, as far as it is told. */
interface AskedPlace {
  model: string;
  provider: string | null;
  /** The channel's id on the board. */
  channel: string | undefined;
}

/** The one that is told, where the catalog has it, else all that the model has at the provider. */
export function channelsAsked(
  { model, provider, channel }: AskedPlace,
  catalog: Pick<ModelCatalog, "find">,
): readonly ReadyChannel[] {
  const all = catalog.find(model)?.channels.filter((each) => each.provider === provider) ?? [];
  const told = all.filter(({ id }) => id === channel);
  return told.length > 0 ? told : all;
}

/** What a million tokens of each kind cost on all of these channels (`ratesOf`), or why nobody can say it. */
export function sharedRates(
  channels: readonly Pick<ReadyChannel, "cost">[],
): readonly string[] | "no_cost" | "several_costs" {
  const costs = channels.map(({ cost }) => cost && ratesOf(cost));
  const [rates] = costs;
  if (!rates || costs.includes(undefined)) return "no_cost";
  return costs.some((each) => each?.join() !== rates.join()) ? "several_costs" : rates;
}
