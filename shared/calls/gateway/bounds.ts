/** The most that a call can use, as far as its request says. */

import { limits } from "../../base/limits.ts";
import type { Principal } from "../../books/accounts/account.ts";
import type { ChatCall } from "../../books/billing/call.ts";
import type { UsageBounds } from "../../books/billing/pricing/hold-points.ts";
import type { Model } from "../../books/catalog/catalog.ts";
import { type InputRoom, inputTokensMax, outputTokensMax } from "../chat/estimate.ts";
import type { InputSize } from "../chat/measure.ts";
import { isCrossing, routeTo } from "../exchange/upstream-route.ts";
import type { Protocol } from "../protocols/protocol.ts";
import type { Deps } from "./deps.ts";
import { firstStep, type Steps } from "./strict.ts";

/** What the bounds of a call depend on. */
interface BoundedCall {
  model: Model;
  protocol: Protocol;
  principal: Principal;
  call: ChatCall;
  size: InputSize;
}

export interface CallBounds {
  /** The most that the call can use. */
  bounds: UsageBounds;
  /** Of a strict model's stream that may need more than one step. */
  steps?: Steps | undefined;
}

/** What a model takes. Its context bounds one input, and a call for embeddings may bring many inputs. */
export function roomOf(
  { context_tokens, media_tokens, protocols }: Model,
  { capability }: Pick<Protocol, "capability">,
): InputRoom {
  return {
    context_tokens,
    call_tokens: capability === "embeddings" ? Number.POSITIVE_INFINITY : context_tokens,
    picture_tokens: media_tokens ?? Math.max(0, ...protocols.map((name) => limits.pictureTokens[name])),
    file_tokens: media_tokens ?? context_tokens,
  };
}

/** The bounds of a call whose model takes so much. */
export function boundsOf(
  { model, protocol, principal, call, size }: BoundedCall,
  room: InputRoom,
  deps: Pick<Deps, "catalog">,
): CallBounds {
  const beyond = reasonsBeyond(model, deps);
  const least = outputTokensLeast(model, protocol, deps);
  const bounds = {
    input_tokens: inputTokensMax(size, room, call),
    output_tokens: Math.max(outputTokensMax(call, model.output_tokens, beyond), least),
    images: call.images ?? 0,
    switches: call.switches ?? [],
  };
  const strict = model.strict && call.stream && principal.key.mode === "payg";
  return { bounds, steps: strict ? firstStep(bounds) : undefined };
}

/** What a crossing to Responses raises the maximum of an answer to. 0 where no channel is reached by one. */
function outputTokensLeast(
  { channels }: Model,
  client: Protocol,
  { catalog }: Pick<Deps, "catalog">,
): number {
  const mayCross = channels.some(({ provider: name }) => {
    const provider = catalog.provider(name);
    const route = provider?.protocols.responses && routeTo(provider, client);
    return route && isCrossing(client, route.protocol);
  });
  return mayCross ? limits.responsesOutputMin : 0;
}

/**
 * Whether `max_tokens` leaves the reasoning of one of a model's channels unbounded, as on Ark's channels
 * (protocols.md §4).
 */
export function reasonsBeyond(
  { capabilities, channels }: Model,
  { catalog }: Pick<Deps, "catalog">,
): boolean {
  if (!capabilities.includes("reasoning")) return false;
  return channels.some(({ provider }) => catalog.provider(provider)?.protocols.ark !== undefined);
}
