/** Books what a paid order bought: points, or a plan (payments/README.md "From a payment to an entry"). */
import type { Organization, PlanChoice } from "../../accounts/account.ts";
import { planAt } from "../../accounts/subscription.ts";
import { formatPoints, parsePoints } from "../../billing/points.ts";
import { GatewayError } from "../../errors.ts";
import type { Order, PaidFacts } from "../../payments/order.ts";
import { feeFor, type PlanQuote } from "../../payments/plan-price.ts";
import { audit, byOperator, byPlatform, type OrderDeps } from "./deps.ts";
import { quoteNow } from "./quote.ts";

/** A subscription changes seldom, and an order that meets a change begins again. */
const roundsMax = 5;

/**
 * Books a paid order, once whoever does it. Gives the order as it is then. A plan that can no longer be bought at the
 * order's price becomes points in the wallet. Throws where nothing can be booked; the reconciler tries again.
 */
export async function bookOrder(order: Order, deps: OrderDeps): Promise<Order> {
  const { paid } = order;
  if (!paid) throw new Error(`the order ${order.id} is not paid`);
  const booked = (await bookPlan(order, paid, deps)) ?? (await bookPoints(order, paid, deps));
  if (!booked || booked === "elsewhere") return (await deps.orders.find(order.id)) ?? order;
  const seconds = Math.max(0, Math.round((deps.now() - paid.at) / 1000));
  deps.log("info", "order_credited", { order: order.id, channel: order.channel, via: paid.via, seconds });
  const after = { booked_as: booked.booked_as ?? "", points: formatPoints(worthPaid(order, paid)) };
  const actor = paid.via === "operator" ? byOperator : byPlatform;
  await audit(booked, { kind: "order_credited", after }, actor, deps);
  return booked;
}

/** What the payment is worth at the order's own rate, 10⁻¹⁸ points. Only a person accepts another amount than ordered. */
export function worthPaid({ points, amount }: Order, paid: Pick<PaidFacts, "amount">): bigint {
  return (parsePoints(points) * BigInt(paid.amount)) / BigInt(amount);
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
 * The order once its plan is booked; `elsewhere` where another process has booked it, and tells so. Undefined where it is
 * for points, or the plan can no longer be had at its price.
 */
async function bookPlan(
  order: Order,
  paid: PaidFacts,
  deps: OrderDeps,
): Promise<Order | "elsewhere" | undefined> {
  const { plan } = order;
  if (!plan || paid.amount !== order.amount) return undefined;
  for (let round = 0; round < roundsMax; round++) {
    const { subscription } = await organizationOf(order, deps);
    if (!subscription) return undefined;
    const mayUpgrade = plan.action === "upgrade";
    const wanted = { plan: plan.plan, period: plan.period };
    const quote = await quoteNow(order.organization, subscription, { wanted, mayUpgrade }, deps).catch(
      refusal,
    );
    const points = parsePoints(order.points);
    if (!quote || isOtherDeal(quote, order, planAt(subscription, deps.now()))) {
      deps.log("warn", "order_converted", { order: order.id, channel: order.channel, kind: order.kind });
      return undefined;
    }
    const done = await deps.orders.fulfil(order, {
      payment: {
        ...{ organization: order.organization, points, at: deps.now() },
        ...{ reference: referenceOf(order), account: accountOf(order) },
      },
      fee: feeFor(quote, points),
      before: subscription,
      after: quote.after,
    });
    if (done !== "changed") return done ?? "elsewhere";
  }
  throw new Error(`the subscription of ${order.organization} keeps changing`);
}

/**
 * Whether a plan is no longer what was ordered. An upgrade was priced for what the subscription was then. If it costs more
 * by now, something would be left owed. If another plan runs by now and it costs less, too much would be taken.
 */
function isOtherDeal(quote: PlanQuote, order: Order, running: PlanChoice): boolean {
  if (order.plan?.action !== "upgrade") return false;
  if (quote.action !== "upgrade") return true;
  const points = parsePoints(order.points);
  const costs = quote.price - quote.unused;
  const { from } = order.plan;
  const isMoved = from !== null && (from.plan !== running.plan || from.period !== running.period);
  return costs > points + onePart(order) || (isMoved && costs < points);
}

/** What one minor unit of the order is worth: a price is asked for without what is below it. */
function onePart({ points, amount }: Order): bigint {
  return parsePoints(points) / BigInt(amount);
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

/** The operator's account that the money of an order is in. */
export function accountOf({ channel }: Pick<Order, "channel">): string {
  return `cash:${channel}`;
}
