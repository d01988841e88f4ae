/** The channels that can take a call, each with the route to its provider. */
import { routeOf, type UpstreamRoute } from "../exchange/upstream-route.ts";
import { type Candidate, candidatesFor } from "../upstreams/channels.ts";
import type { Cooling } from "../upstreams/cooling.ts";
import type { Decoded } from "./decode.ts";
import type { Deps } from "./deps.ts";

/** The channels of the call's model, in the order in which they are tried. */
export function route(
  decoded: Decoded,
  cooling: Cooling,
  deps: Pick<Deps, "catalog" | "now">,
): Candidate<UpstreamRoute>[] {
  const now = deps.now();
  return candidatesFor(
    decoded.model,
    (name) => deps.catalog.provider(name),
    (provider) => routeOf(decoded, provider),
    (channel) => cooling.isCooling(channel, now),
  );
}
