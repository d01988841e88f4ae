/** What a call may come to at one model: what it may use, what is likely, and the price of both. */

import type { PinnedPrice } from "../../books/billing/pricing/price.ts";
import { inputTokensGuess, inputTokensReserved, outputTokensGuess } from "../chat/estimate.ts";
import { type OwnTerms, ownTermsOf } from "../upstreams/own-terms.ts";
import { boundsOf, type CallBounds, roomOf } from "./bounds.ts";
import type { Decoded } from "./decode.ts";
import type { Deps } from "./deps.ts";

export interface Quote extends CallBounds {
  price: PinnedPrice;
  /** The terms on which the organization's own key may serve the call. Absent: none may. */
  own?: OwnTerms | undefined;
  /** The likely input tokens, for an estimate where the provider reports nothing. */
  input_tokens: number;
  /** What a subscription's minute and day reserve for the call. 0 where they reserve nothing. */
  tokens_reserved: number;
}

/** The quote of a call. `mediaMost` is the most that windows reserve for its media; null where there are none. */
export function quoteOf(decoded: Decoded, mediaMost: number | null, deps: Pick<Deps, "catalog">): Quote {
  const { model, protocol, call, size, principal } = decoded;
  const room = roomOf(model, protocol);
  const own = ownTermsOf(model, principal.organization, deps.catalog);
  return {
    price: deps.catalog.price(model, decoded.request.received_at),
    ...boundsOf(decoded, room, deps),
    // Steps are of list price. A call that may cost our fee alone is held for as a whole.
    ...(own && { own, steps: undefined }),
    input_tokens: inputTokensGuess(size, room.call_tokens),
    tokens_reserved:
      mediaMost === null
        ? 0
        : inputTokensReserved(size, room, mediaMost) + outputTokensGuess(call, model.output_tokens),
  };
}
