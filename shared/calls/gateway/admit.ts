/**
 * Admits a call: one conditional write on the meter, and the intent beside it. Both are acknowledged before a byte
 * goes upstream (design §3).
 */

import { keyOf } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import type { Principal } from "../../books/accounts/account.ts";
import type { UsageBounds } from "../../books/billing/pricing/hold-points.ts";
import { withRatesOf } from "../../books/billing/pricing/pin-price.ts";
import type { PinnedPrice } from "../../books/billing/pricing/price.ts";
import { checkPlanCost } from "../../books/catalog/plan-includes.ts";
import { endCall, neverSent } from "../../books/ledger/end-call.ts";
import type { LimitStatus } from "../../books/meters/admission.ts";
import {
  callOf,
  type Hold,
  type Intent,
  intentFor,
  type PlanLimits,
  type Ticket,
} from "../../books/meters/hold.ts";
import { makeDurable } from "../access/durable.ts";
import { holdFor, holdOrRefuse, meterOf, pointsHeld, refuseUnmetered } from "../access/hold.ts";
import type { Recorder } from "../access/recorder.ts";
import { take } from "../access/take.ts";
import { inputTokensGuess, inputTokensReserved, outputTokensGuess } from "../chat/estimate.ts";
import { boundsOf, pointsAtFirst, roomOf } from "./bounds.ts";
import type { Deps } from "./deps.ts";
import type { Prepared } from "./prepare.ts";
import { whatFits } from "./smaller-call.ts";
import type { Steps } from "./strict.ts";

/** What a call may come to at one model. */
interface Quote {
  price: PinnedPrice;
  /** The most that it can use, as far as its request says. */
  bounds: UsageBounds;
  /** The likely input tokens, for an estimate where the provider reports nothing. */
  input_tokens: number;
  /** Of a strict model's stream that may need more than one step. */
  steps?: Steps | undefined;
}

/** A call that has its hold, with the ticket of it. */
export interface Admitted extends Prepared, Quote {
  ticket: Ticket;
  limitStatus: LimitStatus;
  /** The idempotency key that the call must have (`admit`). */
  scope?: string | undefined;
  /** Keeps the answer of a call with an idempotency key. */
  recorder?: Recorder | undefined;
  /** The full id of the model that the client asked for, where this call asks another one in its place. */
  requested_model?: string;
  /** Of such a call: how many attempts the models before it have had. */
  attempted?: number | undefined;
}

/** What a call may come to at its model. */
export function quoteOf(decoded: Prepared, deps: Pick<Deps, "catalog">): Quote {
  const { model, call, size, protocol } = decoded;
  return {
    price: deps.catalog.price(model),
    ...boundsOf(decoded, call, size, deps),
    input_tokens: inputTokensGuess(size, roomOf(model, protocol).call_tokens),
  };
}

/**
 * Admits a call, or throws why not: `insufficient_balance`, `subscription_lapsed`, `rate_limited`, `quota_exhausted`,
 * `account_frozen`, `invalid_key`, `global_rate_limited`, and `permission_denied` where it may cost more than its plan
 * bears. A refused call consumes nothing. Where the call names
 * fallbacks, it is held for the dearest of its models. `scope` names the idempotency key that the call must get before
 * it is sent; undefined where it has none.
 */
export async function admit(decoded: Prepared, scope: string | undefined, deps: Deps): Promise<Admitted> {
  const { principal, request, protocol, fallbacks = [] } = decoded;
  const calls = [decoded, ...fallbacks];
  const quote = quoteOf(decoded, deps);
  const quotes = [quote, ...fallbacks.map((each) => quoteOf(each, deps))];
  const meter = meterOf(principal, request.received_at, deps);
  const { planLimits } = meter;
  const most = once(() => largest(quotes.map((each) => pointsAtFirst(each, each.price))));
  const fits = whatFits(decoded, quote.price, deps);
  checkPlanCost(most, { principal, at: request.received_at }, deps.catalog, fits);
  const wanted = holdFor(principal, meter, {
    request: request.id,
    at: request.received_at,
    ...pointsHeld(principal.key, planLimits, most),
    tokens: planLimits ? Math.max(...calls.map((each) => tokensReserved(each, planLimits))) : 0,
  });
  const intent = intentOf(wanted, decoded, { ...quote, scope });
  // Without this event the sweep would find the hold and the intent, and bill the input of a call that was never sent.
  const publishUnsent = (error: unknown) => {
    const end = neverSent("gateway", deps.now(), keyOf(refuseUnmetered(error)));
    return makeDurable(endCall(callOf(intent), end), deps);
  };
  const { ticket, limitStatus } = await holdOrRefuse(
    wanted,
    {
      dialect: protocol.name,
      take: () => take(wanted, intent, { choice: meter, publishUnsent }, deps),
      whatFits: fits,
    },
    deps,
  );
  return { ...decoded, ...quote, ticket, limitStatus, scope };
}

/** The intent of a call at its model, on this hold. */
export function intentOf(
  hold: Hold,
  { protocol, model, call: { user }, principal }: Prepared,
  {
    price,
    input_tokens,
    scope,
    requested_model,
  }: Omit<Quote, "bounds"> & Pick<Admitted, "scope" | "requested_model">,
): Intent {
  return intentFor(hold, principal.key, {
    kind: protocol.kind,
    model: model.id,
    price: withRatesOf(price),
    input_tokens,
    user,
    ...(scope !== undefined && { scope }),
    ...(requested_model !== undefined && { requested_model }),
  });
}

/** The function, computed once. */
function once(compute: () => bigint): () => bigint {
  let known: bigint | undefined;
  return () => {
    known ??= compute();
    return known;
  };
}

function largest(points: bigint[]): bigint {
  return points.reduce((most, each) => (most < each ? each : most));
}

/** The tokens that a subscription's minute and day reserve for a call at its model. */
function tokensReserved(
  { model, call, size, principal, protocol }: Prepared,
  planLimits: PlanLimits,
): number {
  const most = mediaMost(planLimits, principal);
  return (
    inputTokensReserved(size, roomOf(model, protocol), most) + outputTokensGuess(call, model.output_tokens)
  );
}

/**
 * The most tokens that a call's media reserve in the minute and the day: a part of the lowest limit, the key's own
 * limits included. Reserved in full, one document would use the whole window up.
 */
function mediaMost({ tpm, tpd }: PlanLimits, { key }: Principal): number {
  const most = [tpm, tpd, key.limits?.tpm, key.limits?.tpd].filter((limit) => typeof limit === "number");
  return Math.floor(Math.min(...most) / limits.mediaWindowParts);
}
