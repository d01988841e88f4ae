/** Orders as finance asks for them: by organization, state, channel and time. */

import { consoleLimits } from "../../base/console-limits.ts";
import { rfc3339 } from "../../books/billing/instant.ts";
import { formatMoney } from "../../books/billing/money.ts";
import type { Order, OrderChannel, OrderState } from "../../people/payments/order.ts";
import type { Orders } from "../../people/payments/orders.ts";

/** An order on one line. Amounts of money are in its currency. */
export interface OrderLine {
  id: string;
  organization: string;
  kind: Order["kind"];
  channel: OrderChannel;
  state: OrderState;
  amount: string;
  currency: string;
  /** What was paid, what of it we paid back, and what the platform paid back without us, as far as a person has seen it. */
  paid: string | null;
  refunded: string;
  returned: string;
  /** What the ordered amount is worth, and as what it was booked. */
  points: string;
  booked_as: "points" | "plan" | null;
  /** The platform's own id of the payment. */
  transaction: string | null;
  created_at: string;
  paid_at: string | null;
  credited_at: string | null;
}

/** The instants of an order that a list may go by. */
export const orderInstants = ["created", "paid", "credited"] as const;
type OrderInstant = (typeof orderInstants)[number];

/** Which orders are listed. */
export interface OrderChoice {
  organization?: string;
  state?: OrderState;
  channel?: OrderChannel;
  /** Unix milliseconds: the first instant, and the one after the last, of what `by` names; by default the creation. */
  from?: number;
  to?: number;
  by?: OrderInstant;
  /** The id of the order before the page. */
  after?: string;
  limit: number;
}

/** Orders, the newest first. Without an organization it reads the whole table. */
export async function listOrders(
  choice: OrderChoice,
  { orders }: { orders: Pick<Orders, "list" | "every"> },
): Promise<{ orders: OrderLine[]; more: boolean }> {
  const { organization, state, limit, after } = choice;
  const each = organization === undefined ? orders.every(state) : everyOf(organization, orders, after);
  const found: Order[] = [];
  for await (const order of each) {
    if (isWanted(order, choice)) found.push(order);
    // Those of one organization come in this order already.
    if (organization !== undefined && found.length > limit) break;
  }
  found.sort((a, b) => (a.id < b.id ? 1 : -1));
  return { orders: found.slice(0, limit).map(lineOf), more: found.length > limit };
}

/** Orders of one organization, the newest first, a page at a time. */
async function* everyOf(
  organization: string,
  orders: Pick<Orders, "list">,
  first: string | undefined,
): AsyncGenerator<Order> {
  const limit = consoleLimits.orderListMax;
  for (let after = first; ; ) {
    const page = await orders.list(organization, { limit, ...(after && { after }) });
    yield* page.orders;
    after = page.orders.at(-1)?.id;
    if (!page.more || after === undefined) return;
  }
}

function isWanted(order: Order, { state, channel, from, to, after, by = "created" }: OrderChoice): boolean {
  if (after !== undefined && order.id >= after) return false;
  if (state !== undefined && order.state !== state) return false;
  if (channel !== undefined && order.channel !== channel) return false;
  if (from === undefined && to === undefined && by === "created") return true;
  const at = by === "created" ? order.created_at : by === "paid" ? order.paid?.at : order.credited_at;
  return at !== undefined && at >= (from ?? -Infinity) && at < (to ?? Infinity);
}

function lineOf(order: Order): OrderLine {
  const { id, organization, kind, channel, state, amount, currency, points } = order;
  const { paid, refunded = 0, returned = 0 } = order;
  const moment = (at: number | undefined) => (at === undefined ? null : rfc3339(at));
  return {
    ...{ id, organization, kind, channel, state, amount: formatMoney(amount, currency), currency },
    paid: paid ? formatMoney(paid.amount, currency) : null,
    refunded: formatMoney(refunded, currency),
    returned: formatMoney(returned + (paid?.returned ?? 0), currency),
    points,
    booked_as: order.booked_as ?? null,
    transaction: paid?.transaction ?? null,
    created_at: rfc3339(order.created_at),
    paid_at: moment(paid?.at),
    credited_at: moment(order.credited_at),
  };
}
