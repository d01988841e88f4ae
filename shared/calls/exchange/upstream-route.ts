/** How a provider is reached for a call: in the client's own protocol, or across in another. */

import type { FormBody } from "../../base/http/form.ts";
import type { JsonBody } from "../../base/json/body.ts";
import type { Model, Provider, ProviderProtocol } from "../../books/catalog/catalog.ts";
import { baseOf, type ProtocolBase } from "../protocols/base.ts";
import { crossable } from "../protocols/index.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { objectAt } from "../protocols/switches.ts";

/** The protocol in which a provider is asked, and where. */
export type UpstreamRoute = ProtocolBase;

export interface RoutedCall {
  model: Model;
  /** The client's protocol. */
  protocol: Protocol;
  body: JsonBody | FormBody;
}

/** Whether a request of this client is translated to reach a provider that is asked in `upstream`. */
export function isCrossing(client: Protocol, upstream: Protocol): boolean {
  return upstream !== client && Boolean(client.crossing && upstream.crossing);
}

/** The route to a provider, if any. One where the model refuses tools beside reasoning is the last choice for tools. */
export function routeOf(
  { model, body, protocol }: RoutedCall,
  provider: Provider,
): UpstreamRoute | undefined {
  const fields = "members" in body ? body.outline : body.value;
  const { tools = objectAt(fields, "toolConfig").tools } = fields;
  const withTools = Array.isArray(tools) && tools.length > 0;
  const reasoning = model.traits?.reasoning ?? provider.traits?.reasoning;
  return routeTo(provider, protocol, withTools ? reasoning?.tools_refused_in : undefined);
}

/** The route to a provider, if any: direct, or by the first protocol that it speaks. A `refused` one goes last. */
export function routeTo(
  provider: Provider,
  client: Protocol,
  refused: readonly ProviderProtocol[] = [],
): UpstreamRoute | undefined {
  const direct = directRoute(provider, client);
  if (direct || !client.crossing) return direct;
  const routes = crossable.flatMap((protocol) => baseOf(provider, protocol) ?? []);
  return routes.find(({ dialect }) => !refused.includes(dialect)) ?? routes[0];
}

/** The route without translation: in the client's protocol, or with the same calls on another protocol's paths. */
function directRoute(provider: Provider, client: Protocol): UpstreamRoute | undefined {
  const { elsewhere } = client;
  const other = elsewhere && baseOf(provider, elsewhere);
  return other && elsewhere.before_own ? other : (baseOf(provider, client) ?? other);
}
