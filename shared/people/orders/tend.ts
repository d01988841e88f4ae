/** Looks at one order at its platform, for the open page, the reconciler and the customer who closes it. */
import { consoleLimits } from "../../base/console-limits.ts";
import { GatewayError } from "../../base/errors.ts";
import { isChargeable, topUpMonth, unwanted } from "../payments/auto-top-up.ts";
import type { EvidenceSource, Order } from "../payments/order.ts";
import type { PaymentPlatform } from "../payments/platform.ts";
import { isDead, nextCheck, nextTry } from "../payments/schedule.ts";
import { isBooked, isOpen } from "../payments/states.ts";
import { bookOrder } from "./book.ts";
import type { OrderDeps } from "./deps.ts";
import { takeEvidence } from "./evidence.ts";
import { tendRefund } from "./refund.ts";
import { endTopUp } from "./top-up-end.ts";

/**
 * Looks at an order unless somebody has just done so, and gives it as it is then. A page that is open looks often, so the
 * reconciler looks soon after the page is gone. Throws `payment_platform` where the platform did not answer.
 */
export async function lookAt(order: Order, via: EvidenceSource, deps: OrderDeps): Promise<Order> {
  const now = deps.now();
  const isPage = via === "page";
  // What is booked does not change before the eyes of its customer, unless a refund runs.
  if (isPage && isBooked(order) && order.state !== "refunding") return order;
  const gapMs = consoleLimits.orderAskGapMs;
  const due_at = isPage && isOpen(order.state) ? now + gapMs : nextTry(order, now);
  // An order that is over has nothing to be asked for.
  if (due_at === null) return order;
  const tries = (order.tries ?? 0) + (isPage ? 0 : 1);
  const visited = await deps.orders.visit(order, { now, tries, due_at, gapMs });
  return visited ? await tend(visited, via, deps) : order;
}

/** Does what an order in its state needs, and gives the order as it is then. */
async function tend(order: Order, via: EvidenceSource, deps: OrderDeps): Promise<Order> {
  const isOver = deps.now() >= order.expires_at;
  switch (order.state) {
    case "created": {
      if (isOver) return await endOrder(order, via, deps);
      const opened = await openOrder(order, deps);
      return opened.automatic && opened.state === "pending" ? await chargeOrder(opened, via, deps) : opened;
    }
    case "pending":
      if (isOver) return await endOrder(order, via, deps);
      return order.automatic ? await chargeOrder(order, via, deps) : (await ask(order, via, deps)).order;
    case "closing":
      return await closeOrder(order, via, deps);
    case "closed":
    case "credited":
    case "partly_refunded":
      return await askAgain(order, via, deps);
    case "review":
      if (isOver) await (await platformOf(order, deps)).close(order);
      return await askAgain(order, via, deps);
    case "paid":
      return await bookOrder(order, deps);
    case "refunding":
      return await tendRefund(order, deps);
    default:
      return order;
  }
}

/** Lets the platform show the order. Gives the order with what is shown, or as it has become meanwhile. */
export async function openOrder(order: Order, deps: OrderDeps): Promise<Order> {
  const platform = await platformOf(order, deps);
  const subject = order.plan ? `Plan ${order.plan.plan}` : `${order.points} points`;
  const { qr_code, pay_url, reference } = await platform.open({ ...order, subject });
  const facts = { ...(qr_code && { qr_code }), ...(pay_url && { pay_url }), ...(reference && { reference }) };
  const now = deps.now();
  const due_at = nextTry({ ...order, state: "pending", tries: 0 }, now);
  return (await deps.orders.move(order, "opened", facts, due_at)) ?? (await current(order, deps));
}

/** Ends an order that waits: from now on only the platform can say that it was paid. Then it is closed there. */
async function endOrder(order: Order, via: EvidenceSource, deps: OrderDeps): Promise<Order> {
  return await endBy(order, {}, via, deps);
}

/** The same of an order that its organization does not want any more. No card has failed then. */
export async function endUnwanted(order: Order, via: EvidenceSource, deps: OrderDeps): Promise<Order> {
  return await endBy(order, order.automatic ? { declined: unwanted } : {}, via, deps);
}

/** `facts`: why an automatic order was not paid. */
async function endBy(
  order: Order,
  facts: Pick<Order, "declined">,
  via: EvidenceSource,
  deps: OrderDeps,
): Promise<Order> {
  const now = deps.now();
  const due_at = nextTry({ ...order, state: "closing", tries: 0 }, now);
  const ended = await deps.orders.move(order, "ended", facts, due_at);
  return ended ? await closeOrder(ended, via, deps) : await current(order, deps);
}

/** Closes at the platform first. What is unknown there may be paid until its code is dead; then it is asked once more. */
async function closeOrder(order: Order, via: EvidenceSource, deps: OrderDeps): Promise<Order> {
  const answer = await (await platformOf(order, deps)).close(order);
  if (answer === "closed") return await markClosed(order, {}, deps);
  if (typeof answer === "object") return await markClosed(order, answer, deps);
  // The bank's answer may take days, and decides.
  if (answer === "pending") return order;
  if (answer === "absent" && !isDead(order, deps.now())) return order;
  const { order: asked, isPayable } = await ask(order, via, deps);
  const isOver = asked.state === "closing" && !isPayable && answer === "absent";
  return isOver ? await markClosed(asked, {}, deps) : asked;
}

async function markClosed(order: Order, facts: Pick<Order, "declined">, deps: OrderDeps): Promise<Order> {
  const now = deps.now();
  const due_at = nextCheck({ ...order, state: "closed", closed_at: now }, now);
  const closed = await deps.orders.move(order, "closed", { closed_at: now, ...hidden, ...facts }, due_at);
  if (closed) deps.log("info", "order_closed", { order: order.id, channel: order.channel });
  if (closed?.automatic) await endTopUp(closed, deps);
  return closed ?? (await current(order, deps));
}

/** Nobody should pay by what was shown. */
const hidden = { qr_code: null, pay_url: null } as const;

/** Asks again after the end. An answer without money lets the order rest until the next time. */
async function askAgain(order: Order, via: EvidenceSource, deps: OrderDeps): Promise<Order> {
  const { order: asked } = await ask(order, via, deps);
  // Whoever ended it may have died before its place was free.
  if (asked.automatic) await endTopUp(asked, deps);
  if (asked.state === order.state) await deps.orders.rest(asked, nextCheck(asked, deps.now()));
  return asked;
}

/**
 * Charges an automatic order whose payment is open at the platform, as long as its organization wants it. One that the
 * platform declines, or that nobody wants any more, ends (people/payments/auto-top-up.md "States").
 */
async function chargeOrder(order: Order, via: EvidenceSource, deps: OrderDeps): Promise<Order> {
  const { automatic, reference } = order;
  const { cards } = await platformOf(order, deps);
  if (!automatic || reference === undefined || !cards) throw new Error(`${order.id} cannot be charged`);
  if (!(await isWanted(order, deps))) return await endUnwanted(order, via, deps);
  const answer = await cards.charge({ ...order, automatic, reference });
  if ("declined" in answer) return await endBy(order, answer, via, deps);
  const taken = await takeEvidence(order, answer, via, deps);
  return taken.state === "paid" ? await bookOrder(taken, deps) : taken;
}

/**
 * Whether an organization still wants this order. It is not frozen, has the same card and sum, and its month still has room
 * for it.
 */
async function isWanted(order: Order, { accounts, topUps }: OrderDeps): Promise<boolean> {
  const organization = await accounts.organization(order.organization);
  const topUp = await topUps.of(order.organization);
  if (organization?.status !== "active" || !isChargeable(topUp) || topUp.order !== order.id) return false;
  const { terms, card } = topUp;
  const isSame = card.method === order.automatic?.method && terms.currency === order.currency;
  if (!isSame || terms.amount !== order.amount) return false;
  // The month has this order's sum already.
  return (await topUps.used(order.organization, topUpMonth(order), order.currency)) <= terms.month_max;
}

/** Asks the platform, and books the order where it says that it is paid. */
async function ask(
  order: Order,
  via: EvidenceSource,
  deps: OrderDeps,
): Promise<{ order: Order; isPayable: boolean }> {
  const evidence = await (await platformOf(order, deps)).query(order);
  const taken = await takeEvidence(order, evidence, via, deps);
  const isPayable = evidence.state === "pending";
  return { order: taken.state === "paid" ? await bookOrder(taken, deps) : taken, isPayable };
}

async function platformOf({ channel }: Order, { platforms }: OrderDeps): Promise<PaymentPlatform> {
  return await platforms.platform(channel);
}

async function current(order: Order, { orders }: OrderDeps): Promise<Order> {
  return (await orders.find(order.id)) ?? order;
}

/** Whether an order's platform cannot be asked: it does not answer, or the stage has the channel no more. */
export function isOutOfReach(error: unknown): boolean {
  return isSilence(error) || (error instanceof GatewayError && error.key === "payment_channel");
}

/** Whether nothing is known because the platform did not answer. The channel has logged why. */
export function isSilence(error: unknown): boolean {
  return error instanceof GatewayError && error.key === "payment_platform";
}
