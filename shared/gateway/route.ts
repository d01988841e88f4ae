/** The channels that can take a call, in the order in which they are asked (shared/routing/README.md). */
import { routingOf } from "../catalog/plans.ts";
import { routeOf, type UpstreamRoute } from "../exchange/upstream-route.ts";
import { limits } from "../limits.ts";
import type { Board } from "../routing/board.ts";
import { conversationOf } from "../routing/conversation.ts";
import type { Copies } from "../routing/copies.ts";
import { type Order, orderOf } from "../routing/order.ts";
import { claimProbe } from "../routing/probe.ts";
import { type Candidate, candidatesOf } from "../upstreams/channels.ts";
import type { Decoded } from "./decode.ts";
import type { Deps } from "./deps.ts";

/** A channel that can take a call, and the way to it. */
export type RoutedCandidate = Candidate<UpstreamRoute>;

/**
 * Has the board of the call's model read, so that it is there when the call is routed. The read runs beside the
 * admission. A model with one channel needs none.
 */
export function lookAtBoard({ model }: Pick<Decoded, "model">, copies: Copies): void {
  if (model.channels.length > 1) copies.look(model.id);
}

/**
 * The order in which the call's channels are asked. Waits for the board at most `limits.boardWaitMs`. If the call is to
 * probe a channel, it claims the probe first.
 */
export async function route(decoded: Decoded, copies: Copies, deps: Deps): Promise<Order<RoutedCandidate>> {
  const { model } = decoded;
  if (model.channels.length <= 1) return routeBlindly(decoded, deps);
  const board = await copies.look(model.id).ready(limits.boardWaitMs);
  return await claimProbe(orderBy(board, decoded, deps), model.id, copies, deps);
}

/**
 * The order without a look at the board. Throws `invalid_request` where the caller's preferences leave no channel.
 */
export function routeBlindly(decoded: Decoded, deps: Pick<Deps, "catalog" | "now">): Order<RoutedCandidate> {
  return orderBy(undefined, decoded, deps);
}

function orderBy(
  board: Board | undefined,
  decoded: Decoded,
  deps: Pick<Deps, "catalog" | "now">,
): Order<RoutedCandidate> {
  const { principal, request, body, preferences } = decoded;
  const channels = candidatesOf(
    decoded.model,
    (name) => deps.catalog.provider(name),
    (provider) => routeOf(decoded, provider),
  );
  const caller = { organization: principal.organization.id, headers: request.headers, body };
  return orderOf({
    channels,
    board,
    now: deps.now(),
    // One channel is the first for every conversation.
    conversation: channels.length > 1 ? conversationOf(caller) : undefined,
    routing: routingOf(principal, deps.catalog, request.received_at),
    objective: decoded.model.routing?.objective,
    preferences,
  });
}
