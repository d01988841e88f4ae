/** What Stripe's Checkout Sessions say of an order. */
import type { Stripe } from "stripe";
import type { Evidence } from "../platform.ts";
import type { StripeSettings } from "../settings.ts";
import { evidenceOfIntent } from "./intents.ts";

export type CheckoutSession = Stripe.Checkout.Session;

/** Events that may have changed what we know of an order, and how each is read: of a page, a charged card, a refund. */
const evidences = new Map<string, (object: never, order: string) => Evidence>([
  ["checkout.session.completed", evidenceOfSession],
  ["checkout.session.async_payment_succeeded", evidenceOfSession],
  ["checkout.session.async_payment_failed", evidenceOfSession],
  ["checkout.session.expired", evidenceOfSession],
  ["payment_intent.succeeded", evidenceOfIntent],
  ["charge.refunded", evidenceOfCharge],
]);

/** Our account as evidence names it. Only an event of another, connected account names one. */
export function accountsOf(settings: StripeSettings): Record<string, string> {
  return { account: "own", mode: isLive(settings) ? "live" : "test" };
}

/** Whether our key moves real money. */
export function isLive({ secretKey }: StripeSettings): boolean {
  return secretKey.includes("_live_");
}

/** What an event says of an order. `null` where it is about something else, or about an order of another program. */
export function evidenceOfEvent(event: Stripe.Event): Evidence | null {
  const { type, data, account, created } = event;
  if (type === "refund.failed") return evidenceOfFailedRefund(event, data.object);
  const evidenceOf = evidences.get(type);
  if (!evidenceOf) return null;
  const object = data.object as CheckoutSession | Stripe.Charge | Stripe.PaymentIntent;
  const order = orderOf(object);
  if (!order?.startsWith("ord_")) return null;
  const evidence = evidenceOf(object as never, order);
  const accounts = { ...evidence.accounts, ...(account && { account }) };
  return { ...evidence, accounts, ...(evidence.state === "paid" && { paid_at: created * 1000 }) };
}

/** The order in our metadata. `client_reference_id` proves nothing: whoever opens a payment link chooses it. */
export function orderOf({
  metadata,
}: Pick<CheckoutSession | Stripe.Charge | Stripe.PaymentIntent, "metadata">): string | undefined {
  return metadata?.order;
}

/** What a session says of its order. */
export function evidenceOfSession(session: CheckoutSession, order: string): Evidence {
  const { payment_intent, amount_total, currency } = session;
  const intent = typeof payment_intent === "string" ? undefined : payment_intent;
  const charge = chargeOf(session);
  const transaction = typeof payment_intent === "string" ? payment_intent : intent?.id;
  return {
    channel: "stripe",
    order,
    accounts: { account: "own", mode: session.livemode ? "live" : "test" },
    state: stateOf(session, charge),
    ...(transaction && { transaction }),
    // Stripe counts in the currency's smallest unit, as we do (settings.ts leaves out those where the two differ).
    ...(amount_total !== null && { amount: amount_total }),
    ...(currency !== null && { currency: currency.toUpperCase() }),
    ...(charge && { paid_at: charge.created * 1000 }),
    ...(charge?.amount_refunded && { refunded: charge.amount_refunded }),
  };
}

/** What a charge says of which something went back, whoever asked for it. */
function evidenceOfCharge(charge: Stripe.Charge, order: string): Evidence {
  const { payment_intent, amount, currency, amount_refunded, livemode, created } = charge;
  const transaction = typeof payment_intent === "string" ? payment_intent : payment_intent?.id;
  return {
    channel: "stripe",
    order,
    accounts: { account: "own", mode: livemode ? "live" : "test" },
    state: "refunded",
    ...(transaction && { transaction }),
    ...{ amount, currency: currency.toUpperCase(), refunded: amount_refunded, paid_at: created * 1000 },
  };
}

/** What a refund's late failure says: the customer's bank sent the money back. `null`: not asked for by us. */
function evidenceOfFailedRefund({ livemode, account }: Stripe.Event, refund: Stripe.Refund): Evidence | null {
  const { order, refund: id } = refund.metadata ?? {};
  if (!order?.startsWith("ord_") || !id) return null;
  const accounts = { account: account ?? "own", mode: livemode ? "live" : "test" };
  return { channel: "stripe", order, accounts, state: "refund_failed", refund: id };
}

/** The payment of a session that was asked for with it. */
function chargeOf({ payment_intent }: CheckoutSession): Stripe.Charge | undefined {
  if (typeof payment_intent === "string") return undefined;
  const charge = payment_intent?.latest_charge;
  return typeof charge === "object" && charge !== null ? charge : undefined;
}

function stateOf(session: CheckoutSession, charge: Stripe.Charge | undefined): Evidence["state"] {
  const { payment_status, status, payment_intent } = session;
  // `refunded` alone would say nothing of a part.
  if (payment_status === "paid") return charge?.refunded || charge?.amount_refunded ? "refunded" : "paid";
  if (status === "expired") return "closed";
  // A session that is complete and not paid waits for a bank. Once the bank has refused, nobody can pay it any more.
  const intent = typeof payment_intent === "string" ? undefined : payment_intent;
  return status === "complete" && refusedByBank.has(intent?.status ?? "") ? "closed" : "pending";
}

/** The states of a payment after its bank has refused it. */
const refusedByBank = new Set(["requires_payment_method", "canceled"]);
