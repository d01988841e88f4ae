/** The intent, which is written beside a call's hold: the sweep bills by it if the call's process dies. */

import { keyOf } from "../../base/errors.ts";
import { withRatesOf } from "../../books/billing/pricing/pin-price.ts";
import { endCall, neverSent } from "../../books/ledger/end-call.ts";
import type { Hold } from "../../books/meters/hold.ts";
import { callOf, type Intent, intentFor } from "../../books/meters/intent.ts";
import { makeDurable } from "../access/durable.ts";
import { refuseUnmetered } from "../access/take.ts";
import type { Decoded } from "./decode.ts";
import type { Deps } from "./deps.ts";
import type { Quote } from "./quote.ts";

/** What an intent says beyond the hold and the request. */
interface Intended extends Pick<Quote, "price" | "input_tokens" | "own"> {
  /** The idempotency key that the call must have. */
  scope?: string | undefined;
  /** Of a fallback: the full id of the model that the client asked for. */
  requested_model?: string;
}

/** The intent of a call at its model, on this hold. */
export function intentOf(
  hold: Hold,
  { protocol, model, call: { user }, tags, principal }: Decoded,
  { price, input_tokens, own, scope, requested_model }: Intended,
): Intent {
  return intentFor(hold, principal.key, {
    kind: protocol.kind,
    model: model.id,
    price: withRatesOf(price),
    input_tokens,
    user,
    // Whoever's key is asked first is likely to have paid, if this process dies.
    ...(own?.leads && { own_fee: own.fee }),
    ...(tags !== undefined && { tags }),
    ...(scope !== undefined && { scope }),
    ...(requested_model !== undefined && { requested_model }),
  });
}

/**
 * Publishes that the call of an intent was never sent, because of the error. Without this event the sweep would find its
 * hold and its intent, and bill its input.
 */
export async function publishUnsent(intent: Intent, error: unknown, deps: Deps): Promise<void> {
  const end = neverSent("gateway", deps.now(), keyOf(refuseUnmetered(error)));
  await makeDurable(endCall(callOf(intent), end), deps);
}
