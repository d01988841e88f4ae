/** An admitted call → the channels that can take it, each in the client's own protocol or across to another. */
import type { Provider, ProviderProtocol } from "../catalog/catalog.ts";
import { protocols } from "../protocols/index.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { type Candidate, candidatesFor } from "../upstreams/channels.ts";
import type { Cooling } from "../upstreams/cooling.ts";
import type { Decoded } from "./decode.ts";
import type { Deps } from "./deps.ts";

/** How a provider is spoken to. */
export interface Way {
  protocol: Protocol;
  /** The name under which the provider's base URL stands in the catalog: protocols have dialects. */
  dialect: ProviderProtocol;
  base_url: string;
}

/** The channels of the call's model in the order they are tried. */
export function route(decoded: Decoded, cooling: Cooling, deps: Deps): Candidate<Way>[] {
  const now = deps.now();
  return candidatesFor(
    decoded.model,
    (name) => deps.catalog.provider(name),
    (provider) => wayOf(decoded, provider),
    (channel) => cooling.isCooling(channel, now),
  );
}

/**
 * Pass-through where the provider speaks the client's protocol, else the first protocol both sides can cross to. One in
 * which the model refuses the request as it is comes last.
 */
export function wayTo(
  provider: Provider,
  client: Protocol,
  refused: readonly ProviderProtocol[] = [],
): Way | undefined {
  const { elsewhere } = client;
  const other = elsewhere && speaks(provider, elsewhere);
  if (other && elsewhere.before_own) return other;
  const own = speaks(provider, client) ?? other;
  if (own || !client.crossing) return own;
  const ways = Object.values(protocols).flatMap(
    (protocol) => (protocol.crossing && speaks(provider, protocol)) ?? [],
  );
  return ways.find(({ dialect }) => !refused.includes(dialect)) ?? ways[0];
}

/**
 * The way to a provider of a call's model. A request with tools crosses to the protocol in which the model takes them
 * beside its reasoning.
 */
export function wayOf({ model, body, protocol }: Decoded, provider: Provider): Way | undefined {
  const { tools } = body.value;
  const withTools = Array.isArray(tools) && tools.length > 0;
  const reasoning = model.traits?.reasoning ?? provider.traits?.reasoning;
  return wayTo(provider, protocol, withTools ? reasoning?.tools_refused_in : undefined);
}

function speaks(provider: Provider, protocol: Protocol): Way | undefined {
  const urls = provider.protocols as Record<string, string | undefined>;
  for (const dialect of protocol.bases) {
    const base_url = urls[dialect];
    if (base_url) return { protocol, dialect, base_url };
  }
  return undefined;
}
