/** `GET /api/v1/recharges?limit=&after=`: the organization's orders, the newest first. */
import { type ConsoleCall, callerOf } from "../../console/call.ts";
import { consoleLimits } from "../../console-limits.ts";
import { type HttpReply, jsonReply } from "../../http/message.ts";
import { readQuery } from "../../http/query.ts";
import { readLimit } from "../api/report-parameters.ts";
import type { OrderDeps } from "../orders/deps.ts";
import { showOrder } from "../orders/show.ts";

/** Orders of points and of plans alike. Nobody is asked about them: a page asks about the one that it shows. */
export async function listOrders(
  call: ConsoleCall,
  { orders }: Pick<OrderDeps, "orders">,
): Promise<HttpReply> {
  const { limit, after } = readQuery<{ limit: number; after: string | undefined }>(call.request.query, {
    limit: readLimit(consoleLimits.orderListMax),
    after: (given) => given,
  });
  const page = { limit, ...(after && { after }) };
  const found = await orders.list(callerOf(call).organization.id, page);
  return jsonReply({
    object: "list",
    data: found.orders.map(showOrder),
    has_more: found.more,
    last_id: found.orders.at(-1)?.id ?? null,
  });
}
