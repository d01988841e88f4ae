/** What a request is made for: a provider's name for the model, and what the model takes there. */
import type { Channel, Model, Provider, ProviderProtocol } from "../catalog/catalog.ts";
import { type Traits, traitsAt } from "../catalog/traits.ts";
import type { RequestTarget } from "../protocols/crossing.ts";
import type { Way } from "./route.ts";

/** What an encoder is told, and the name of the provider, to which its signatures belong. */
export type Target = Required<RequestTarget> & Pick<Channel, "provider">;

/** What holds in a dialect of a protocol, unless the catalog says otherwise: Zhipu knows the older name alone. */
const dialects: Partial<Record<ProviderProtocol, Traits>> = { zhipu: { maximum: "max_tokens" } };

/** Traits are merged once for a model and a provider that is spoken to in one way. Both live as long as the catalog. */
const merged = new WeakMap<Model, WeakMap<Provider, Map<ProviderProtocol, Traits>>>();

/** The target of a model's channel. */
export function targetOf(
  model: Model,
  channel: Channel,
  provider: Provider,
  { dialect }: Pick<Way, "dialect">,
): Target {
  const { output_tokens } = model;
  return {
    provider: channel.provider,
    model: channel.model,
    output_tokens,
    traits: traitsOf(model, provider, dialect),
  };
}

function traitsOf(model: Model, provider: Provider, dialect: ProviderProtocol): Traits {
  const ofModel = merged.get(model) ?? new WeakMap<Provider, Map<ProviderProtocol, Traits>>();
  const ofProvider = ofModel.get(provider) ?? new Map<ProviderProtocol, Traits>();
  const known = ofProvider.get(dialect);
  if (known) return known;
  const traits = { ...dialects[dialect], ...traitsAt(model, provider) };
  // By Ark's reading `max_tokens` leaves the reasoning unbounded, and a call is held for what bounds all of its answer.
  if (provider.protocols.ark && traits.maximum === "max_tokens") delete traits.maximum;
  merged.set(model, ofModel.set(provider, ofProvider.set(dialect, traits)));
  return traits;
}
