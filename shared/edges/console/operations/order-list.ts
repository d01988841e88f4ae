/** `GET /api/v1/recharges?from=&to=&limit=&after=&format=`: the organization's orders, the newest first. */

import { consoleLimits } from "../../../base/console-limits.ts";
import { orderColumns } from "../../../people/orders/columns.ts";
import type { OrderDeps } from "../../../people/orders/deps.ts";
import { showOrder } from "../../../people/orders/show.ts";
import { listReply, readListPart } from "../../api/list-reply.ts";
import { type ConsoleCall, callerOf } from "../call.ts";

/** Orders of points and of plans alike. Nobody is asked about them: a page asks about the one that it shows. */
export async function listOrders(call: ConsoleCall, { orders }: Pick<OrderDeps, "orders">) {
  const { query } = call.request;
  const part = readListPart(query, { json: consoleLimits.orderListMax, csv: consoleLimits.csvListMax });
  const { orders: rows, more } = await orders.list(callerOf(call).organization.id, part);
  const page = { rows, more, last: rows.at(-1)?.id ?? null };
  return listReply(query, page, { name: "orders", show: showOrder, columns: orderColumns });
}
