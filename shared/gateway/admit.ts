/**
 * The decision to let a call in: one conditional write on the meter and the intent beside it, in
 * parallel, both acknowledged before a byte goes upstream (design §3).
 */
import type { Principal } from "../billing/account.ts";
import { holdPoints } from "../billing/charge.ts";
import type { Admission, Hold, Intent, Standing, Terms } from "../billing/meter.ts";
import { quotaPeriod } from "../billing/period.ts";
import { formatPoints } from "../billing/points.ts";
import type { PinnedPrice } from "../billing/price.ts";
import { inputTokensGuess, inputTokensMax, outputTokensGuess, outputTokensMax } from "../chat/estimate.ts";
import { GatewayError } from "../errors.ts";
import { isOverload } from "../platform/aws.ts";
import type { Decoded } from "./decode.ts";
import type { Deps } from "./deps.ts";
import { rateHeaders } from "./rate-headers.ts";

/** A call that holds its place on the meter. */
export interface Admitted extends Decoded {
  hold: Hold;
  price: PinnedPrice;
  /** The likely input tokens, for an estimate should the provider report nothing. */
  input_tokens: number;
  standing: Standing;
}

/**
 * Admits a call or throws why not: `insufficient_balance`, `subscription_lapsed`, `rate_limited`,
 * `quota_exhausted`, `account_frozen`, `invalid_key`, `global_rate_limited`. A refused call consumes nothing.
 */
export async function admit(decoded: Decoded, deps: Deps): Promise<Admitted> {
  const { model, call, size, principal, request } = decoded;
  const price = deps.catalog.price(model);
  // A context bounds one input, and a call for embeddings may bring many.
  const context = decoded.protocol.kind === "embedding" ? Number.POSITIVE_INFINITY : model.context_tokens;
  const input_tokens = inputTokensGuess(size, context);
  const bounds = {
    input_tokens: inputTokensMax(size, context),
    output_tokens: outputTokensMax(call, model.output_tokens),
    images: call.images ?? 0,
  };
  const { meter, terms } = meterOf(principal, deps, request.received_at);
  const hold: Hold = {
    request: request.id,
    key: principal.key.id,
    mode: principal.key.mode,
    meter,
    shard: 0,
    at: request.received_at,
    points: principal.key.mode === "payg" ? holdPoints(bounds, price) : 0n,
    tokens: terms ? input_tokens + outputTokensGuess(call, model.output_tokens) : 0,
    terms,
  };
  const standing = await take(hold, intentOf(decoded, hold, price, input_tokens), decoded, deps);
  return { ...decoded, hold, price, input_tokens, standing };
}

/** The meter of the key's billing mode and, for subscriptions, the limits of this instant. */
export function meterOf(
  { key, organization }: Principal,
  deps: Deps,
  now: number,
): { meter: string; terms: Terms | null } {
  if (key.mode === "payg") {
    if (!organization.wallet) throw new GatewayError("insufficient_balance");
    return { meter: organization.wallet.meter, terms: null };
  }
  const subscription = organization.subscription;
  if (!subscription || (subscription.ends_at !== null && subscription.ends_at <= now)) {
    throw new GatewayError("subscription_lapsed");
  }
  const plan = deps.catalog.plan(subscription.plan);
  if (!plan) throw new GatewayError("subscription_lapsed");
  const { id, ends_at } = quotaPeriod(subscription.started_at, now);
  return {
    meter: subscription.meter,
    terms: {
      quota: plan.quota[subscription.period],
      rpm: plan.rpm,
      tpm: plan.tpm,
      tpd: plan.tpd,
      period: { id, ends_at },
    },
  };
}

function intentOf(decoded: Decoded, hold: Hold, price: PinnedPrice, input_tokens: number): Intent {
  const { key } = decoded.principal;
  return {
    request: hold.request,
    kind: decoded.protocol.kind,
    organization: key.organization,
    project: key.project,
    key: key.id,
    model: decoded.model.id,
    mode: key.mode,
    meter: hold.meter,
    shard: hold.shard,
    price,
    input_tokens,
    hold_points: formatPoints(hold.points),
    hold_tokens: hold.tokens,
    period: hold.terms?.period.id ?? "",
    user: decoded.call.user,
  };
}

async function take(hold: Hold, intent: Intent, decoded: Decoded, deps: Deps): Promise<Standing> {
  const [admission, intended] = await Promise.allSettled([
    deps.meters.admit(hold),
    deps.meters.intend(intent),
  ]);
  if (admission.status === "rejected") throw refuseUnmetered(admission.reason);
  if (!admission.value.admitted) throw refuse(admission.value, decoded, deps);
  if (intended.status === "rejected") {
    await deps.meters.settle(hold, { points: 0n, tokens: 0, give_back: true, at: deps.now() });
    throw refuseUnmetered(intended.reason);
  }
  return admission.value.standing;
}

/** A meter that cannot answer admits nobody: nothing is ever sent unmetered (design §4, 42900). */
export function refuseUnmetered(error: unknown): unknown {
  if (!isOverload(error)) return error;
  return new GatewayError("global_rate_limited", { headers: { "retry-after": "1" } });
}

/** The meter's refusal as an error, with the limits as they stand. */
export function refuse(
  admission: Extract<Admission, { admitted: false }>,
  decoded: Decoded,
  deps: Deps,
): GatewayError {
  const { error, message, retry_after_seconds, standing } = admission;
  return new GatewayError(error, {
    ...(message === undefined ? {} : { message }),
    headers: {
      ...rateHeaders(decoded.protocol.name, standing, deps.now()),
      ...(retry_after_seconds === undefined ? {} : { "retry-after": String(retry_after_seconds) }),
    },
  });
}
