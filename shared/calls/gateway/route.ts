/** The channels that can take a call, in the order in which they are asked (shared/calls/routing/README.md). */

import type { Secrets } from "../../base/platform/secrets.ts";
import type { Model, ReadyChannel } from "../../books/catalog/catalog.ts";
import { routingOf } from "../../books/catalog/plans.ts";
import { accountOf } from "../exchange/account.ts";
import { routeOf, type UpstreamRoute } from "../exchange/upstream-route.ts";
import type { Board } from "../routing/board.ts";
import { boardBounds } from "../routing/bounds.ts";
import { conversationOf } from "../routing/conversation.ts";
import type { Copies } from "../routing/copies.ts";
import { type ChannelOrder, orderOf } from "../routing/order.ts";
import { claimProbe } from "../routing/probe.ts";
import { witnessOf } from "../routing/witness.ts";
import { type Candidate, candidatesOf } from "../upstreams/channels.ts";
import { withOwnKeys } from "../upstreams/own-keys.ts";
import type { Decoded } from "./decode.ts";
import type { Deps } from "./deps.ts";

type RouteDeps = Pick<Deps, "catalog" | "now" | "secrets">;

/** A channel that can take a call, and the way to it. */
export type RoutedCandidate = Candidate<UpstreamRoute>;

/**
 * Has the board of the call's model read, so that it is there when the call is routed. The read runs beside the
 * admission. A model with one channel needs none.
 */
export function lookAtBoard(
  { model }: Pick<Decoded, "model">,
  copies: Copies,
  deps: Pick<Deps, "secrets">,
): void {
  if (hasChoice(model, deps)) copies.look(model.id);
}

/** Whether the model has several channels whose keys are there, as far as that is known. */
function hasChoice({ channels }: Model, { secrets }: Pick<Deps, "secrets">): boolean {
  return channels.length > 1 && channels.filter((channel) => !lacksAny(channel, secrets)).length > 1;
}

function lacksAny({ needs }: Pick<ReadyChannel, "needs">, secrets: Pick<Secrets, "lacks">): boolean {
  return needs.some((name) => secrets.lacks(name));
}

/**
 * The order in which the call's channels are asked. Waits for the board at most `boardBounds.waitMs`. If the call is to
 * probe a channel, it claims the probe first.
 */
export async function route(
  decoded: Decoded,
  copies: Copies,
  deps: Deps,
): Promise<ChannelOrder<RoutedCandidate>> {
  const { model } = decoded;
  if (!hasChoice(model, deps)) return routeBlindly(decoded, deps);
  const board = await copies.look(model.id).ready(boardBounds.waitMs);
  return await claimProbe(orderBy(board, decoded, deps), model.id, copies, deps);
}

/**
 * The order without a look at the board. Throws `invalid_request` where the caller's preferences leave no channel.
 */
export function routeBlindly(decoded: Decoded, deps: RouteDeps): ChannelOrder<RoutedCandidate> {
  return orderBy(undefined, decoded, deps);
}

function orderBy(board: Board | undefined, decoded: Decoded, deps: RouteDeps): ChannelOrder<RoutedCandidate> {
  const { principal, request, body, preferences } = decoded;
  const channels = ableOf(
    withOwnKeys(
      candidatesOf(
        decoded.model,
        (name) => deps.catalog.provider(name),
        (provider) => routeOf(decoded, provider),
      ),
      decoded.model,
      principal.organization,
      deps.catalog,
    ),
    decoded,
    deps,
  );
  const caller = { organization: principal.organization.id, headers: request.headers, body };
  return orderOf({
    channels,
    board,
    now: deps.now(),
    witness: board && witnessOf(principal.organization.id),
    // One channel is the first for every conversation.
    conversation: channels.length > 1 ? conversationOf(caller) : undefined,
    routing: routingOf(principal, deps.catalog, request.received_at),
    objective: decoded.model.routing?.objective,
    preferences,
  });
}

/**
 * The candidates that can serve the call. They know the ids that it brings. Their keys are there, and they run tools
 * where the call has its provider run some. Where there is none, all of them: then an attempt says what is missing.
 */
function ableOf(
  candidates: RoutedCandidate[],
  { size, account }: Pick<Decoded, "size" | "account">,
  { catalog, secrets }: Pick<Deps, "catalog" | "secrets">,
): RoutedCandidate[] {
  if (candidates.length <= 1) return candidates;
  // What an id names is there at the account that gave it, and nowhere else.
  const knowing = account === undefined ? [] : candidates.filter((each) => accountOf(each) === account);
  if (knowing.length > 0) return knowing;
  // What the model's own traits list is what its maker runs, so it says nothing of another host.
  const runsNone = ({ provider, traits }: RoutedCandidate) =>
    (traits?.hosted_tools ?? catalog.provider(provider)?.traits?.hosted_tools)?.length === 0;
  const able = candidates.filter(
    (candidate) => !lacksAny(candidate, secrets) && !(size.provider_tools && runsNone(candidate)),
  );
  return able.length > 0 ? able : candidates;
}
