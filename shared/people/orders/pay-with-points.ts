/**
 * A plan that points of the wallet pay for, ordered and booked at once (people/payments/README.md "Plans for points").
 */
import { invalidRequest, invalidState } from "../../base/errors.ts";
import type { Order } from "../payments/order.ts";
import { promiseOf } from "../payments/plan-deal.ts";
import { feeFor, type PlanQuote } from "../payments/plan-price.ts";
import { walletMethod as method, worthOf } from "../payments/recharge.ts";
import { referenceOf } from "./book.ts";
import {
  claimOf,
  knownOf,
  newOrder,
  type OrderedFrom,
  type OrderRequest,
  onceByKey,
  repeated,
  tellMade,
  walletOf,
} from "./create.ts";
import { audit, type OrderDeps } from "./deps.ts";
import { checkDeal, quoteNow, toPay } from "./quote.ts";

/** A subscription changes seldom, and an order that meets a change looks at its price again. */
const roundsMax = 5;

interface WantedDeal extends Required<Pick<OrderRequest, "plan">> {
  deal: string;
}

/**
 * Takes the points of a plan out of the wallet and books the plan, in one transaction. Gives the order, which is credited.
 * A request that repeats an `Idempotency-Key` gets the order of the first request. Throws `invalid_state` where the plan is
 * another deal by now than the one that was shown, or keeps changing, `insufficient_balance` where fewer points are free, and what `createOrder`
 * throws of requests. Then nothing is taken.
 */
export async function payWithPoints(wanted: WantedDeal, from: OrderedFrom, deps: OrderDeps): Promise<Order> {
  return await onceByKey({ method, plan: wanted.plan }, from, () => bookAtOnce(wanted, from, deps), deps);
}

async function bookAtOnce({ plan, deal }: WantedDeal, from: OrderedFrom, deps: OrderDeps): Promise<Order> {
  const { meter } = walletOf(from);
  const claim = claimOf({ method, plan }, from);
  const { id: organization } = from.caller.organization;
  for (let round = 0; round < roundsMax; round++) {
    const subscription = (await deps.accounts.organization(organization))?.subscription;
    if (!subscription) throw invalidRequest("The organization has no subscription.");
    const quote = await quoteNow(organization, subscription, { wanted: plan, mayUpgrade: true }, deps);
    checkDeal(deal, quote, method);
    const order = paidOrder(quote, from, deps.now());
    const points = worthOf(order.amount, method);
    const made = await deps.orders.buy(
      order,
      {
        payment: {
          ...{ organization, meter, points: -points, kind: "plan" },
          ...{ reference: referenceOf(order), at: order.created_at },
        },
        fee: feeFor(quote, points, order.id),
        before: subscription,
        after: quote.after,
      },
      claim,
    );
    if (made.outcome === "changed") continue;
    const known = knownOf(made, order);
    if (known) return await repeated(known, claim, from, deps);
    await tell(order, from, deps);
    return order;
  }
  throw invalidState("The subscription keeps changing at this moment. Nothing was taken; try again.");
}

/** An order that is credited when it is made: its payment is its own. */
function paidOrder(quote: PlanQuote, from: OrderedFrom, now: number): Order {
  const amount = toPay(quote, method);
  const order = newOrder({ method, amount, plan: promiseOf(quote) }, from, now);
  const { id, currency } = order;
  return {
    ...order,
    state: "credited",
    paid: { transaction: id, amount, currency, at: now, via: "page" },
    ...{ credited_at: now, booked_as: "plan" },
  };
}

async function tell(order: Order, from: OrderedFrom, deps: OrderDeps): Promise<void> {
  const { id, channel, points } = order;
  await tellMade(order, from, deps);
  deps.log("info", "order_credited", { order: id, channel, via: "page", seconds: 0 });
  const { user } = from.caller;
  await audit(
    order,
    { kind: "order_credited", after: { booked_as: "plan", points } },
    { id: user.id, name: user.name, ip: from.ip },
    deps,
  );
}
