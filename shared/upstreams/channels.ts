/** Which channels of a model can take a call, in the order they are tried, and how each is addressed. */
import type { Channel, Model, Provider } from "../catalog/catalog.ts";

/** One channel that speaks the client's protocol. */
export interface Candidate {
  channel: Channel;
  provider: Provider;
  base_url: string;
}

/**
 * The model's channels that speak one of `bases`, by priority and then by weight at random. `random`
 * gives numbers in [0, 1).
 */
export function candidatesFor(
  model: Model,
  bases: readonly string[],
  providerOf: (name: string) => Provider | undefined,
  random: () => number = Math.random,
): Candidate[] {
  const candidates: (Candidate & { rank: number })[] = [];
  for (const channel of model.channels) {
    const provider = providerOf(channel.provider);
    const base = provider && bases.find((name) => baseUrl(provider, name) !== undefined);
    if (!provider || !base) continue;
    // Weighted order without replacement: the largest of u^(1/w) first.
    const rank = random() ** (1 / channel.weight);
    candidates.push({ channel, provider, base_url: baseUrl(provider, base) ?? "", rank });
  }
  return candidates.sort((a, b) => a.channel.priority - b.channel.priority || b.rank - a.rank);
}

function baseUrl(provider: Provider, base: string): string | undefined {
  return (provider.protocols as Record<string, string | undefined>)[base];
}

/** The provider's credential in the header it expects. */
export function authHeaders(provider: Provider, secret: string): Record<string, string> {
  return provider.auth === "bearer" ? { authorization: `Bearer ${secret}` } : { [provider.auth]: secret };
}
