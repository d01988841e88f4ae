/** What the console's document says of orders and plans (edges/console/routes/payments.ts). */

import { consoleLimits } from "../../base/console-limits.ts";
import { dearCalls, paymentChannels } from "../../books/catalog/catalog.ts";
import { orderStates } from "../../people/payments/order.ts";
import type { paymentRoutes } from "../console/routes/payments.ts";
import type { ConsoleDescribed } from "./console-operation.ts";
import { topUpOperations, topUpSchemas } from "./console-operations-top-up.ts";
import {
  currency,
  id,
  idParameter,
  maybe,
  money,
  orderChannel,
  orderCurrency,
  plainList,
  planPeriod,
  text,
} from "./console-schemas.ts";
import { listForm, range } from "./parameters.ts";
import * as s from "./schema.ts";

const channel = s.oneOf(paymentChannels);

const action = s.oneOf(["buy", "renew", "upgrade"]);
const moment = (description: string) => s.orNull(s.such(s.instant, description));
const record = <T>(values: s.Schema<T>): s.Schema<Record<string, T>> => ({
  type: "object",
  additionalProperties: values,
});
const byPeriod = <T>(schema: s.Schema<T>) => s.closed({ monthly: schema, quarterly: schema, yearly: schema });

const order = {
  object: s.just("order"),
  id: id("ord"),
  kind: s.oneOf(["recharge", "plan"]),
  channel: orderChannel,
  state: s.such(s.oneOf(orderStates), "`credited`: it is paid and booked. `review`: somebody looks at it."),
  currency: orderCurrency,
  points: s.such(s.points, "What the amount is worth."),
  amount: s.such(money, "What is to be paid."),
  plan: s.orNull(s.closed({ plan: s.string, period: planPeriod, action })),
  qr_code: s.orNull(s.such(s.string, "What a QR code shows, while it can be paid.")),
  pay_url: s.orNull(s.such(s.string, "The page where it is paid, while it can be.")),
  review: s.orNull(
    s.such(s.oneOf(["differs", "paid_back"]), {
      description:
        "Why somebody looks at it: other money than was ordered came, or the platform paid it back.",
    }),
  ),
  booked_as: s.orNull(s.oneOf(["points", "plan"])),
  credited_points: s.orNull(
    s.such(s.points, "What the payment was booked as: `points`, unless another amount was paid."),
  ),
  paid: s.orNull(s.such(money, "What was paid.")),
  refunded: s.such(money, "What was paid back."),
  refundable: s.orNull(
    s.such(
      money,
      "What of it can be paid back now. Null where it is not booked, and where nobody has looked, as in lists.",
    ),
  ),
  created_at: s.instant,
  expires_at: s.such(s.instant, "Until when it can be paid."),
  asked_at: moment("When the platform was last asked."),
  paid_at: moment("When it was paid."),
  credited_at: moment("When it was booked."),
  closed_at: moment("When it ended unpaid."),
};

const exampleOrder = {
  ...{ object: "order", id: "ord_01KAJ2X5P00000000000000000", kind: "recharge", channel: "alipay" },
  ...{ state: "pending", currency: "CNY", points: "100", amount: "100.00", plan: null },
  ...{
    qr_code: "https://qr.alipay.com/bax0",
    pay_url: null,
    review: null,
    booked_as: null,
    credited_points: null,
    paid: null,
  },
  ...{
    refunded: "0.00",
    refundable: null,
    created_at: "2026-11-23T09:00:00.000Z",
    expires_at: "2026-11-23T09:15:00.000Z",
  },
  ...{ asked_at: null, paid_at: null, credited_at: null, closed_at: null },
};

export const paymentSchemas = {
  PaymentMethod: s.closed({
    currency,
    channels: s.such(s.list(channel), "Those that this console has."),
    points_per_unit: s.such(s.points, "Points for one unit of the currency."),
    min: s.such(money, "The least of one recharge."),
    max: s.such(money, "The most of one recharge."),
  }),
  Order: s.such(s.closed(order), { examples: [exampleOrder] }),
  OrderList: s.page(s.ref("Order")),
  ...topUpSchemas,
  Plan: s.closed({
    object: s.just("plan"),
    plan: s.string,
    price_points: byPeriod(s.points),
    prices: {
      description: "By currency, of those that this console can take.",
      ...record(byPeriod(money)),
    },
    quota: s.such(byPeriod(s.integer), "Calls a month."),
    rpm: s.orNull(s.integer),
    tpm: s.orNull(s.integer),
    tpd: s.orNull(s.integer),
    n_max: s.orNull(s.such(s.integer, "Answers that one call may ask for.")),
    models: s.such(s.list(s.string), "Patterns of ids, in which `*` stands for any characters."),
    routing: s.oneOf(["smart", "basic"]),
    cache: s.boolean,
    tools: s.such(record(s.integer), "By the name of the tool's rate: how often one call may run it."),
    ways: s.such(record(s.list(s.string)), "The service tiers and other ways that its calls may ask for."),
    video: s.closed({}, { resolutions: s.list(s.string), max_seconds: s.integer }),
    list_points_max: s.such(
      s.orNull(s.closed({ above: s.oneOf(dearCalls) }, { call: s.points, day: s.points })),
      "What one call, and all calls of a UTC day, may cost at list price. Above `call` a call is refused, or counts as several.",
    ),
  }),
  PlanQuote: s.such(
    s.closed({
      object: s.just("plan_quote"),
      ...{ plan: s.string, period: planPeriod, action, channel: orderChannel, currency: orderCurrency },
      pay: s.such(money, "What is to be paid now."),
      deal: s.such(s.string, "Names plan, time and price of this quote in an order."),
      credit: s.such(money, "What is taken off for paid time that is not used."),
      from: s.instant,
      until: s.instant,
    }),
    {
      examples: [
        {
          ...{ object: "plan_quote", plan: "lite", period: "monthly", action: "buy", channel: "alipay" },
          ...{ currency: "CNY", pay: "129.00", deal: "6c1f0b9d2e7a4835", credit: "0.00" },
          ...{ from: "2026-11-23T09:00:00.000Z", until: "2026-12-23T09:00:00.000Z" },
        },
      ],
    },
  ),
};

const plan = text("The name of a plan.", "lite");
const wantedCurrency = maybe(s.such(currency, "By default the first one of the channel."));
const orderErrors = ["payment_channel", "account_frozen", "payment_platform"] as const;
const lasts = `It can be paid for ${consoleLimits.orderLifeMs / 60_000} minutes.`;

export const paymentOperations = {
  list_payment_methods: {
    tag: "Payments",
    summary: "The currencies that points are sold in, and the channels of each",
    reply: plainList(s.ref("PaymentMethod")),
    errors: [],
  },
  create_recharge: {
    tag: "Payments",
    summary: "Order points",
    description: `The answer has what is shown to pay. ${lasts}`,
    once: true,
    request: {
      schema: s.closed(
        { amount: s.such(money, "Within the bounds of the payment method."), channel },
        { currency: wantedCurrency },
      ),
      example: { amount: "100.00", currency: "CNY", channel: "alipay" },
    },
    status: 201,
    reply: s.ref("Order"),
    errors: orderErrors,
  },
  list_recharges: {
    tag: "Payments",
    summary: "All orders of points and of plans, the newest first",
    query: [
      ...range(false),
      ...listForm({ json: consoleLimits.orderListMax, csv: consoleLimits.csvListMax }),
    ],
    content: { "application/json": s.ref("OrderList"), "text/csv": s.string },
    errors: ["invalid_request"],
  },
  show_recharge: {
    tag: "Payments",
    summary: "An order",
    description: "An order that waits is asked about at its platform, at most every three seconds.",
    parameter: idParameter("ord", "an order"),
    reply: s.ref("Order"),
    errors: ["order_not_found"],
  },
  close_recharge: {
    tag: "Payments",
    summary: "Close an order that is not paid",
    parameter: idParameter("ord", "an order"),
    reply: s.ref("Order"),
    errors: ["order_not_found", "invalid_state"],
  },
  list_plans: {
    tag: "Payments",
    summary: "The plans with their prices in points",
    reply: plainList(s.ref("Plan")),
    errors: [],
  },
  quote_plan: {
    tag: "Payments",
    summary: "What a plan costs now",
    query: [
      { name: "plan", schema: plan, required: true },
      { name: "period", schema: s.such(planPeriod, { default: "monthly" }) },
      {
        name: "channel",
        schema: orderChannel,
        description: "By default the first one that the console has.",
      },
      { name: "currency", schema: orderCurrency, description: "By default the first one of the channel." },
    ],
    reply: s.ref("PlanQuote"),
    errors: ["invalid_request", "payment_channel"],
  },
  create_plan_order: {
    tag: "Payments",
    summary: "Order a plan",
    description: `${lasts} With the channel \`points\` it is paid and booked at once, with points of the wallet. Then \`deal\` is needed, so that nobody pays another price than they have seen.`,
    once: true,
    request: {
      schema: s.closed(
        { plan, channel: orderChannel },
        {
          period: maybe(s.such(planPeriod, { default: "monthly" })),
          currency: maybe(s.such(orderCurrency, "By default the first one of the channel.")),
          deal: maybe(s.such(s.string, "Of the quote that was shown. Another deal by now is refused.")),
        },
      ),
      example: { plan: "lite", period: "monthly", channel: "alipay" },
    },
    status: 201,
    reply: s.ref("Order"),
    errors: [...orderErrors, "invalid_state", "insufficient_balance"],
  },
  ...topUpOperations,
  take_notice: {
    tag: "Payments",
    summary: "What a payment platform tells of an order",
    description:
      "For the platforms alone. The signature of the body proves who calls. The form of body and answer is the platform's.",
    parameter: { description: "The platform.", schema: channel },
    request: { schema: s.anything, example: {} },
    content: { "text/plain": s.string },
    errors: ["payment_channel", "payment_signature"],
  },
} satisfies Readonly<Record<(typeof paymentRoutes)[number]["operation"], ConsoleDescribed>>;
