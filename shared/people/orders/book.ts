/** Books what a paid order bought: points, or a plan (people/payments/README.md "From a payment to an entry"). */

import { GatewayError } from "../../base/errors.ts";
import type { Organization } from "../../books/accounts/account.ts";
import { formatPoints, parsePoints } from "../../books/billing/points.ts";
import type { Order, PaidFacts } from "../payments/order.ts";
import { changedTerms, type DealTerm } from "../payments/plan-deal.ts";
import { feeFor } from "../payments/plan-price.ts";
import { keptOf } from "../payments/states.ts";
import { audit, byOperator, byPlatform, type OrderDeps } from "./deps.ts";
import { quoteNow } from "./quote.ts";
import { endTopUp } from "./top-up-end.ts";

/** A subscription changes seldom, and an order that meets a change begins again. */
const roundsMax = 5;

/**
 * Books a paid order, once whoever does it. Gives the order as it is then. A plan that can no longer be had as it was
 * promised becomes points in the wallet (people/payments/README.md "What an order promises"). Throws where nothing can
 * be booked; the reconciler tries again.
 */
export async function bookOrder(order: Order, deps: OrderDeps): Promise<Order> {
  const { paid } = order;
  if (!paid) throw new Error(`the order ${order.id} is not paid`);
  const plan = await bookPlan(order, paid, deps);
  const booked = "order" in plan ? plan.order : await bookPoints(order, paid, deps);
  if (!booked) return (await deps.orders.find(order.id)) ?? order;
  // Another process may have booked the plan meanwhile, and that is what has changed.
  const why = "why" in plan && booked.booked_as === "points" ? { why: plan.why } : undefined;
  const told = { order: order.id, channel: order.channel };
  if (why) deps.log("warn", "order_converted", { ...told, kind: order.kind, ...why });
  const seconds = Math.max(0, Math.round((deps.now() - paid.at) / 1000));
  deps.log("info", "order_credited", { ...told, via: paid.via, seconds });
  const points = formatPoints(worthPaid(order, paid));
  const after = { booked_as: booked.booked_as ?? "", points, ...why };
  const actor = paid.via === "operator" ? byOperator : byPlatform;
  await audit(booked, { kind: "order_credited", after }, actor, deps);
  if (booked.automatic) await endTopUp(booked, deps);
  return booked;
}

/** What the payment is worth at the order's own rate, 10⁻¹⁸ points, without what had gone back before the booking. */
export function worthPaid({ points, amount }: Order, paid: Pick<PaidFacts, "amount" | "returned">): bigint {
  return (parsePoints(points) * BigInt(keptOf(paid))) / BigInt(amount);
}

async function bookPoints(order: Order, paid: PaidFacts, deps: OrderDeps): Promise<Order | undefined> {
  const { wallet } = await organizationOf(order, deps);
  if (!wallet) throw new Error(`the organization of ${order.id} has no wallet`);
  return await deps.orders.credit(order, {
    organization: order.organization,
    meter: wallet.meter,
    points: worthPaid(order, paid),
    kind: "bought",
    reference: referenceOf(order),
    account: accountOf(order),
    at: deps.now(),
  });
}

/**
 * What became of a plan: its order once it is booked, or no order where another process has booked it, and tells so. `why`:
 * the payment becomes points, because these parts of what was promised have changed. Neither where no plan was paid for.
 */
type PlanOutcome = { order: Order | undefined } | { why: string } | Record<never, never>;

async function bookPlan(order: Order, paid: PaidFacts, deps: OrderDeps): Promise<PlanOutcome> {
  const { plan } = order;
  if (!plan || keptOf(paid) !== order.amount) return {};
  for (let round = 0; round < roundsMax; round++) {
    const { subscription } = await organizationOf(order, deps);
    if (!subscription) return {};
    const mayUpgrade = plan.action === "upgrade";
    const wanted = { plan: plan.plan, period: plan.period };
    const quote = await quoteNow(order.organization, subscription, { wanted, mayUpgrade }, deps).catch(
      refusal,
    );
    const changed: (DealTerm | "refused")[] = quote ? changedTerms(plan, quote, subscription) : ["refused"];
    if (!quote || changed.length > 0) return { why: changed.join(" ") };
    const points = parsePoints(order.points);
    const done = await deps.orders.fulfil(order, {
      payment: {
        ...{ organization: order.organization, points, at: deps.now() },
        ...{ reference: referenceOf(order), account: accountOf(order) },
      },
      fee: feeFor(quote, points, order.id),
      before: subscription,
      after: quote.after,
    });
    if (done !== "changed") return { order: done };
  }
  throw new Error(`the subscription of ${order.organization} keeps changing`);
}

/** A plan that cannot be bought by now is no quote. Any other error is one. */
function refusal(error: unknown): undefined {
  if (error instanceof GatewayError && error.key === "invalid_request") return undefined;
  throw error;
}

async function organizationOf({ organization }: Order, { accounts }: OrderDeps): Promise<Organization> {
  const found = await accounts.organization(organization);
  if (!found) throw new Error(`there is no organization ${organization}`);
  return found;
}

/** What an order is booked under, once. */
export function referenceOf({ id }: Pick<Order, "id">): string {
  return `order.${id}`;
}

/** The account that an order is paid from: the operator's of its channel, or the wallet. */
export function accountOf({ channel, organization }: Pick<Order, "channel" | "organization">): string {
  return channel === "points" ? `customer:${organization}` : `cash:${channel}`;
}
