/** Plans: what one costs now, and an order of it. */

import { invalidRequest } from "../../../base/errors.ts";
import { jsonReply } from "../../../base/http/message.ts";
import { readQuery } from "../../../base/http/query.ts";
import { invalidField, optionalString, requiredString } from "../../../base/json/fields.ts";
import type { PlanChoice, PlanPeriod } from "../../../books/accounts/account.ts";
import { periodMonths } from "../../../books/ledger/plan-fee.ts";
import { createOrder, onceByKey } from "../../../people/orders/create.ts";
import { payWithPoints } from "../../../people/orders/pay-with-points.ts";
import { checkDeal, quoteNow, toPay } from "../../../people/orders/quote.ts";
import { showOrder, showQuote } from "../../../people/orders/show.ts";
import type { Order } from "../../../people/payments/order.ts";
import { promiseOf } from "../../../people/payments/plan-deal.ts";
import type { PlanQuote } from "../../../people/payments/plan-price.ts";
import { methodOf, type PaymentMethod, priceIn, walletMethod } from "../../../people/payments/recharge.ts";
import type { ConsoleBody } from "../../openapi/route-types.ts";
import { type ConsoleCall, callerOf } from "../call.ts";
import { orderedFrom, type PaymentAnswerDeps, readBody } from "./payment-requests.ts";

interface QuoteRequest {
  plan: string;
  period: PlanPeriod;
  channel: string | undefined;
  currency: string | undefined;
}

/** `GET /api/v1/plans/quote?plan=&period=&channel=&currency=`. Without a channel it is the first that the stage has. */
export async function quotePlanOrder(call: ConsoleCall, deps: PaymentAnswerDeps) {
  const given = readQuery<QuoteRequest>(call.request.query, {
    plan: (text, name) => {
      if (!text) throw invalidField(name, "the name of a plan");
      return text;
    },
    period: readPeriod,
    channel: (text) => text,
    currency: (text) => text,
  });
  const method = await methodFor(given, deps);
  const { quote, pay } = await priceOf({ ...given, method }, call, deps);
  const credit = priceIn(quote.price, method) - pay;
  return jsonReply(showQuote(quote, pay, method, credit));
}

/** `POST /api/v1/plan-orders`. Answers with 201 and the order. */
export async function createPlanOrder(call: ConsoleCall, deps: PaymentAnswerDeps) {
  const body = readBody<keyof ConsoleBody<"create_plan_order">>(call, [
    "plan",
    "period",
    "channel",
    "currency",
    "deal",
  ]);
  const plan = {
    plan: requiredString(body, "plan"),
    period: readPeriod(optionalString(body, "period"), "period"),
  };
  const way = { channel: requiredString(body, "channel"), currency: optionalString(body, "currency") };
  const method = await methodFor(way, deps);
  const deal = method === walletMethod ? requiredString(body, "deal") : optionalString(body, "deal");
  const order = await orderPlan({ plan, method, deal }, call, deps);
  return jsonReply(showOrder(order), 201);
}

async function orderPlan(
  { plan, method, deal }: { plan: PlanChoice; method: PaymentMethod; deal: string | undefined },
  call: ConsoleCall,
  deps: PaymentAnswerDeps,
): Promise<Order> {
  const from = orderedFrom(call, deps);
  if (method === walletMethod) return await payWithPoints({ plan, deal: deal ?? "" }, from, deps);
  const make = async () => {
    const { quote, pay } = await priceOf({ ...plan, method }, call, deps);
    if (deal !== undefined) checkDeal(deal, quote, method);
    return await createOrder({ method, amount: pay, plan: promiseOf(quote) }, from, deps);
  };
  return await onceByKey({ method, plan }, from, make, deps);
}

/** How a plan is paid. Without a channel it is the first that the stage has. Throws `payment_channel`. */
async function methodFor(
  { channel, currency }: Pick<QuoteRequest, "channel" | "currency">,
  { platforms, catalog }: Pick<PaymentAnswerDeps, "platforms" | "catalog">,
): Promise<PaymentMethod> {
  if (channel === walletMethod.channel && (currency ?? walletMethod.currency) === walletMethod.currency)
    return walletMethod;
  const available = await platforms.channels();
  return methodOf({ channel: channel ?? available[0], currency }, catalog.recharge(), available);
}

async function priceOf(
  { plan, period, method }: PlanChoice & { method: PaymentMethod },
  call: ConsoleCall,
  deps: PaymentAnswerDeps,
): Promise<{ quote: PlanQuote; pay: number }> {
  const { id, subscription } = callerOf(call).organization;
  if (!subscription) throw invalidRequest("The organization has no subscription.");
  const asked = { wanted: { plan, period }, mayUpgrade: true };
  const quote = await quoteNow(id, subscription, asked, deps);
  return { quote, pay: toPay(quote, method) };
}

function readPeriod(given: string | undefined, name: string): PlanPeriod {
  if (given === undefined) return "monthly";
  if (!Object.hasOwn(periodMonths, given)) throw invalidField(name, "monthly, quarterly or yearly");
  return given as PlanPeriod;
}
