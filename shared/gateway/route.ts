/** An admitted call → the channels that can take it, each in the client's own protocol or across to another. */
import type { Provider } from "../catalog/catalog.ts";
import { crossings, protocols } from "../protocols/index.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { type Candidate, candidatesFor } from "../upstreams/channels.ts";
import type { Cooling } from "../upstreams/cooling.ts";
import type { Decoded } from "./decode.ts";
import type { Deps } from "./deps.ts";

/** How a provider is spoken to. */
export interface Way {
  protocol: Protocol;
  /** The name under which the provider's base URL stands in the catalog: protocols have dialects. */
  dialect: string;
  base_url: string;
}

/** The channels of the call's model in the order they are tried. */
export function route(decoded: Decoded, cooling: Cooling, deps: Deps): Candidate<Way>[] {
  const now = deps.now();
  return candidatesFor(
    decoded.model,
    (name) => deps.catalog.provider(name),
    (provider) => wayTo(provider, decoded.protocol),
    (channel) => cooling.isCooling(channel, now),
  );
}

/** Pass-through where the provider speaks the client's protocol, else the first protocol both sides can cross to. */
export function wayTo(provider: Provider, client: Protocol): Way | undefined {
  const { elsewhere } = client;
  const other = elsewhere && speaks(provider, elsewhere);
  if (other && elsewhere.before_own) return other;
  const own = speaks(provider, client) ?? other;
  if (own || !crossings[client.name]) return own;
  for (const protocol of Object.values(protocols)) {
    const way = crossings[protocol.name] && speaks(provider, protocol);
    if (way) return way;
  }
  return undefined;
}

function speaks(provider: Provider, protocol: Protocol): Way | undefined {
  const urls = provider.protocols as Record<string, string | undefined>;
  for (const dialect of protocol.bases) {
    const base_url = urls[dialect];
    if (base_url) return { protocol, dialect, base_url };
  }
  return undefined;
}
