/**
 * Whether a call can be sent at all, before anything is held for it. Its model must be reachable from this route. Where
 * every channel speaks another protocol, one of them must be able to carry the request.
 */
import type { Channel } from "../catalog/catalog.ts";
import { GatewayError } from "../errors.ts";
import { type InferenceRoute, routes } from "../http/routes.ts";
import { protocols } from "../protocols/index.ts";
import type { Decoded } from "./decode.ts";
import type { Deps } from "./deps.ts";
import { createExchange, type Exchange } from "./exchange.ts";
import { wayOf, wayTo } from "./route.ts";
import { targetOf } from "./target.ts";

/** A call that one of its model's channels can take. */
export interface Prepared extends Decoded {
  /** The exchange that was written to find that out, so that it is not written twice. */
  exchanges: ReadonlyMap<Channel, Exchange>;
}

/** Routes that a refusal names at most. */
const namedRoutesMax = 5;

/**
 * Prepares a call to be admitted. Throws `invalid_request`: with the routes that reach the model where this one does
 * not, or with what the first channel cannot carry where none can.
 */
export function prepare(decoded: Decoded, deps: Pick<Deps, "catalog">): Prepared {
  const exchanges = new Map<Channel, Exchange>();
  let refusal: GatewayError | undefined;
  for (const channel of decoded.model.channels) {
    const provider = deps.catalog.provider(channel.provider);
    const way = provider && wayOf(decoded, provider);
    if (!way) continue;
    // A request in the provider's own protocol is carried as it is, unless the client wants it made to fit.
    if (way.protocol === decoded.protocol && !decoded.adapts) return { ...decoded, exchanges };
    try {
      const exchange = createExchange(decoded, way, targetOf(decoded.model, channel, provider, way));
      return { ...decoded, exchanges: exchanges.set(channel, exchange) };
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      refusal ??= error;
    }
  }
  throw refusal ?? unreachable(decoded, deps);
}

function unreachable({ model }: Decoded, { catalog }: Pick<Deps, "catalog">): GatewayError {
  const providers = model.channels.flatMap(({ provider }) => catalog.provider(provider) ?? []);
  const reaches = ({ protocol: name }: InferenceRoute): boolean => {
    const protocol = protocols[name];
    return (
      model.capabilities.includes(protocol.capability) &&
      providers.some((provider) => wayTo(provider, protocol))
    );
  };
  const paths = routes.flatMap((route) =>
    route.operation === "infer" && reaches(route) ? `${route.method} ${route.path}` : [],
  );
  const named = paths.slice(0, namedRoutesMax).join(", ");
  const message = `The model \`${model.id}\` cannot be called on this route. Call it on one of these: ${named}.`;
  return new GatewayError("invalid_request", { message, param: "model" });
}
