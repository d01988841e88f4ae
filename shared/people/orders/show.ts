/** Orders, plans and quotes as the console's routes show them. */

import { rfc3339 } from "../../books/billing/instant.ts";
import { formatMoney } from "../../books/billing/money.ts";
import { formatPoints } from "../../books/billing/points.ts";
import type { Plan } from "../../books/catalog/catalog.ts";
import type { Order, Refund } from "../payments/order.ts";
import { dealOf, promiseOf } from "../payments/plan-deal.ts";
import type { PlanQuote } from "../payments/plan-price.ts";
import type { PaymentMethod } from "../payments/recharge.ts";
import { isBooked, isOpen } from "../payments/states.ts";
import { worthPaid } from "./book.ts";

/**
 * An order for its customer. What is shown to pay is there only while it can be paid. `refundable` is what can be paid back
 * now, in minor units, where somebody has looked.
 */
export function showOrder(order: Order, refundable?: number) {
  const { id, kind, channel, currency, points, plan, state, paid, refunded = 0 } = order;
  const money = (amount: number) => formatMoney(amount, currency);
  const moment = (at: number | undefined) => (at === undefined ? null : rfc3339(at));
  return {
    object: "order" as const,
    ...{ id, kind, channel, state, currency, points },
    amount: money(order.amount),
    plan: plan ? { plan: plan.plan, period: plan.period, action: plan.action } : null,
    qr_code: isOpen(state) ? (order.qr_code ?? null) : null,
    pay_url: isOpen(state) ? (order.pay_url ?? null) : null,
    review: reviewOf(order),
    booked_as: order.booked_as ?? null,
    // A payment of another amount than ordered, which a person accepts, is worth other points.
    credited_points: paid && isBooked(order) ? formatPoints(worthPaid(order, paid)) : null,
    paid: paid ? money(paid.amount) : null,
    refunded: money(refunded + (paid?.returned ?? 0)),
    refundable: refundable === undefined ? null : money(refundable),
    created_at: rfc3339(order.created_at),
    expires_at: rfc3339(order.expires_at),
    asked_at: moment(order.asked_at),
    paid_at: moment(paid?.at),
    credited_at: moment(order.credited_at),
    closed_at: moment(order.closed_at),
  };
}

/** Why a person looks at an order. Only one that is booked goes to review because money went back (states.ts). */
function reviewOf(order: Order): "differs" | "paid_back" | null {
  if (order.state !== "review") return null;
  return isBooked(order) ? "paid_back" : "differs";
}

/** An order for the operator: also who ordered, the platform's own ids, and what is doubted. */
export function showOrderWhole(order: Order, refunds: readonly Refund[], refundable?: number) {
  const { organization, user, reference, paid, doubt, currency } = order;
  const { tries = 0, refunded = 0, returned = 0 } = order;
  const money = (amount: number) => formatMoney(amount, currency);
  return {
    ...showOrder(order, refundable),
    ...{ organization, user, reference: reference ?? null, tries },
    ...{ refunded: money(refunded), returned: money(returned + (paid?.returned ?? 0)) },
    payment: paid ? { transaction: paid.transaction, via: paid.via, at: rfc3339(paid.at) } : null,
    doubt: doubt
      ? {
          fields: doubt.fields.join(" "),
          transaction: doubt.transaction ?? null,
          // In the minor unit, because the currency may be another one.
          amount_minor: doubt.amount ?? null,
          currency: doubt.currency ?? null,
          refunded_minor: doubt.refunded ?? null,
          at: rfc3339(doubt.at),
          via: doubt.via,
        }
      : null,
    refunds: refunds.map(({ id, amount, points, state, reason, created_at }) => ({
      ...{ id, amount: money(amount), points, state, reason },
      created_at: rfc3339(created_at),
    })),
  };
}

/** What a plan costs now. `credit` is taken off for paid time that is not used. `deal` names it all in an order. */
export function showQuote(
  quote: PlanQuote,
  pay: number,
  { currency, channel }: PaymentMethod,
  credit: number,
) {
  return {
    object: "plan_quote" as const,
    ...{ plan: quote.plan, period: quote.period, action: quote.action, channel, currency },
    pay: formatMoney(pay, currency),
    deal: dealOf(promiseOf(quote), { currency, pay }),
    credit: formatMoney(credit, currency),
    from: rfc3339(quote.starts_at),
    until: rfc3339(quote.ends_at),
  };
}

/** A plan with its prices in points, what it gives, and what its calls may ask for. */
export function showPlan(
  name: string,
  { price, quota, rpm, tpm, tpd, models, routing, cache, n_max, tools, ways, video, list_points_max }: Plan,
) {
  return {
    object: "plan" as const,
    ...{ plan: name, price_points: price, quota, rpm, tpm, tpd, n_max },
    ...{ models, routing, cache, tools, ways, video, list_points_max },
  };
}
