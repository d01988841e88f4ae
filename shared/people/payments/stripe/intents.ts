/** Automatic orders at Stripe: a PaymentIntent that is opened, confirmed once without its person, or cancelled. */
import { Stripe } from "stripe";
import type { Declined } from "../order.ts";
import type { ChargedOrder, Evidence, OpenedOrder, PayableOrder, PaymentPlatform } from "../platform.ts";
import { orNone } from "./known.ts";

type CardPayment = Stripe.PaymentIntent;
type Automatic = NonNullable<PayableOrder["automatic"]>;

/** An automatic order as its payment is looked for. */
export type AutomaticOpened = OpenedOrder & { automatic: Automatic };

/** Codes after which Stripe's list of declines says to try again (https://docs.stripe.com/declines/codes). */
const retried = new Set([
  "approve_with_id",
  "issuer_not_available",
  "processing_error",
  "reenter_transaction",
  "try_again_later",
]);

/** Where a payment is looked for whose id we do not know: by when it was made. */
const searchBeforeMs = 60_000;
const searchAfterMs = 30 * 60_000;
const searchedMax = 300;

const expand = ["latest_charge"];

/** Opens a payment that charges nothing yet, and gives its id. */
export async function openIntent(
  { id, amount, currency, subject, automatic }: PayableOrder & { automatic: Automatic },
  sdk: Stripe,
): Promise<string> {
  const { customer, method } = automatic;
  const intent = await sdk.paymentIntents.create(
    {
      ...{ amount, currency: currency.toLowerCase(), customer, payment_method: method },
      allowed_payment_method_types: ["card"],
      // Else Stripe wants an address to send the person back to, and there is none.
      automatic_payment_methods: { enabled: true, allow_redirects: "never" },
      ...{ description: subject, metadata: { order: id } },
    },
    { idempotencyKey: `open-${id}` },
  );
  return intent.id;
}

/**
 * The payment of an automatic order; undefined if Stripe has none, as where its customer was deleted or the stage has the
 * key of another account by now.
 */
export async function findIntent(order: AutomaticOpened, sdk: Stripe): Promise<CardPayment | undefined> {
  const { id, created_at, reference, automatic } = order;
  if (reference !== undefined) {
    const intent = await orNone(sdk.paymentIntents.retrieve(reference, { expand }));
    if (!intent) return undefined;
    if (intent.id !== reference || intent.metadata.order !== id)
      throw new Error("an answer about something else");
    return intent;
  }
  const listed = sdk.paymentIntents
    .list({
      customer: automatic.customer,
      created: {
        gte: Math.floor((created_at - searchBeforeMs) / 1000),
        lte: Math.ceil((created_at + searchAfterMs) / 1000),
      },
      limit: 100,
      expand: expand.map((field) => `data.${field}`),
    })
    .autoPagingToArray({ limit: searchedMax });
  const intents = (await orNone(listed)) ?? [];
  const found = intents.find(({ metadata }) => metadata.order === id);
  if (!found && intents.length >= searchedMax) throw new Error("too many payments to search");
  return found;
}

/**
 * Charges a payment that is open, and gives what is known of it then. Stripe confirms only what is not paid, declined or
 * cancelled, and one confirmation at a time. So whoever comes second finds what the first has done.
 */
export async function chargeIntent(
  order: ChargedOrder,
  sdk: Stripe,
): Promise<Evidence | { declined: Declined }> {
  const known = await findIntent(order, sdk);
  if (!known) throw new Error("a payment that is gone");
  if (known.status !== "requires_confirmation") return answerOf(known, order.id);
  try {
    const sent = { off_session: true, expand };
    const intent = await sdk.paymentIntents.confirm(known.id, sent, { idempotencyKey: order.id });
    return answerOf(intent, order.id);
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeCardError)) throw error;
    // The payment itself says what it has come to, and says the same to whoever asks later.
    const intent = await findIntent(order, sdk);
    if (!intent) throw error;
    return answerOf(intent, order.id);
  }
}

/** Cancels a payment. `paid`: it was charged before. `declined`: it was tried, and its answer may never have come to us. */
export async function cancelIntent(
  order: AutomaticOpened,
  sdk: Stripe,
): ReturnType<PaymentPlatform["close"]> {
  const found = await findIntent(order, sdk);
  if (!found) return "absent";
  const cancelled = await sdk.paymentIntents.cancel(found.id).catch((error: unknown) => {
    if (error instanceof Stripe.errors.StripeInvalidRequestError) return undefined;
    throw error;
  });
  const now = cancelled ?? (await findIntent({ ...order, reference: found.id }, sdk));
  // Stripe clears the error of a payment that is changed.
  if (now?.status === "canceled") return declineOf(now) ?? declineOf(found) ?? "closed";
  if (now?.status === "succeeded") return "paid";
  if (now?.status === "processing") return "pending";
  throw new Error(`a payment that is ${now?.status}`);
}

function answerOf(payment: CardPayment, order: string): Evidence | { declined: Declined } {
  const { status } = payment;
  if (status !== "requires_payment_method" && status !== "requires_action")
    return evidenceOfIntent(payment, order);
  // Who is to authenticate is not there, whatever Stripe calls it.
  return declineOf(payment) ?? { declined: { code: "authentication_required", retry: false } };
}

/** Why the card of a payment was declined, if it was. */
function declineOf({ last_payment_error: error }: CardPayment): { declined: Declined } | undefined {
  if (!error) return undefined;
  const code = error.decline_code ?? error.code ?? error.type;
  return { declined: { code, retry: retried.has(code) } };
}

const states: Readonly<Partial<Record<CardPayment["status"], Evidence["state"]>>> = {
  succeeded: "paid",
  canceled: "closed",
};

/** What a payment says of its order. */
export function evidenceOfIntent(intent: CardPayment, order: string): Evidence {
  const { id, status, amount_received, currency, latest_charge, livemode } = intent;
  const charge = typeof latest_charge === "object" ? latest_charge : null;
  const refunded = charge?.amount_refunded ?? 0;
  const state = states[status] ?? "pending";
  return {
    ...{ channel: "stripe", order, accounts: { account: "own", mode: livemode ? "live" : "test" } },
    state: state === "paid" && refunded > 0 ? "refunded" : state,
    ...(state === "paid" && {
      ...{ transaction: id, amount: amount_received, currency: currency.toUpperCase() },
      ...(charge && { paid_at: charge.created * 1000 }),
      ...(refunded > 0 && { refunded }),
    }),
  };
}
