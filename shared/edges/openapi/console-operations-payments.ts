/** What the console's document says of orders and plans (edges/console/routes/payments.ts). */

import { consoleLimits } from "../../base/console-limits.ts";
import { dearCalls, paymentChannels } from "../../books/catalog/catalog.ts";
import { orderStates } from "../../people/payments/order.ts";
import type { paymentRoutes } from "../console/routes/payments.ts";
import type { ConsoleDescribed } from "./console-operation.ts";
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
import {
  anything,
  boolean,
  closed,
  instant,
  integer,
  just,
  list,
  oneOf,
  orNull,
  page,
  points,
  ref,
  type Schema,
  string,
  such,
} from "./schema.ts";

const channel = oneOf(paymentChannels);

const action = oneOf(["buy", "renew", "upgrade"]);
const moment = (description: string) => orNull(such(instant, description));
const record = <T>(values: Schema<T>): Schema<Record<string, T>> => ({
  type: "object",
  additionalProperties: values,
});
const byPeriod = <T>(schema: Schema<T>) => closed({ monthly: schema, quarterly: schema, yearly: schema });

const order = {
  object: just("order"),
  id: id("ord"),
  kind: oneOf(["recharge", "plan"]),
  channel: orderChannel,
  state: such(oneOf(orderStates), "`credited`: it is paid and booked. `review`: somebody looks at it."),
  currency: orderCurrency,
  points: such(points, "What the amount is worth."),
  amount: such(money, "What is to be paid."),
  plan: orNull(closed({ plan: string, period: planPeriod, action })),
  qr_code: orNull(such(string, "What a QR code shows, while it can be paid.")),
  pay_url: orNull(such(string, "The page where it is paid, while it can be.")),
  review: orNull(
    such(oneOf(["differs", "paid_back"]), {
      description:
        "Why somebody looks at it: other money than was ordered came, or the platform paid it back.",
    }),
  ),
  booked_as: orNull(oneOf(["points", "plan"])),
  credited_points: orNull(
    such(points, "What the payment was booked as: `points`, unless another amount was paid."),
  ),
  paid: orNull(such(money, "What was paid.")),
  refunded: such(money, "What was paid back."),
  refundable: orNull(
    such(
      money,
      "What of it can be paid back now. Null where it is not booked, and where nobody has looked, as in lists.",
    ),
  ),
  created_at: instant,
  expires_at: such(instant, "Until when it can be paid."),
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
  PaymentMethod: closed({
    currency,
    channels: such(list(channel), "Those that this console has."),
    points_per_unit: such(points, "Points for one unit of the currency."),
    min: such(money, "The least of one recharge."),
    max: such(money, "The most of one recharge."),
  }),
  Order: such(closed(order), { examples: [exampleOrder] }),
  OrderList: page(ref("Order")),
  Plan: closed({
    object: just("plan"),
    plan: string,
    price_points: byPeriod(points),
    prices: {
      description: "By currency, of those that this console can take.",
      ...record(byPeriod(money)),
    },
    quota: such(byPeriod(integer), "Calls a month."),
    rpm: orNull(integer),
    tpm: orNull(integer),
    tpd: orNull(integer),
    n_max: orNull(such(integer, "Answers that one call may ask for.")),
    models: such(list(string), "Patterns of ids, in which `*` stands for any characters."),
    routing: oneOf(["smart", "basic"]),
    cache: boolean,
    tools: such(record(integer), "By the name of the tool's rate: how often one call may run it."),
    ways: such(record(list(string)), "The service tiers and other ways that its calls may ask for."),
    video: closed({}, { resolutions: list(string), max_seconds: integer }),
    list_points_max: such(
      orNull(closed({ above: oneOf(dearCalls) }, { call: points, day: points })),
      "What one call, and all calls of a UTC day, may cost at list price. Above `call` a call is refused, or counts as several.",
    ),
  }),
  PlanQuote: such(
    closed({
      object: just("plan_quote"),
      ...{ plan: string, period: planPeriod, action, channel: orderChannel, currency: orderCurrency },
      pay: such(money, "What is to be paid now."),
      deal: such(string, "Names plan, time and price of this quote in an order."),
      credit: such(money, "What is taken off for paid time that is not used."),
      from: instant,
      until: instant,
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
const wantedCurrency = maybe(such(currency, "By default the first one of the channel."));
const orderErrors = ["payment_channel", "account_frozen", "payment_platform"] as const;
const lasts = `It can be paid for ${consoleLimits.orderLifeMs / 60_000} minutes.`;

export const paymentOperations = {
  list_payment_methods: {
    tag: "Payments",
    summary: "The currencies that points are sold in, and the channels of each",
    reply: plainList(ref("PaymentMethod")),
    errors: [],
  },
  create_recharge: {
    tag: "Payments",
    summary: "Order points",
    description: `The answer has what is shown to pay. ${lasts}`,
    once: true,
    request: {
      schema: closed(
        { amount: such(money, "Within the bounds of the payment method."), channel },
        { currency: wantedCurrency },
      ),
      example: { amount: "100.00", currency: "CNY", channel: "alipay" },
    },
    status: 201,
    reply: ref("Order"),
    errors: orderErrors,
  },
  list_recharges: {
    tag: "Payments",
    summary: "All orders of points and of plans, the newest first",
    query: [
      ...range(false),
      ...listForm({ json: consoleLimits.orderListMax, csv: consoleLimits.csvListMax }),
    ],
    content: { "application/json": ref("OrderList"), "text/csv": string },
    errors: ["invalid_request"],
  },
  show_recharge: {
    tag: "Payments",
    summary: "An order",
    description: "An order that waits is asked about at its platform, at most every three seconds.",
    parameter: idParameter("ord", "an order"),
    reply: ref("Order"),
    errors: ["order_not_found"],
  },
  close_recharge: {
    tag: "Payments",
    summary: "Close an order that is not paid",
    parameter: idParameter("ord", "an order"),
    reply: ref("Order"),
    errors: ["order_not_found", "invalid_state"],
  },
  list_plans: {
    tag: "Payments",
    summary: "The plans with their prices in points",
    reply: plainList(ref("Plan")),
    errors: [],
  },
  quote_plan: {
    tag: "Payments",
    summary: "What a plan costs now",
    query: [
      { name: "plan", schema: plan, required: true },
      { name: "period", schema: such(planPeriod, { default: "monthly" }) },
      {
        name: "channel",
        schema: orderChannel,
        description: "By default the first one that the console has.",
      },
      { name: "currency", schema: orderCurrency, description: "By default the first one of the channel." },
    ],
    reply: ref("PlanQuote"),
    errors: ["invalid_request", "payment_channel"],
  },
  create_plan_order: {
    tag: "Payments",
    summary: "Order a plan",
    description: `${lasts} With the channel \`points\` it is paid and booked at once, with points of the wallet. Then \`deal\` is needed, so that nobody pays another price than they have seen.`,
    once: true,
    request: {
      schema: closed(
        { plan, channel: orderChannel },
        {
          period: maybe(such(planPeriod, { default: "monthly" })),
          currency: maybe(such(orderCurrency, "By default the first one of the channel.")),
          deal: maybe(such(string, "Of the quote that was shown. Another deal by now is refused.")),
        },
      ),
      example: { plan: "lite", period: "monthly", channel: "alipay" },
    },
    status: 201,
    reply: ref("Order"),
    errors: [...orderErrors, "invalid_state", "insufficient_balance"],
  },
  take_notice: {
    tag: "Payments",
    summary: "What a payment platform tells of an order",
    description:
      "For the platforms alone. The signature of the body proves who calls. The form of body and answer is the platform's.",
    parameter: { description: "The platform.", schema: channel },
    request: { schema: anything, example: {} },
    content: { "text/plain": string },
    errors: ["payment_channel", "payment_signature"],
  },
} satisfies Readonly<Record<(typeof paymentRoutes)[number]["operation"], ConsoleDescribed>>;
