/** Plans: what one costs now, and an order of it. */
import type { PlanPeriod } from "../../accounts/account.ts";
import { type ConsoleCall, callerOf } from "../../console/call.ts";
import { invalidRequest } from "../../errors.ts";
import { type HttpReply, jsonReply } from "../../http/message.ts";
import { readQuery } from "../../http/query.ts";
import { invalidField, optionalString, requiredString } from "../../json/fields.ts";
import { periodMonths } from "../../ledger/plan-fee.ts";
import { promiseOf } from "../../payments/plan-deal.ts";
import type { PlanQuote } from "../../payments/plan-price.ts";
import { methodOf, type PaymentMethod, priceIn } from "../../payments/recharge.ts";
import { createOrder } from "../orders/create.ts";
import { quoteNow } from "../orders/quote.ts";
import { showOrder, showQuote } from "../orders/show.ts";
import { orderedFrom, type PaymentAnswerDeps, readBody } from "./payment-requests.ts";

/** What a caller asks the price of. */
interface Wanted {
  plan: string;
  period: PlanPeriod;
  channel: string | undefined;
  currency: string | undefined;
}

/** `GET /api/v1/plans/quote?plan=&period=&channel=&currency=`. Without a channel it is the first that the stage has. */
export async function quotePlanOrder(call: ConsoleCall, deps: PaymentAnswerDeps): Promise<HttpReply> {
  const given = readQuery<Wanted>(call.request.query, {
    plan: (text, name) => {
      if (!text) throw invalidField(name, "the name of a plan");
      return text;
    },
    period: readPeriod,
    channel: (text) => text,
    currency: (text) => text,
  });
  const { quote, method, pay } = await priceOf(given, call, deps);
  const credit = priceIn(quote.price, method) - pay;
  return jsonReply(showQuote(quote, pay, method, credit));
}

/** `POST /api/v1/plan-orders`. Answers with 201 and the order. */
export async function createPlanOrder(call: ConsoleCall, deps: PaymentAnswerDeps): Promise<HttpReply> {
  const body = readBody(call, ["plan", "period", "channel", "currency"]);
  const wanted = {
    plan: requiredString(body, "plan"),
    period: readPeriod(optionalString(body, "period"), "period"),
    channel: requiredString(body, "channel"),
    currency: optionalString(body, "currency"),
  };
  const { quote, method, pay } = await priceOf(wanted, call, deps);
  const wantedOrder = { method, amount: pay, plan: promiseOf(quote) };
  const order = await createOrder(wantedOrder, orderedFrom(call, deps), deps);
  return { ...jsonReply(showOrder(order)), status: 201 };
}

async function priceOf(
  { plan, period, channel, currency }: Wanted,
  call: ConsoleCall,
  deps: PaymentAnswerDeps,
): Promise<{ quote: PlanQuote; method: PaymentMethod; pay: number }> {
  const available = await deps.platforms.channels();
  const wanted = { channel: channel ?? available[0], currency };
  const method = methodOf(wanted, deps.catalog.recharge(), available);
  const { id, subscription } = callerOf(call).organization;
  if (!subscription) throw invalidRequest("The organization has no subscription.");
  const asked = { wanted: { plan, period }, mayUpgrade: true };
  const quote = await quoteNow(id, subscription, asked, deps);
  const pay = priceIn(quote.price - quote.unused, method);
  if (pay === 0) throw invalidRequest("This plan costs less than the smallest amount of the currency.");
  return { quote, method, pay };
}

function readPeriod(given: string | undefined, name: string): PlanPeriod {
  if (given === undefined) return "monthly";
  if (!Object.hasOwn(periodMonths, given)) throw invalidField(name, "monthly, quarterly or yearly");
  return given as PlanPeriod;
}
