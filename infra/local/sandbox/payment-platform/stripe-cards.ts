/** Plays Stripe's saved cards: the page where one is saved, and payments that are charged to one. */
import type { PlatformDeps } from "./answer.ts";
import { type SandboxCard, type SandboxCardPage, stripeId } from "./saved-cards.ts";
import { StripeRefusal, type StripeRoute } from "./stripe-route.ts";
import { cardKinds, type Trade } from "./trade.ts";
import { refundedOf } from "./trades.ts";

const createCustomer: StripeRoute = ({ fields }, { cards }) => {
  const id = stripeId("cus");
  const organization = fields["metadata[organization]"] ?? "";
  cards.customers.set(id, { organization });
  return { id, object: "customer", livemode: false, metadata: { organization } };
};

const showCustomer: StripeRoute = ({ id }, { cards }) => {
  const organization = cards.customers.get(id)?.organization;
  if (organization === undefined)
    throw new StripeRefusal(404, `No such customer: '${id}'`, { code: "resource_missing" });
  return { id, object: "customer", livemode: false, metadata: { organization } };
};

/** A page of Checkout in the mode `setup`. */
export const createCardPage: StripeRoute = ({ fields }, deps) => {
  const { customer = "", success_url = "" } = fields;
  const isRight =
    deps.cards.customers.has(customer) &&
    fields["allowed_payment_method_types[0]"] === "card" &&
    URL.canParse(success_url);
  if (!isRight) throw new StripeRefusal(400, "a field is missing or wrong");
  const reference = stripeId("cs");
  const organization = fields["metadata[organization]"] ?? "";
  const page = { reference, customer, organization, return_url: success_url };
  deps.cards.pages.set(reference, page);
  return pageObject(page, deps);
};

/** A page as a session; undefined where the id is of none. */
export function cardPageOf(id: string, deps: PlatformDeps): object | undefined {
  const page = deps.cards.pages.get(id);
  return page && pageObject(page, deps);
}

function pageObject(
  { reference, customer, organization, method }: SandboxCardPage,
  deps: PlatformDeps,
): object {
  const card = deps.cards.card(method ?? "");
  return {
    ...{ id: reference, object: "checkout.session", livemode: false, mode: "setup", customer },
    ...{ metadata: { organization }, client_reference_id: organization },
    status: card ? "complete" : "open",
    url: card ? null : deps.cardPage(reference),
    setup_intent: card
      ? {
          ...{ id: `seti_${reference}`, object: "setup_intent", status: "succeeded" },
          ...{ customer, payment_method: cardObject(card) },
        }
      : null,
  };
}

function cardObject({ id, customer }: SandboxCard): object {
  const card = { brand: "visa", last4: "4242", exp_month: 8, exp_year: 2030 };
  return { id, object: "payment_method", type: "card", customer, card };
}

const listCards: StripeRoute = ({ id }, { cards }) => ({
  ...{ object: "list", url: `/v1/customers/${id}/payment_methods`, has_more: false },
  data: cards.of(id).map(cardObject),
});

const detachCard: StripeRoute = ({ id }, { cards }) => {
  const card = cards.card(id);
  if (!card?.customer) throw new StripeRefusal(400, "The payment method is not attached to a customer");
  card.customer = null;
  return cardObject(card);
};

const createIntent: StripeRoute = ({ fields }, { trades, cards }) => {
  const { customer = "", payment_method: method = "", currency = "" } = fields;
  const amount = Number(fields.amount);
  // Without it Stripe confirms no payment that names no address to come back to.
  const isAtOnce = fields["automatic_payment_methods[allow_redirects]"] === "never";
  const isRight = Number.isSafeInteger(amount) && amount > 0 && /^[a-z]{3}$/.test(currency) && isAtOnce;
  if (!isRight) throw new StripeRefusal(400, "a field is missing or wrong");
  if (cards.card(method)?.customer !== customer)
    throw new StripeRefusal(400, "The payment method does not belong to the customer", {
      code: "resource_missing",
    });
  const order = fields["metadata[order]"] ?? "";
  const trade = trades.add({
    ...{
      channel: "stripe",
      order,
      metadata: { order },
      reference: stripeId("pi"),
      card: { customer, method },
    },
    ...{ amount, currency: currency.toUpperCase(), subject: fields.description ?? "", notify_url: "" },
    ...{ expires_at: Number.POSITIVE_INFINITY, scanned: true },
  });
  return intentObject(trade);
};

function intentTrade(id: string, { trades, cards }: PlatformDeps): Trade {
  const trade = trades.findBy("reference", id);
  if (!trade?.card || !cards.customers.has(trade.card.customer))
    throw new StripeRefusal(404, `No such payment_intent: '${id}'`, { code: "resource_missing" });
  return trade;
}

const unexpected = { code: "payment_intent_unexpected_state" };

const confirmIntent: StripeRoute = ({ id, fields }, deps) => {
  const trade = intentTrade(id, deps);
  if (trade.state !== "open" || trade.declined !== undefined)
    throw new StripeRefusal(400, `This PaymentIntent is ${trade.state} and cannot be confirmed`, unexpected);
  if (fields.off_session !== "true") throw new StripeRefusal(400, "nobody is there to authenticate");
  const card = deps.cards.card(trade.card?.method ?? "");
  if (!card?.customer) throw new StripeRefusal(400, "The payment method was detached from its customer");
  const decline = cardKinds[card.kind][2];
  if (decline !== undefined) {
    trade.declined = decline;
    const code = decline === "authentication_required" ? decline : "card_declined";
    throw new StripeRefusal(402, "Your card was declined.", {
      type: "card_error",
      code,
      decline_code: decline,
    });
  }
  deps.trades.pay(trade, trade.amount);
  trade.transaction = trade.reference;
  deps.tell(trade);
  return intentObject(trade);
};

const cancelIntent: StripeRoute = ({ id }, deps) => {
  const trade = intentTrade(id, deps);
  if (trade.state !== "open")
    throw new StripeRefusal(400, `This PaymentIntent is ${trade.state} and cannot be canceled`, unexpected);
  trade.state = "closed";
  return intentObject(trade);
};

const listIntents: StripeRoute = ({ fields }, { trades }) => {
  const found = trades.all().filter(({ card }) => card !== undefined && card.customer === fields.customer);
  const data = found.toReversed().map(intentObject);
  return { object: "list", url: "/v1/payment_intents", has_more: false, data };
};

/** A payment that is charged to a card. */
export function intentObject(trade: Trade): object {
  const { reference, amount, currency, state, declined, paid, paid_at = 0, metadata, card } = trade;
  const statuses = { paid: "succeeded", closed: "canceled", open: "requires_confirmation" };
  const amount_refunded = refundedOf(trade);
  const error = declined !== undefined && {
    code: "card_declined",
    decline_code: declined,
    type: "card_error",
  };
  return {
    ...{ id: reference, object: "payment_intent", livemode: false, metadata, customer: card?.customer },
    ...{ amount, amount_received: paid ?? 0, currency: currency.toLowerCase() },
    status: error && state === "open" ? "requires_payment_method" : statuses[state],
    last_payment_error: error || null,
    latest_charge:
      state === "paid"
        ? {
            ...{ id: `ch_${reference}`, object: "charge", created: Math.floor(paid_at / 1000) },
            ...{ amount_refunded, refunded: amount_refunded === paid },
          }
        : null,
  };
}

/** The routes of customers, cards and their payments. */
export const cardRoutes: [method: string, path: RegExp, route: StripeRoute][] = [
  ["POST", /^\/v1\/customers$/, createCustomer],
  ["GET", /^\/v1\/customers\/([^/]+)$/, showCustomer],
  ["GET", /^\/v1\/customers\/([^/]+)\/payment_methods$/, listCards],
  ["POST", /^\/v1\/payment_methods\/([^/]+)\/detach$/, detachCard],
  ["POST", /^\/v1\/payment_intents$/, createIntent],
  ["GET", /^\/v1\/payment_intents$/, listIntents],
  ["GET", /^\/v1\/payment_intents\/([^/]+)$/, ({ id }, deps) => intentObject(intentTrade(id, deps))],
  ["POST", /^\/v1\/payment_intents\/([^/]+)\/confirm$/, confirmIntent],
  ["POST", /^\/v1\/payment_intents\/([^/]+)\/cancel$/, cancelIntent],
];
