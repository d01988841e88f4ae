/** `POST /api/v1/invoices {orders, title, email}`: requests an invoice (people/invoices/README.md "An invoice"). */

import { consoleLimits } from "../../../base/console-limits.ts";
import { GatewayError } from "../../../base/errors.ts";
import { jsonReply } from "../../../base/http/message.ts";
import { type Fields, invalidField } from "../../../base/json/fields.ts";
import { newId } from "../../../base/platform/id.ts";
import type { Log } from "../../../base/platform/log.ts";
import { formatMoney } from "../../../books/billing/money.ts";
import { auditEntry } from "../../../people/identity/audit.ts";
import { type Invoice, invoiceable } from "../../../people/invoices/invoice.ts";
import type { Invoices } from "../../../people/invoices/invoices.ts";
import { showInvoice } from "../../../people/invoices/show.ts";
import { type TaxRules, taxOf } from "../../../people/invoices/tax.ts";
import { readEmail, readTitle } from "../../../people/invoices/title.ts";
import type { Order } from "../../../people/payments/order.ts";
import type { Orders } from "../../../people/payments/orders.ts";
import type { ConsoleBody } from "../../openapi/route-types.ts";
import { readFields } from "../body.ts";
import { type ConsoleCall, callerOf } from "../call.ts";

export interface InvoiceDeps {
  invoices: Invoices;
  orders: Pick<Orders, "find" | "list" | "refunds">;
  /** How the stage taxes what is paid, by currency. */
  taxRules: TaxRules;
  log: Log;
  now: () => number;
}

/**
 * Throws `invalid_request`, `order_not_found`, and `invalid_state` for orders that are invoiced or cannot be.
 */
export async function requestInvoice(call: ConsoleCall, deps: InvoiceDeps) {
  const { organization, user } = callerOf(call);
  const fields = readFields<keyof ConsoleBody<"request_invoice">>(call.request, ["orders", "title", "email"]);
  const ids = readOrderIds(fields);
  const email = readEmail(fields.email);
  const orders = await Promise.all(ids.map((id) => ownOrder(id, organization.id, deps)));
  const currency = currencyOf(orders);
  const title = readTitle(fields.title, currency);
  const now = deps.now();
  const amount = orders.reduce((sum, order) => sum + amountOf(order), 0);
  const tax = taxOf(amount, currency, title, deps.taxRules);
  const invoice: Invoice = {
    id: newId("invoice", now),
    organization: organization.id,
    user: user.id,
    state: "requested",
    orders: ids,
    ...{ amount, currency, title, email, ...(tax && { tax }) },
    created_at: now,
  };
  const shown = showInvoice(invoice);
  const after = { amount: formatMoney(invoice.amount, currency), currency, orders: ids.join(" ") };
  const change = { kind: "invoice_requested" as const, subject: invoice.id, after };
  const entry = auditEntry(callerOf(call), change, call.request.ip, now);
  const requested = await deps.invoices.request(invoice, orders, entry);
  if (requested.outcome === "claimed")
    throw wrongState(`The order ${requested.order} is on the invoice ${requested.invoice} already.`);
  if (requested.outcome === "changed") throw wrongState("One of the orders was just changed. Try again.");
  deps.log("info", "invoice_requested", { organization: organization.id, invoice: invoice.id });
  return jsonReply(shown, 201);
}

function readOrderIds({ orders: given }: Fields): string[] {
  const most = consoleLimits.invoiceOrdersMax;
  const ids = Array.isArray(given) ? given.filter((id) => typeof id === "string") : [];
  const isList = Array.isArray(given) && ids.length === given.length && new Set(ids).size === ids.length;
  if (!isList || ids.length < 1 || ids.length > most)
    throw invalidField("orders", `the ids of 1 to ${most} different orders`);
  return ids;
}

async function ownOrder(
  id: string,
  organization: string,
  { orders }: Pick<InvoiceDeps, "orders">,
): Promise<Order> {
  const order = await orders.find(id);
  if (order?.organization !== organization) throw new GatewayError("order_not_found", { param: "orders" });
  return order;
}

/** The one currency of orders. Throws `invalid_request` where there are several. */
function currencyOf(orders: readonly Order[]): string {
  const [currency = "", ...others] = new Set(orders.map((order) => order.currency));
  if (others.length > 0) throw invalidField("orders", "orders in one currency");
  return currency;
}

function amountOf(order: Order): number {
  const amount = invoiceable(order);
  if (amount > 0) return amount;
  throw wrongState(`The order ${order.id} is ${order.state}, so there is nothing to invoice.`);
}

function wrongState(message: string): GatewayError {
  return new GatewayError("invalid_state", { message, param: "orders" });
}
