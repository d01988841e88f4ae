/** Which channels of a model can take a call, in the order they are tried, and how each is addressed. */
import type { Channel, Model, Provider } from "../catalog/catalog.ts";

/** One channel, and the way its provider is spoken to. */
export interface Candidate<Way> {
  channel: Channel;
  provider: Provider;
  way: Way;
}

/**
 * The model's channels that `wayTo` finds a way to, by priority and then by weight at random. Channels
 * that are cooling come last: they are better than none. `random` gives numbers in [0, 1).
 */
export function candidatesFor<Way>(
  model: Model,
  providerOf: (name: string) => Provider | undefined,
  wayTo: (provider: Provider) => Way | undefined,
  isCooling: (channel: Channel) => boolean = () => false,
  random: () => number = Math.random,
): Candidate<Way>[] {
  const ranked: { candidate: Candidate<Way>; cooling: boolean; rank: number }[] = [];
  for (const channel of model.channels) {
    const provider = providerOf(channel.provider);
    const way = provider && wayTo(provider);
    if (!provider || !way) continue;
    // Weighted order without replacement: the largest of u^(1/w) first.
    const rank = random() ** (1 / channel.weight);
    ranked.push({ candidate: { channel, provider, way }, cooling: isCooling(channel), rank });
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
