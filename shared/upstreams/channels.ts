/** The channels of a model that can take a call, in the order in which they are tried, and the credential of each. */
import type { Model, Provider, ReadyChannel } from "../catalog/catalog.ts";

/** A channel that can take a call, and the route by which its provider is reached. */
export interface Candidate<Route> {
  channel: ReadyChannel;
  provider: Provider;
  route: Route;
}

/**
 * The model's channels that `routeTo` finds a route to, by priority and then at random by weight. Channels that are
 * cooling come last, because they are better than none. `random` gives numbers in [0, 1).
 */
export function candidatesFor<Route>(
  model: Model,
  providerOf: (name: string) => Provider | undefined,
  routeTo: (provider: Provider) => Route | undefined,
  isCooling: (channel: ReadyChannel) => boolean = () => false,
  random: () => number = Math.random,
): Candidate<Route>[] {
  const ranked: { candidate: Candidate<Route>; cooling: boolean; rank: number }[] = [];
  for (const channel of model.channels) {
    const provider = providerOf(channel.provider);
    const route = provider && routeTo(provider);
    if (!provider || !route) continue;
    // A weighted order without replacement: the largest of u^(1/w) first.
    const rank = random() ** (1 / channel.weight);
    ranked.push({ candidate: { channel, provider, route }, cooling: isCooling(channel), rank });
  }
  return ranked
    .sort(
      (a, b) =>
        Number(a.cooling) - Number(b.cooling) ||
        a.candidate.channel.priority - b.candidate.channel.priority ||
        b.rank - a.rank,
    )
    .map(({ candidate }) => candidate);
}

/** The provider's credential in the header it expects. */
export function authHeaders(provider: Provider, secret: string): Record<string, string> {
  return provider.auth === "bearer" ? { authorization: `Bearer ${secret}` } : { [provider.auth]: secret };
}
