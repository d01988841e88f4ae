/** The channels of a model that can take a call, and the credential of each. */
import type { Model, Provider, ReadyChannel } from "../catalog/catalog.ts";

/** A channel that can take a call, and the route by which its provider is reached. */
export interface Candidate<Route> {
  channel: ReadyChannel;
  provider: Provider;
  route: Route;
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
    return provider && route ? [{ channel, provider, route }] : [];
  });
}

/** The provider's credential in the header it expects. */
export function authHeaders(provider: Provider, secret: string): Record<string, string> {
  return provider.auth === "bearer" ? { authorization: `Bearer ${secret}` } : { [provider.auth]: secret };
}
