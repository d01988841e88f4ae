/** What a model takes at a provider, in the dialect of a protocol in which the provider is asked. */
import type { Channel, ModelEntry, Provider, ProviderProtocol } from "./catalog.ts";
import { type Traits, traitsAt } from "./traits.ts";

/** What holds in a dialect of a protocol unless the catalog says otherwise: Zhipu knows the older name alone. */
const dialects: Partial<Record<ProviderProtocol, Traits>> = { zhipu: { maximum: "max_tokens" } };

/** What holds for a model at a channel whose provider is asked in this dialect. */
export function traitsIn(
  dialect: ProviderProtocol,
  model: Pick<ModelEntry, "traits">,
  provider: Pick<Provider, "traits" | "protocols">,
  channel: Pick<Channel, "traits">,
): Traits {
  const traits = { ...dialects[dialect], ...traitsAt(model, provider, channel) };
  // For Ark `max_tokens` does not bound the reasoning, and the field that is sent must bound all that the call is
  // held for.
  if (provider.protocols.ark && traits.maximum === "max_tokens") delete traits.maximum;
  return traits;
}
