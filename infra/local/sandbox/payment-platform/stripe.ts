/** Plays Stripe, `/v1/…`: Checkout Sessions, refunds, and saved cards. */
import { createHmac, randomBytes } from "node:crypto";
import {
  headerOf,
  type Notice,
  type PlatformDeps,
  routeOf,
  type SandboxAnswer,
  type SandboxRequest,
} from "./answer.ts";
import { cardPageOf, cardRoutes, createCardPage, intentObject } from "./stripe-cards.ts";
import { StripeRefusal, type StripeRoute } from "./stripe-route.ts";
import type { Trade, TradeRefund } from "./trade.ts";
import { refundedOf } from "./trades.ts";

const idOf = (kind: string) => `${kind}_test_${randomBytes(24).toString("hex")}`;

const createSession: StripeRoute = (asked, deps) => {
  const { fields } = asked;
  const { trades, now } = deps;
  if (fields.mode === "setup") return createCardPage(asked, deps);
  const item = (name: string) => fields[`line_items[0][${name}`];
  const amount = Number(item("price_data][unit_amount]"));
  const currency = item("price_data][currency]") ?? "";
  const subject = item("price_data][product_data][name]") ?? "";
  const expires_at = Number(fields.expires_at) * 1000;
  const isRight =
    fields.mode === "payment" &&
    item("quantity]") === "1" &&
    Number.isSafeInteger(amount) &&
    amount > 0 &&
    /^[a-z]{3}$/.test(currency) &&
    subject !== "" &&
    URL.canParse(fields.success_url ?? "");
  if (!isRight) throw new StripeRefusal(400, "a field is missing or wrong");
  if (!(expires_at >= now() + 1_800_000 && expires_at <= now() + 86_400_000))
    throw new StripeRefusal(400, "expires_at has to be 30 minutes to 24 hours from now");
  const trade = trades.add({
    channel: "stripe",
    order: fields.client_reference_id ?? "",
    metadata: fields["metadata[order]"] === undefined ? {} : { order: fields["metadata[order]"] },
    reference: idOf("cs"),
    amount,
    currency: currency.toUpperCase(),
    subject,
    notify_url: "",
    return_url: String(fields.success_url),
    expires_at,
    scanned: true,
  });
  return { trade };
};

function sessionTrade(id: string, { trades }: PlatformDeps): Trade {
  const trade = trades.findBy("reference", id);
  if (trade?.channel !== "stripe" || trade.card)
    throw new StripeRefusal(404, `No such checkout.session: '${id}'`, { code: "resource_missing" });
  return trade;
}

const expireSession: StripeRoute = ({ id }, deps) => {
  const trade = sessionTrade(id, deps);
  if (trade.state !== "open" || trade.bank)
    throw new StripeRefusal(400, "Only Checkout Sessions with a status in [open] can be expired");
  trade.state = "closed";
  return { trade };
};

const listSessions: StripeRoute = ({ fields }, { trades }) => {
  const from = Number(fields["created[gte]"] ?? 0) * 1000;
  const to = Number(fields["created[lte]"] ?? Number.MAX_SAFE_INTEGER) * 1000;
  const found = trades
    .all()
    .filter(({ channel, card }) => channel === "stripe" && card === undefined)
    .filter(({ created_at }) => created_at >= from && created_at <= to)
    .toReversed();
  const after = found.findIndex(({ reference }) => reference === fields.starting_after) + 1;
  const limit = Number(fields.limit ?? 10);
  return { list: found.slice(after, after + limit), has_more: found.length > after + limit };
};

function paidTrade(intent: string | undefined, { trades }: PlatformDeps): Trade {
  const trade = trades.findBy("transaction", intent ?? "");
  if (trade?.channel !== "stripe")
    throw new StripeRefusal(404, `No such payment_intent: '${intent}'`, { code: "resource_missing" });
  return trade;
}

const createRefund: StripeRoute = ({ fields }, deps) => {
  const trade = paidTrade(fields.payment_intent, deps);
  const id = fields["metadata[refund]"] ?? idOf("re");
  const booked = deps.trades.refund(trade, id, Number(fields.amount ?? trade.paid));
  if (typeof booked === "string") throw new StripeRefusal(400, booked, { code: "charge_already_refunded" });
  return refundObject(booked.refund, trade);
};

const listRefunds: StripeRoute = ({ fields }, deps) => {
  const trade = paidTrade(fields.payment_intent, deps);
  const data = trade.refunds.map((refund) => refundObject(refund, trade));
  return { object: "list", url: "/v1/refunds", has_more: false, data };
};

const showSession: StripeRoute = ({ id }, deps) => cardPageOf(id, deps) ?? { trade: sessionTrade(id, deps) };

const routes: [method: string, path: RegExp, route: StripeRoute][] = [
  ...cardRoutes,
  ["POST", /^\/v1\/checkout\/sessions$/, createSession],
  ["GET", /^\/v1\/checkout\/sessions$/, listSessions],
  ["GET", /^\/v1\/checkout\/sessions\/([^/]+)$/, showSession],
  ["POST", /^\/v1\/checkout\/sessions\/([^/]+)\/expire$/, expireSession],
  ["POST", /^\/v1\/refunds$/, createRefund],
  ["GET", /^\/v1\/refunds$/, listRefunds],
];

/** Answers calls. It keeps the answers to idempotency keys, and gives them again. */
export class StripeAnswers {
  readonly #kept = new Map<string, { body: string; answer: SandboxAnswer }>();
  readonly #deps: PlatformDeps;

  constructor(deps: PlatformDeps) {
    this.#deps = deps;
  }

  answer(request: SandboxRequest): SandboxAnswer {
    const key = headerOf(request, "idempotency-key");
    const kept = this.#kept.get(key);
    try {
      if (headerOf(request, "authorization") !== `Bearer ${this.#deps.keys.stripe.secret_key}`)
        throw new StripeRefusal(401, "Invalid API Key provided");
      if (kept && kept.body !== request.body)
        throw new StripeRefusal(
          400,
          "Keys for idempotent requests can only be used with the same parameters",
          {
            type: "idempotency_error",
          },
        );
      const answer = kept?.answer ?? json(200, this.#result(request));
      if (key !== "") this.#kept.set(key, { body: request.body, answer });
      return answer;
    } catch (error) {
      if (!(error instanceof StripeRefusal)) throw error;
      return json(error.status, { error: error.error });
    }
  }

  #result(request: SandboxRequest): object {
    const found = routeOf(routes, request);
    if (!found) throw new StripeRefusal(404, `Unrecognized request URL (${request.method}: ${request.path})`);
    const text = request.method === "GET" ? request.query : request.body;
    const fields = Object.fromEntries(new URLSearchParams(text));
    const result = found.route({ fields, id: found.id }, this.#deps) as {
      trade?: Trade;
      list?: Trade[];
      has_more?: boolean;
    };
    // What a session says of its payment depends on what was asked for with it.
    const expanded = Object.entries(fields).some(
      ([name, value]) => name.startsWith("expand") && value.endsWith("payment_intent.latest_charge"),
    );
    const session = (trade: Trade) => sessionObject(trade, expanded, this.#deps);
    if (result.trade) return session(result.trade);
    if (!result.list) return result;
    const { list, has_more } = result;
    return { object: "list", url: "/v1/checkout/sessions", has_more, data: list.map(session) };
  }
}

function json(status: number, content: object): SandboxAnswer {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(content) };
}

function sessionObject(trade: Trade, expanded: boolean, { payPage }: PlatformDeps): object {
  const states = { open: "open", closed: "expired", paid: "complete" };
  return {
    id: trade.reference,
    object: "checkout.session",
    livemode: false,
    mode: "payment",
    client_reference_id: trade.order,
    metadata: trade.metadata ?? {},
    status: trade.bank ? "complete" : states[trade.state],
    payment_status: trade.state === "paid" ? "paid" : "unpaid",
    amount_total: trade.paid ?? trade.amount,
    currency: trade.currency.toLowerCase(),
    created: Math.floor(trade.created_at / 1000),
    expires_at: Math.floor(trade.expires_at / 1000),
    url: trade.state === "open" ? payPage(trade.reference) : null,
    payment_intent: expanded ? intentOf(trade) : (trade.transaction ?? null),
  };
}

function intentOf({ transaction, paid, paid_at, refunds, bank, ...trade }: Trade): object | null {
  if (transaction === undefined) return null;
  const waits = { id: transaction, object: "payment_intent", latest_charge: null };
  if (bank) return { ...waits, status: bank === "waits" ? "processing" : "requires_payment_method" };
  if (paid_at === undefined) return null;
  const amount_refunded = refundedOf({ ...trade, refunds });
  const latest_charge = {
    id: `ch_${transaction}`,
    object: "charge",
    created: Math.floor(paid_at / 1000),
    refunded: amount_refunded === paid,
    amount_refunded,
  };
  return { id: transaction, object: "payment_intent", status: "succeeded", latest_charge };
}

function refundObject({ id, amount, at }: TradeRefund, trade: Trade): object {
  return {
    id: `re_${id}`,
    object: "refund",
    amount,
    currency: trade.currency.toLowerCase(),
    created: Math.floor(at / 1000),
    payment_intent: trade.transaction,
    metadata: { refund: id, order: trade.order },
    status: "succeeded",
  };
}

/** The event that tells of a trade as it is: of its session, or of its charge once something of it went back. */
function eventOf(trade: Trade, deps: PlatformDeps): { type: string; object: object } {
  const { transaction, paid, paid_at = 0, bank, order, currency } = trade;
  const amount_refunded = refundedOf(trade);
  if (amount_refunded > 0) {
    const object = {
      ...{ id: `ch_${transaction}`, object: "charge", livemode: false, payment_intent: transaction },
      ...{ amount: paid, currency: currency.toLowerCase(), created: Math.floor(paid_at / 1000) },
      // What the merchant wrote on the payment is on its charge too.
      ...{ metadata: { order }, amount_refunded, refunded: amount_refunded === paid },
    };
    return { type: "charge.refunded", object };
  }
  if (trade.card) return { type: "payment_intent.succeeded", object: intentObject(trade) };
  const isRefused = bank === "refused";
  const type = isRefused ? "checkout.session.async_payment_failed" : "checkout.session.completed";
  return { type, object: sessionObject(trade, false, deps) };
}

/** What Stripe calls a merchant with about a trade. `forged`: signed with another secret. */
export function stripeNotice(trade: Trade, url: string, deps: PlatformDeps, forged = false): Notice {
  const created = Math.floor(deps.now() / 1000);
  const { type, object } = eventOf(trade, deps);
  const body = JSON.stringify({
    id: idOf("evt"),
    object: "event",
    api_version: "2026-10-28.endive",
    created,
    livemode: false,
    type,
    data: { object },
  });
  const secret = forged ? "another secret" : deps.keys.stripe.webhook_secret;
  const signature = createHmac("sha256", secret).update(`${created}.${body}`).digest("hex");
  const headers = { "content-type": "application/json", "stripe-signature": `t=${created},v1=${signature}` };
  return { url, headers, body };
}
