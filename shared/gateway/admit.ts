/**
 * The decision to let a call in: one conditional write on the meter and the intent beside it, in
 * parallel, both acknowledged before a byte goes upstream (design §3).
 */

import { rateHeaders } from "../access/rate-headers.ts";
import { type ShardChoice, type Taken, take } from "../access/take.ts";
import type { KeyRecord, Principal } from "../accounts/account.ts";
import { isRunning, planAt } from "../accounts/subscription.ts";
import { quotaPeriod } from "../billing/period.ts";
import type { UsageBounds } from "../billing/pricing/charge.ts";
import type { PinnedPrice } from "../billing/pricing/price.ts";
import { withRatesOf } from "../billing/pricing/rates.ts";
import { inputTokensGuess, inputTokensReserved, outputTokensGuess } from "../chat/estimate.ts";
import { GatewayError } from "../errors.ts";
import type { ProtocolName } from "../http/routes.ts";
import { unsentEvent } from "../ledger/usage-event.ts";
import { limits } from "../limits.ts";
import { budgetOf } from "../meters/budget.ts";
import { type Hold, intentFor, type Refusal, type Standing, type Terms } from "../meters/meter.ts";
import { homeOf } from "../meters/shards.ts";
import { isOverload } from "../platform/aws.ts";
import { boundsOf, pointsAtFirst, roomOf } from "./bounds.ts";
import type { Decoded } from "./decode.ts";
import type { Deps } from "./deps.ts";
import { makeDurable } from "./durable.ts";
import type { Prepared } from "./prepare.ts";
import type { Recorder } from "./recorder.ts";
import { type Fit, fitOf, shortfallMessage } from "./shortfall.ts";
import type { Steps } from "./strict.ts";

/** A call that holds its place on the meter. */
export interface Admitted extends Decoded, Partial<Pick<Prepared, "exchanges">> {
  hold: Hold;
  price: PinnedPrice;
  /** The most it can use, as far as the request says. */
  bounds: UsageBounds;
  /** The likely input tokens, for an estimate should the provider report nothing. */
  input_tokens: number;
  standing: Standing;
  /** Where the call has an idempotency key: what keeps its answer. */
  recorder?: Recorder | undefined;
  /** Of a strict model's stream that may need more than one step. */
  steps?: Steps;
}

/**
 * Admits a call or throws why not: `insufficient_balance`, `subscription_lapsed`, `rate_limited`,
 * `quota_exhausted`, `account_frozen`, `invalid_key`, `global_rate_limited`. A refused call consumes nothing. `scope` is
 * of the idempotency key that the call must have as well before it is sent.
 */
export async function admit(decoded: Prepared, deps: Deps, scope?: string): Promise<Admitted> {
  const { model, call, size, principal, request } = decoded;
  const price = deps.catalog.price(model);
  const room = roomOf(model, decoded.protocol);
  const input_tokens = inputTokensGuess(size, room.call_tokens);
  const bounded = boundsOf(decoded, call, size, deps);
  const { bounds, steps } = bounded;
  const metered = meterOf(principal, deps, request.received_at);
  const wanted = holdFor(principal, metered, {
    request: request.id,
    at: request.received_at,
    ...pointsHeld(principal.key, () => pointsAtFirst(bounded, price)),
    tokens: metered.terms
      ? inputTokensReserved(size, room, mediaMost(metered.terms, principal)) +
        outputTokensGuess(call, model.output_tokens)
      : 0,
  });
  const intent = intentFor(wanted, principal.key, {
    kind: decoded.protocol.kind,
    model: model.id,
    price: withRatesOf(price),
    input_tokens,
    user: call.user,
    ...(scope !== undefined && { scope }),
  });
  // The sweep would find a hold and an intent that nothing ended, and bill the call, which was never sent, its input.
  const disown = () => makeDurable(unsentEvent(intent, "gateway", deps.now()), deps);
  const { hold, standing } = await holdOrRefuse(
    wanted,
    decoded.protocol.name,
    deps,
    () => take(wanted, intent, metered, deps, disown),
    fitOf(decoded, price, deps),
  );
  return { ...decoded, hold, price, bounds, input_tokens, standing, ...(steps && { steps }) };
}

/**
 * Tokens that a call's media reserve at most in the minute and the day: held at their most, one document would fill
 * both. A part of the lowest limit is taken, the key's own ones included.
 */
function mediaMost({ tpm, tpd }: Terms, { key }: Principal): number {
  const most = [tpm, tpd, key.limits?.tpm, key.limits?.tpd].filter((limit) => typeof limit === "number");
  return Math.floor(Math.min(...most) / limits.mediaWindowParts);
}

/** What a key's calls are counted on. */
interface Metered extends ShardChoice {
  meter: string;
  /** Of a subscription: the limits of this instant. */
  terms: Terms | null;
}

/** The meter of the key's billing mode. Throws `insufficient_balance` and `subscription_lapsed` where it has none. */
export function meterOf({ key, organization }: Principal, deps: Pick<Deps, "catalog">, now: number): Metered {
  const home = homeOf(key);
  if (key.mode === "payg") {
    if (!organization.wallet) throw new GatewayError("insufficient_balance");
    const { meter, shards } = organization.wallet;
    return { meter, shards, home, terms: null };
  }
  const subscription = organization.subscription;
  if (!subscription || !isRunning(subscription, now)) throw new GatewayError("subscription_lapsed");
  const bought = planAt(subscription, now);
  const plan = deps.catalog.plan(bought.plan);
  if (!plan) throw new GatewayError("subscription_lapsed");
  const { id, ends_at } = quotaPeriod(subscription.started_at, now);
  return {
    meter: subscription.meter,
    shards: 1,
    home,
    terms: {
      quota: plan.quota[bought.period],
      rpm: plan.rpm,
      tpm: plan.tpm,
      tpd: plan.tpd,
      period: { id, ends_at },
    },
  };
}

/**
 * The most that a call may cost, 10⁻¹⁸ points, where somebody is held to it: its wallet, or the budget of a
 * subscription's key. It is computed only then.
 */
export function pointsHeld(
  { mode, limits: own }: Pick<KeyRecord, "mode" | "limits">,
  most: () => bigint,
): Pick<Hold, "points" | "list_points"> {
  if (mode === "payg") return { points: most() };
  return { points: 0n, ...(budgetOf(own) && { list_points: most() }) };
}

/** The hold that a caller's call asks of its meter; its shard is chosen when it is taken. */
export function holdFor(
  { key }: Principal,
  { meter, terms }: Pick<Metered, "meter" | "terms">,
  asked: Pick<Hold, "request" | "at" | "points" | "list_points" | "tokens" | "counting">,
): Hold {
  const own = key.limits ? { limits: key.limits } : {};
  return { ...asked, key: key.id, mode: key.mode, meter, shard: 0, terms, ...own };
}

/**
 * A hold as `take` took it, with what is left of the limits. Throws why there is none: as the meter says or, where
 * that is still known, as it has said of a call like this one. `speaks` is whose rate-limit headers that is told in.
 * `whatFits` says what would make a call fit that costs more than there is.
 */
export async function holdOrRefuse(
  wanted: Hold,
  speaks: ProtocolName,
  deps: Pick<Deps, "refusals" | "now">,
  take: () => Promise<Taken>,
  whatFits?: Fit,
): Promise<{ hold: Hold; standing: Standing }> {
  const { hold, admission } = await deps.refusals.ask(wanted, take).catch((error: unknown) => {
    throw refuseUnmetered(error);
  });
  if (!admission.admitted) throw refuse(admission, hold, speaks, deps, whatFits);
  return { hold, standing: admission.standing };
}

/** A meter that cannot answer admits nobody: nothing is ever sent unmetered (design §4 "Overload"). */
export function refuseUnmetered(error: unknown): unknown {
  if (!isOverload(error)) return error;
  return new GatewayError("global_rate_limited", { headers: { "retry-after": "1" } });
}

/** The meter's refusal as an error, with the limits as they stand. */
function refuse(
  admission: Refusal,
  hold: Hold,
  speaks: ProtocolName,
  deps: Pick<Deps, "now">,
  whatFits: Fit | undefined,
): GatewayError {
  const { error, retry_after_seconds, standing } = admission;
  const message = shortfallMessage(admission, hold, whatFits);
  return new GatewayError(error, {
    ...(message === undefined ? {} : { message }),
    headers: {
      ...rateHeaders(speaks, standing, deps.now()),
      ...(retry_after_seconds === undefined ? {} : { "retry-after": String(retry_after_seconds) }),
      // A call that alone is over a limit never fits, and official SDKs would repeat a 429 all the same.
      ...(error === "rate_limited" && retry_after_seconds === undefined ? { "x-should-retry": "false" } : {}),
    },
  });
}
