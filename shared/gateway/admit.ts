/**
 * Admits a call: one conditional write on the meter, and the intent beside it. Both are acknowledged before a byte
 * goes upstream (design §3).
 */
import { makeDurable } from "../access/durable.ts";
import { holdFor, holdOrRefuse, meterOf, pointsHeld } from "../access/hold.ts";
import type { Recorder } from "../access/recorder.ts";
import { take } from "../access/take.ts";
import type { Principal } from "../accounts/account.ts";
import type { UsageBounds } from "../billing/pricing/charge.ts";
import type { PinnedPrice } from "../billing/pricing/price.ts";
import { withRatesOf } from "../billing/pricing/rates.ts";
import { inputTokensGuess, inputTokensReserved, outputTokensGuess } from "../chat/estimate.ts";
import { endCall, neverSent } from "../ledger/end-call.ts";
import { limits } from "../limits.ts";
import type { LimitStatus } from "../meters/admission.ts";
import { callOf, intentFor, type PlanLimits, type Ticket } from "../meters/hold.ts";
import { boundsOf, pointsAtFirst, roomOf } from "./bounds.ts";
import type { Deps } from "./deps.ts";
import type { Prepared } from "./prepare.ts";
import { whatFits } from "./smaller-call.ts";
import type { Steps } from "./strict.ts";

/** A call that has its hold, with the ticket of it. */
export interface Admitted extends Prepared {
  ticket: Ticket;
  price: PinnedPrice;
  /** The most that it can use, as far as its request says. */
  bounds: UsageBounds;
  /** The likely input tokens, for an estimate where the provider reports nothing. */
  input_tokens: number;
  limitStatus: LimitStatus;
  /** Keeps the answer of a call with an idempotency key. */
  recorder?: Recorder | undefined;
  /** Of a strict model's stream that may need more than one step. */
  steps?: Steps;
}

/**
 * Admits a call, or throws why not: `insufficient_balance`, `subscription_lapsed`, `rate_limited`, `quota_exhausted`,
 * `account_frozen`, `invalid_key`, `global_rate_limited`. A refused call consumes nothing. `scope` names the
 * idempotency key that the call must get before it is sent; undefined where it has none.
 */
export async function admit(decoded: Prepared, scope: string | undefined, deps: Deps): Promise<Admitted> {
  const { model, call, size, principal, request, protocol } = decoded;
  const price = deps.catalog.price(model);
  const room = roomOf(model, protocol);
  const input_tokens = inputTokensGuess(size, room.call_tokens);
  const bounded = boundsOf(decoded, call, size, deps);
  const { bounds, steps } = bounded;
  const meter = meterOf(principal, request.received_at, deps);
  const wanted = holdFor(principal, meter, {
    request: request.id,
    at: request.received_at,
    ...pointsHeld(principal.key, () => pointsAtFirst(bounded, price)),
    tokens: meter.planLimits
      ? inputTokensReserved(size, room, mediaMost(meter.planLimits, principal)) +
        outputTokensGuess(call, model.output_tokens)
      : 0,
  });
  const intent = intentFor(wanted, principal.key, {
    kind: protocol.kind,
    model: model.id,
    price: withRatesOf(price),
    input_tokens,
    user: call.user,
    ...(scope !== undefined && { scope }),
  });
  // Without this event the sweep would find the hold and the intent, and bill the input of a call that was never sent.
  const publishUnsent = () => makeDurable(endCall(callOf(intent), neverSent("gateway", deps.now())), deps);
  const { ticket, limitStatus } = await holdOrRefuse(
    wanted,
    {
      dialect: protocol.name,
      take: () => take(wanted, intent, { choice: meter, publishUnsent }, deps),
      whatFits: whatFits(decoded, price, deps),
    },
    deps,
  );
  return { ...decoded, ticket, price, bounds, input_tokens, limitStatus, ...(steps && { steps }) };
}

/**
 * The most tokens that a call's media reserve in the minute and the day: a part of the lowest limit, the key's own
 * limits included. Reserved in full, one document would use the whole window up.
 */
function mediaMost({ tpm, tpd }: PlanLimits, { key }: Principal): number {
  const most = [tpm, tpd, key.limits?.tpm, key.limits?.tpd].filter((limit) => typeof limit === "number");
  return Math.floor(Math.min(...most) / limits.mediaWindowParts);
}
