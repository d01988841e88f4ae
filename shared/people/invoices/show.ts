/** Invoices as the console and the operator show them. */

import { rfc3339 } from "../../books/billing/instant.ts";
import { formatMoney } from "../../books/billing/money.ts";
import type { Order } from "../payments/order.ts";
import type { Orders } from "../payments/orders.ts";
import { type Invoice, type InvoiceTax, paidBack } from "./invoice.ts";

/** An invoice for its customer. */
export function showInvoice(invoice: Invoice) {
  const { id, number, state, amount, currency, orders, title, email, file, reason, tax } = invoice;
  const moment = (at: number | undefined) => (at === undefined ? null : rfc3339(at));
  return {
    id,
    object: "invoice" as const,
    number: number ?? null,
    state,
    amount: formatMoney(amount, currency),
    ...{ currency, orders },
    tax: tax ? showTax(tax, invoice) : null,
    title: { kind: title.kind, name: title.name, tax_id: title.tax_id ?? null },
    email,
    file: file ?? null,
    created_at: rfc3339(invoice.created_at),
    issued_at: moment(invoice.issued_at),
    ended_at: moment(invoice.ended_at),
    reason: reason ?? null,
  };
}

function showTax({ name, rate, net, tax, reverse_charge }: InvoiceTax, { amount, currency }: Invoice) {
  const money = (minor: number) => formatMoney(minor, currency);
  return { name, rate, net: money(net), tax: money(tax), gross: money(amount), reverse_charge };
}

/** The same with `paid_back`, which is how much of its orders was paid back since it was requested (minor units). */
export function showInvoiceWhole(invoice: Invoice, back: number) {
  return { ...showInvoice(invoice), paid_back: formatMoney(back, invoice.currency) };
}

/** The orders of an invoice. Throws where one is gone. */
export async function ordersOf(
  { id, orders }: Pick<Invoice, "id" | "orders">,
  deps: { orders: Pick<Orders, "find"> },
): Promise<Order[]> {
  const found = await Promise.all(orders.map((order) => deps.orders.find(order)));
  return found.map((order, at) => {
    if (!order) throw new Error(`the order ${orders[at]} of the invoice ${id} is gone`);
    return order;
  });
}

/** How much was paid back since an invoice was requested, in minor units; 0 for one that is no longer in force. */
export async function paidBackOf(invoice: Invoice, deps: { orders: Pick<Orders, "find"> }): Promise<number> {
  if (invoice.state === "rejected" || invoice.state === "voided") return 0;
  return paidBack(invoice, await ordersOf(invoice, deps));
}
