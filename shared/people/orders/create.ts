/** Makes an order of points or of a plan, and lets its platform show it; or books a plan that points pay for. */
import { createHash } from "node:crypto";
import { consoleLimits } from "../../base/console-limits.ts";
import { type ErrorKey, GatewayError, invalidRequest } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { newId } from "../../base/platform/id.ts";
import type { PlanChoice } from "../../books/accounts/account.ts";
import { formatMoney } from "../../books/billing/money.ts";
import { hourMs } from "../../books/billing/period.ts";
import { formatPoints } from "../../books/billing/points.ts";
import type { Caller } from "../identity/caller.ts";
import type { Order, PlanOrder } from "../payments/order.ts";
import type { OrderClaim, OrderCreation } from "../payments/orders.ts";
import { type PaymentMethod, worthOf } from "../payments/recharge.ts";
import { nextTry } from "../payments/schedule.ts";
import { audit, type OrderDeps } from "./deps.ts";
import { openOrder } from "./tend.ts";

export interface NewOrder extends OrderRequest {
  /** In minor units of the method's currency. */
  amount: number;
  plan?: PlanOrder;
}

export interface OrderRequest {
  method: PaymentMethod;
  /** Of points. A plan's price is not in it: it may change between a request and its repetition. */
  amount?: number;
  plan?: PlanChoice;
}

export interface OrderedFrom {
  caller: Pick<Caller, "user" | "organization">;
  ip: string;
  /** The console's own address, such as `https://console.example.com`, and where platforms call. */
  origin: string;
  notifyBase: string;
  idempotencyKey: string | undefined;
}

/**
 * Makes an order, and gives it with the QR code or the address to pay at. A request that repeats an `Idempotency-Key`
 * gets the order of the first request. Throws `account_frozen`. Throws `invalid_request` where too many orders wait to
 * be paid, and where the key came with another request before. Throws `rate_limited`, with the time to wait, where the
 * organization has made too many orders in this hour. Throws `payment_platform` where the platform does not answer.
 * Then the order stays, and the platform is asked again later.
 */
export async function createOrder(wanted: NewOrder, from: OrderedFrom, deps: OrderDeps): Promise<Order> {
  walletOf(from);
  const order = newOrder(wanted, from, deps.now());
  const claim = claimOf(wanted, from);
  const due_at = nextTry(order, order.created_at) ?? order.created_at;
  const known = knownOf(await deps.orders.create(order, due_at, claim), order);
  if (known) return await repeated(known, claim, from, deps);
  await tellMade(order, from, deps);
  return await openOrder(order, deps);
}

/** The wallet of whoever orders. Throws `account_frozen`, and `invalid_request` where there is none. */
export function walletOf({ caller: { organization } }: Pick<OrderedFrom, "caller">): { meter: string } {
  if (organization.status === "frozen") throw new GatewayError("account_frozen");
  if (!organization.wallet) throw invalidRequest("The organization has no wallet.");
  return organization.wallet;
}

/**
 * The order that `make` makes. What an `Idempotency-Key` has ordered before may be the very reason why its repetition is
 * refused: the plan costs something else by now, or the points are gone. So a refused one gets the order of the first.
 */
export async function onceByKey(
  asked: OrderRequest,
  from: OrderedFrom,
  make: () => Promise<Order>,
  deps: OrderDeps,
): Promise<Order> {
  try {
    return await make();
  } catch (error) {
    const isRefused = error instanceof GatewayError && refusals.has(error.key);
    const claim = isRefused ? claimOf(asked, from) : undefined;
    const known = claim && (await deps.orders.claimed(from.caller.organization.id, claim.key, deps.now()));
    if (!known) throw error;
    return await repeated(known, claim, from, deps);
  }
}

/** What a plan is refused by that has been ordered meanwhile. */
const refusals: ReadonlySet<ErrorKey> = new Set(["invalid_request", "invalid_state", "insufficient_balance"]);

/** The order that a key made before; undefined where the new one was made. Throws where there are too many. */
export function knownOf(creation: OrderCreation, { created_at }: Order): Known | undefined {
  if (creation.outcome === "too_many") {
    throw invalidRequest(
      `${consoleLimits.openOrdersMax} orders wait to be paid. Pay one, close one, or wait until one ends.`,
      "orders_open",
    );
  }
  if (creation.outcome === "too_often") {
    const message = `An organization makes at most ${consoleLimits.ordersOfHourMax} orders an hour.`;
    throw new GatewayError("rate_limited", { message, wait_ms: hourMs - (created_at % hourMs) });
  }
  return creation.outcome === "known" ? creation : undefined;
}

/** Tells our log and the audit log of a new order. */
export async function tellMade(
  order: Order,
  { caller: { user }, ip }: OrderedFrom,
  deps: OrderDeps,
): Promise<void> {
  const { id, channel, kind, currency, amount, organization } = order;
  deps.log("info", "order_created", { order: id, channel, kind, organization });
  const after = { channel, currency, amount: formatMoney(amount, currency), plan: order.plan?.plan ?? null };
  const change = { kind: order.plan ? "plan_ordered" : "order_created", after } as const;
  await audit(order, change, { id: user.id, name: user.name, ip }, deps);
}

/** A new order as it waits for its customer. */
export function newOrder(
  { method, amount, plan }: NewOrder,
  { caller, origin, notifyBase }: OrderedFrom,
  now: number,
): Order {
  const id = newId("order", now);
  return {
    id,
    organization: caller.organization.id,
    user: caller.user.id,
    kind: plan ? "plan" : "recharge",
    channel: method.channel,
    amount,
    currency: method.currency,
    points: formatPoints(worthOf(amount, method)),
    ...(plan && { plan }),
    state: "created",
    notify_url: `${notifyBase}/api/v1/payments/${method.channel}/notify`,
    return_url: `${origin}/recharge?order=${id}`,
    created_at: now,
    expires_at: now + consoleLimits.orderLifeMs,
  };
}

interface Known {
  order: string;
  request: string;
}

/** The order that a key made before. If its platform has not shown it yet, it is asked once more. */
export async function repeated(
  known: Known,
  claim: OrderClaim | undefined,
  { caller }: OrderedFrom,
  deps: OrderDeps,
): Promise<Order> {
  if (known.request !== claim?.request) {
    const message = "The Idempotency-Key was used with another request.";
    throw new GatewayError("invalid_request", { message, param: "Idempotency-Key" });
  }
  const order = await deps.orders.find(known.order);
  if (order?.organization !== caller.organization.id) throw new Error(`the order ${known.order} is gone`);
  if (order.state !== "created" || deps.now() >= order.expires_at) return order;
  return await openOrder(order, deps);
}

/** The claim of a request that has an `Idempotency-Key`. Throws `invalid_request` for a header that is no key. */
export function claimOf({ method, amount, plan }: OrderRequest, from: OrderedFrom): OrderClaim | undefined {
  const { idempotencyKey: key, caller } = from;
  if (key === undefined) return undefined;
  if (key.length > limits.idempotencyKeyBytesMax || !/^[\x21-\x7e]+$/.test(key)) {
    const message = `The Idempotency-Key must be 1 to ${limits.idempotencyKeyBytesMax} visible ASCII characters.`;
    throw new GatewayError("invalid_request", { message, param: "Idempotency-Key" });
  }
  const { channel, currency } = method;
  return {
    key: hashOf([caller.user.id, key]),
    request: hashOf([channel, currency, plan ? [plan.plan, plan.period] : amount]),
  };
}

function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}
