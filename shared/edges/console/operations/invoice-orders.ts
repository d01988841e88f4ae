/** `GET /api/v1/invoices/orders?limit=&after=`: credited orders that are on no invoice, the newest first. */

import { consoleLimits } from "../../../base/console-limits.ts";
import { jsonReply } from "../../../base/http/message.ts";
import { readQuery } from "../../../base/http/query.ts";
import { rfc3339 } from "../../../books/billing/instant.ts";
import { formatMoney } from "../../../books/billing/money.ts";
import { invoiceable } from "../../../people/invoices/invoice.ts";
import type { Order } from "../../../people/payments/order.ts";
import { readLimit } from "../../api/report-parameters.ts";
import type { ConsoleSchema } from "../../openapi/route-types.ts";
import { type ConsoleCall, callerOf } from "../call.ts";
import type { InvoiceDeps } from "./invoice-requests.ts";

/**
 * A page may be short. `last_id` leads to the rest: it is the last order that was read, which need not be on the page.
 */
export async function listInvoiceableOrders(
  call: ConsoleCall,
  { orders, invoices }: Pick<InvoiceDeps, "orders" | "invoices">,
) {
  const { limit, after } = readQuery<{ limit: number; after: string | undefined }>(call.request.query, {
    limit: readLimit(consoleLimits.orderListMax),
    after: (given) => given,
  });
  const organization = callerOf(call).organization.id;
  const data: ConsoleSchema<"InvoiceableOrder">[] = [];
  let last = after || undefined;
  let more = true;
  for (let read = 0; more && data.length < limit && read < consoleLimits.invoiceOrderReadsMax; ) {
    const page = await orders.list(organization, { limit, ...(last && { after: last }) });
    const claims = await invoices.claims(page.orders.map(({ id }) => id));
    for (const [at, order] of page.orders.entries()) {
      last = order.id;
      more = page.more || at + 1 < page.orders.length;
      const { paid } = order;
      // Nothing of an order can be invoiced that was not paid.
      if (paid && invoiceable(order) > 0 && !claims.has(order.id)) data.push(showInvoiceable(order, paid.at));
      if (data.length === limit) break;
    }
    if (page.orders.length === 0) more = false;
    read += page.orders.length;
  }
  return jsonReply({ object: "list", data, has_more: more, last_id: last ?? null });
}

function showInvoiceable(order: Order, paidAt: number): ConsoleSchema<"InvoiceableOrder"> {
  const { id, currency, kind } = order;
  return {
    order: id,
    object: "invoiceable_order",
    kind,
    amount: formatMoney(invoiceable(order), currency),
    currency,
    paid_at: rfc3339(paidAt),
  };
}
