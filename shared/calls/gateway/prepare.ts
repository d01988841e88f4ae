/**
 * Whether a call can be sent at all, before anything is held for it. Its model must be reachable from this route. Where
 * every channel speaks another protocol, one of them must be able to carry the request.
 */

import { GatewayError } from "../../base/errors.ts";
import { type InferenceRoute, routes } from "../../base/http/routes.ts";
import type { ReadyChannel } from "../../books/catalog/catalog.ts";
import type { Exchange } from "../exchange/call.ts";
import { createExchange } from "../exchange/exchange.ts";
import { targetOf } from "../exchange/target.ts";
import { routeOf, routeTo } from "../exchange/upstream-route.ts";
import { protocols } from "../protocols/index.ts";
import type { ProviderSide } from "../protocols/protocol.ts";
import type { HostedCall, PartedRequest } from "../upstreams/hosts/host.ts";
import { checkAtHost } from "../upstreams/hosts/index.ts";
import type { Decoded } from "./decode.ts";
import type { Deps } from "./deps.ts";
import { routeBlindly } from "./route.ts";

/** A call that one of its model's channels can take. */
export interface Prepared extends Decoded {
  /** The exchange that was created to find that out, so that it is not created twice. */
  ready?: { channel: ReadyChannel; exchange: Exchange };
  /** The same call for each model that is to be asked after its own (fallback.md). Absent where it names none. */
  fallbacks?: readonly Decoded[];
}

/** How many routes an error names at most. */
const namedRoutesMax = 5;

/**
 * Prepares a call to be admitted. Rejects with `invalid_request` where no channel can take it. The message names the
 * routes that reach the model, if this one does not reach it; else what the first channel cannot carry.
 */
export async function prepare(
  decoded: Decoded,
  deps: Pick<Deps, "catalog" | "now" | "secrets">,
): Promise<Prepared> {
  const { model, protocol, preferences } = decoded;
  // Only to see that they leave a channel.
  if (preferences) routeBlindly(decoded, deps);
  let refusal: GatewayError | undefined;
  for (const channel of model.channels) {
    const provider = deps.catalog.provider(channel.provider);
    const route = provider && routeOf(decoded, provider);
    if (!route) continue;
    // A cloud has vectors and pictures in forms of its own, which do not carry all of a request.
    const host = protocol.kind === "chat" ? undefined : provider.host;
    // A request in the provider's own protocol is carried as it is, unless it is made to fit the model or its host.
    if (route.protocol === protocol && !decoded.adapts && !channel.traits && !host) return decoded;
    try {
      const exchange = await createExchange(decoded, route, targetOf(model, channel, route, deps), deps);
      if (host) await checkAtHost(host, ...askedOf(decoded, route.protocol, channel.model, exchange));
      return { ...decoded, ready: { channel, exchange } };
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      refusal ??= error;
    }
  }
  throw refusal ?? unreachable(decoded, deps);
}

/** The request to a channel, and what its host has to know of the call. */
function askedOf(
  { call }: Decoded,
  protocol: ProviderSide,
  model: string,
  { request: { body } }: Exchange,
): [PartedRequest, HostedCall] {
  const path = protocol.upstreamPath(model, call);
  return [
    { path, headers: {}, body },
    { protocol: protocol.name, model, stream: call.stream },
  ];
}

function unreachable({ model }: Decoded, { catalog }: Pick<Deps, "catalog">): GatewayError {
  const providers = model.channels.flatMap(({ provider }) => catalog.provider(provider) ?? []);
  const reaches = ({ protocol: name }: InferenceRoute): boolean => {
    const protocol = protocols[name];
    return (
      model.capabilities.includes(protocol.capability) &&
      providers.some((provider) => routeTo(provider, protocol))
    );
  };
  const paths = routes.flatMap((route) =>
    route.operation === "infer" && reaches(route) ? `${route.method} ${route.path}` : [],
  );
  const named = paths.slice(0, namedRoutesMax).join(", ");
  const message = `The model \`${model.id}\` cannot be called on this route. Call it on one of these: ${named}.`;
  return new GatewayError("invalid_request", { message, param: "model" });
}
