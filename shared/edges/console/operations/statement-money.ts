/** The money behind a statement, which finance compares with the bank (people/invoices/README.md "A statement"). */

import { consoleLimits } from "../../../base/console-limits.ts";
import { formatMoney } from "../../../books/billing/money.ts";
import { spanEnd, spanOf } from "../../../books/billing/period.ts";
import { heldBefore, worthOf } from "../../../people/invoices/held.ts";
import type { LineMoney, Statement, WalletBooks } from "../../../people/invoices/statement.ts";
import { referenceOf } from "../../../people/orders/book.ts";
import { refundReference } from "../../../people/orders/postings.ts";
import type { Order, PaidFacts } from "../../../people/payments/order.ts";
import type { Orders } from "../../../people/payments/orders.ts";
import { keptOf } from "../../../people/payments/states.ts";

export type LineOrders = Pick<Orders, "find" | "list" | "refunds">;

/** What was paid or paid back, by the reference of a statement's line. Lines that no order has made are not in it. */
export async function moneyBehind(
  { credits, refunds, payments }: Statement,
  organization: string,
  orders: LineOrders,
): Promise<Map<string, LineMoney>> {
  const found = new Map<string, LineMoney>();
  const bought = [...credits, ...payments].flatMap(({ reference }) => orderIdOf(reference) ?? []);
  for (const order of await Promise.all(bought.map((id) => orders.find(id)))) {
    if (order?.organization !== organization || !order.paid) continue;
    found.set(referenceOf(order), moneyOf(order, keptOf(order.paid)));
  }
  const back = payments.filter(({ points }) => points < 0n);
  const wanted = new Set([...refunds, ...back].map(({ reference }) => reference));
  if (wanted.size > 0) await findRefunds(organization, wanted, found, orders);
  return found;
}

/** A balance by what was paid for it, before two months. */
export interface BalanceWorth {
  opening: ReturnType<typeof worthOf>;
  closing: ReturnType<typeof worthOf>;
}

/** What the balances of a month were bought for, each purchase at its own rate. */
export async function worthOfBalances(
  month: string,
  books: WalletBooks,
  organization: string,
  orders: LineOrders,
): Promise<BalanceWorth> {
  const after = spanOf(spanEnd(month), "month");
  const [opening, closing] = [heldBefore(month, books), heldBefore(after, books)];
  const bought = new Set(
    [...opening.lots, ...closing.lots].flatMap(({ reference }) => orderIdOf(reference) ?? []),
  );
  const paid = new Map<string, Pick<PaidFacts, "amount" | "currency">>();
  for (const order of await Promise.all([...bought].map((id) => orders.find(id))))
    if (order?.organization === organization && order.paid)
      paid.set(referenceOf(order), { amount: keptOf(order.paid), currency: order.paid.currency });
  return { opening: worthOf(opening, paid), closing: worthOf(closing, paid) };
}

/** Looks through the orders, the newest first, until all refunds are found. One that was refused stays without money. */
async function findRefunds(
  organization: string,
  wanted: Set<string>,
  found: Map<string, LineMoney>,
  orders: LineOrders,
): Promise<void> {
  let after: string | undefined;
  for (let more = true; more && wanted.size > 0; ) {
    const page = await orders.list(organization, {
      limit: consoleLimits.orderListMax,
      ...(after && { after }),
    });
    for (const order of page.orders.filter(({ refund, refunded = 0 }) => refund || refunded > 0))
      for (const { id, amount, state } of await orders.refunds(order.id)) {
        const isOurs = wanted.delete(refundReference(id));
        if (isOurs && state !== "refused") found.set(refundReference(id), moneyOf(order, -amount));
      }
    after = page.orders.at(-1)?.id;
    more = page.more;
  }
}

/** The id in a reference such as `order.ord_…`. An operator may have written any other text there. */
function orderIdOf(reference: string): string | undefined {
  return /^order\.(ord_[0-9A-HJKMNP-TV-Z]{26})$/.exec(reference)?.[1];
}

/** Minor units of an order's currency; negative where they went back. */
function moneyOf({ id, channel, currency }: Order, amount: number): LineMoney {
  const text = formatMoney(Math.abs(amount), currency);
  return { order: id, channel, amount: amount < 0 ? `-${text}` : text, currency };
}
