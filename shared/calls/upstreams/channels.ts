/** The channels of a model that can take a call, and the credential of each. */
import type { OwnKey } from "../../books/accounts/own-key.ts";
import type { Model, Provider, ReadyChannel } from "../../books/catalog/catalog.ts";
import type { CalledProvider } from "./credentials/index.ts";

/** A channel that can take a call, and how its provider is reached. */
export interface Candidate<Route> extends ReadyChannel, CalledProvider {
  route: Route;
  /** The organization's own key that it goes with, in the place of ours. */
  own?: OwnKey;
}

/** The model's channels that `routeTo` finds a route to, as the catalog lists them. */
export function candidatesOf<Route>(
  model: Model,
  providerOf: (name: string) => Provider | undefined,
  routeTo: (provider: Provider) => Route | undefined,
): Candidate<Route>[] {
  return model.channels.flatMap((channel) => {
    const provider = providerOf(channel.provider);
    const route = provider && routeTo(provider);
    if (!provider || !route) return [];
    const { auth, credential, host } = provider;
    return [{ ...channel, auth, ...(credential && { credential }), ...(host && { host }), route }];
  });
}
