/** Stripe: an order is paid on the page of a Checkout Session, or charged to a saved card (auto-top-up.md). */
import { Stripe } from "stripe";
import { consoleLimits } from "../../../base/console-limits.ts";
import { GatewayError } from "../../../base/errors.ts";
import { describeError } from "../../../base/platform/log.ts";
import { type ChannelDeps, createPlatformCalls, type PlatformCalls } from "../ask.ts";
import { NoticeRefused, type OpenedOrder, type PaymentPlatform, type RefundRequest } from "../platform.ts";
import type { StripeSettings } from "../settings.ts";
import { cardOfPage, detachCards, openCardPage } from "./cards.ts";
import {
  accountsOf,
  type CheckoutSession,
  evidenceOfEvent,
  evidenceOfSession,
  isLive,
  orderOf,
} from "./evidence.ts";
import { createStripeHttpClient } from "./http-client.ts";
import {
  type AutomaticOpened,
  cancelIntent,
  chargeIntent,
  evidenceOfIntent,
  findIntent,
  openIntent,
} from "./intents.ts";

/** Stripe keeps a page open for 30 minutes at least. One more is for the time until it gets the request. */
const pageLifeMs = 31 * 60_000;

/** Where a session is looked for whose id we do not know: by when it was made. */
const searchBeforeMs = 60_000;
const searchAfterMs = 30 * 60_000;
const searchedSessionsMax = 300;

/** The channel of one account. */
export function createStripe(settings: StripeSettings, deps: ChannelDeps): PaymentPlatform {
  const { failed } = createPlatformCalls("stripe", deps);
  const sdk = createSdk(settings, deps);
  const find = (order: OpenedOrder) => guarded("query", () => findSession(order, sdk), failed);

  const query: PaymentPlatform["query"] = async (order) => {
    if (isAutomatic(order)) {
      const intent = await guarded("query", () => findIntent(order, sdk), failed);
      if (intent) return evidenceOfIntent(intent, order.id);
    } else {
      const session = await find(order);
      if (session) return evidenceOfSession(session, order.id);
    }
    return { channel: "stripe", order: order.id, accounts: accountsOf(settings), state: "absent" };
  };

  const queryRefund: PaymentPlatform["queryRefund"] = (refund) =>
    guarded("query refund", () => findRefund(refund, sdk), failed);

  return {
    channel: "stripe",
    accounts: accountsOf(settings),
    currencies: settings.currencies,
    query,
    queryRefund,

    cards: cardsOf(settings, sdk, failed),

    async open(order) {
      if (isAutomatic(order))
        return { reference: await guarded("open", () => openIntent(order, sdk), failed) };
      const { id, url } = await guarded("open", () => createSession(order, sdk), failed);
      if (!id || !url) throw failed("open", "no page");
      return { pay_url: url, reference: id };
    },

    async close(order) {
      if (isAutomatic(order)) return await guarded("close", () => cancelIntent(order, sdk), failed);
      const session = await find(order);
      if (!session) return "absent";
      const isExpired = await guarded("close", () => expire(session.id, sdk), failed);
      if (isExpired) return "closed";
      const now = await find({ ...order, reference: session.id });
      if (!now) return "absent";
      const { state } = evidenceOfSession(now, order.id);
      if (state === "closed") return state;
      if (state === "paid" || state === "refunded") return "paid";
      if (now.status !== "complete") throw failed("close", `a session that is ${now.status}`);
      // Stripe ends no session whose customer has paid by a bank that has not answered yet.
      return "pending";
    },

    async refund(refund) {
      // Stripe forgets an idempotency key after a day, and would pay back again.
      const found = await queryRefund(refund);
      return found === "absent" ? await guarded("refund", () => createRefund(refund, sdk), failed) : found;
    },

    readNotice: async ({ headers, body }) => {
      const { noticeAgeSecondsMax: tolerance } = consoleLimits;
      const signature = headers["stripe-signature"] ?? "";
      const event = await Stripe.webhooks
        .constructEventAsync(body, signature, settings.webhookSecret, tolerance, undefined, deps.now())
        .catch((error: unknown) => {
          throw new NoticeRefused(signature === "" ? "no signature" : refusalOf(error));
        });
      return evidenceOfEvent(event);
    },
    accepted: () => ({ status: 200, headers: {}, body: "" }),
  };
}

function isAutomatic<Asked extends OpenedOrder>(order: Asked): order is Asked & AutomaticOpened {
  return order.automatic !== undefined;
}

/** The cards of an account. */
function cardsOf(
  settings: StripeSettings,
  sdk: Stripe,
  failed: PlatformCalls["failed"],
): NonNullable<PaymentPlatform["cards"]> {
  const mode = isLive(settings) ? "live" : "test";
  return {
    openPage: (wanted) => guarded("open card page", () => openCardPage(wanted, sdk), failed),
    cardOf: (page) => guarded("query card page", () => cardOfPage(page, mode, sdk), failed),
    detach: (customer) => guarded("detach cards", () => detachCards(customer, sdk), failed),
    charge: (order) => guarded("charge", () => chargeIntent(order, sdk), failed),
  };
}

function createSdk({ secretKey, baseUrl }: StripeSettings, { send }: ChannelDeps): Stripe {
  const { protocol, hostname, port } = new URL(baseUrl);
  return new Stripe(secretKey, {
    protocol: protocol === "http:" ? "http" : "https",
    host: hostname,
    port: port || "443",
    httpClient: createStripeHttpClient(send),
    // Who asks decides when to ask again.
    maxNetworkRetries: 0,
    telemetry: false,
  });
}

/** Runs requests. What Stripe refused, or did not answer, becomes `payment_platform`. */
async function guarded<Result>(
  operation: string,
  run: () => Promise<Result>,
  failed: PlatformCalls["failed"],
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    throw failed(operation, reasonOf(error));
  }
}

/** Why a request failed. Stripe's messages may quote a part of our key, so only its codes are told. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Stripe.errors.StripeError)) return describeError(error);
  const { type, code, statusCode, detail } = error;
  const cause = detail instanceof Error ? describeError(detail) : undefined;
  return [type, code, statusCode, cause].filter((part) => part !== undefined).join(" ");
}

function refusalOf(error: unknown): string {
  const isOld = error instanceof Error && error.message.startsWith("Timestamp outside");
  return isOld ? "a time that is too far from ours" : "wrong signature";
}

async function createSession(
  order: Parameters<PaymentPlatform["open"]>[0],
  sdk: Stripe,
): Promise<CheckoutSession> {
  const { id, amount, currency, subject, return_url } = order;
  const price = { currency: currency.toLowerCase(), unit_amount: amount, product_data: { name: subject } };
  return await sdk.checkout.sessions.create(
    {
      mode: "payment",
      client_reference_id: id,
      metadata: { order: id },
      line_items: [{ quantity: 1, price_data: price }],
      payment_intent_data: { metadata: { order: id } },
      // Otherwise Stripe may let the customer pay in another currency.
      adaptive_pricing: { enabled: false },
      success_url: return_url,
      cancel_url: return_url,
      expires_at: Math.floor((order.expires_at + pageLifeMs) / 1000),
    },
    { idempotencyKey: `open-${id}` },
  );
}

/** The session of an order with its payment; undefined if Stripe has none. */
async function findSession(
  { id, created_at, reference }: OpenedOrder,
  sdk: Stripe,
): Promise<CheckoutSession | undefined> {
  const expand = ["payment_intent.latest_charge"];
  if (reference !== undefined) {
    const session = await foundOr404(sdk.checkout.sessions.retrieve(reference, { expand }));
    if (session && (session.id !== reference || orderOf(session) !== id))
      throw new Error("an answer about something else");
    return session;
  }
  const sessions = await sdk.checkout.sessions
    .list({
      created: {
        gte: Math.floor((created_at - searchBeforeMs) / 1000),
        lte: Math.ceil((created_at + searchAfterMs) / 1000),
      },
      limit: 100,
      expand: expand.map((field) => `data.${field}`),
    })
    .autoPagingToArray({ limit: searchedSessionsMax });
  const found = sessions.find((session) => orderOf(session) === id);
  if (!found && sessions.length >= searchedSessionsMax) throw new Error("too many sessions to search");
  return found;
}

async function foundOr404<Found>(asked: Promise<Found>): Promise<Found | undefined> {
  return await asked.catch((error: unknown) => {
    if (error instanceof Stripe.errors.StripeInvalidRequestError && error.statusCode === 404)
      return undefined;
    throw error;
  });
}

/** Whether Stripe has ended a session. It does so only while nobody has paid. */
async function expire(session: string, sdk: Stripe): Promise<boolean> {
  try {
    return (await sdk.checkout.sessions.expire(session)).status === "expired";
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError) return false;
    throw error;
  }
}

type RefundState = "done" | "pending" | "refused";

const refundStates: Readonly<Record<string, RefundState>> = {
  succeeded: "done",
  pending: "pending",
  requires_action: "pending",
  failed: "refused",
  canceled: "refused",
};

function stateOfRefund({ status }: Stripe.Refund): RefundState {
  const state = refundStates[status ?? ""];
  if (state === undefined) throw new Error("a refund in a state that is not known");
  return state;
}

async function findRefund({ id, transaction }: RefundRequest, sdk: Stripe): Promise<RefundState | "absent"> {
  const refunds = await sdk.refunds.list({ payment_intent: transaction, limit: 100 });
  const found = refunds.data.find(({ metadata }) => metadata?.refund === id);
  return found ? stateOfRefund(found) : "absent";
}

async function createRefund({ id, order, transaction, amount, reason }: RefundRequest, sdk: Stripe) {
  try {
    const metadata = { refund: id, order: order.id, reason: reason.slice(0, 500) };
    const created = { payment_intent: transaction, amount, metadata };
    return stateOfRefund(await sdk.refunds.create(created, { idempotencyKey: `refund-${id}` }));
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError) return "refused";
    throw error;
  }
}
