/** New orders on DynamoDB: one transaction puts an order, its place and its claim, and counts it. */
import { GatewayError } from "../../../base/errors.ts";
import type { Aws } from "../../../base/platform/aws.ts";
import type { Order } from "../../../people/payments/order.ts";
import type { OrderClaim, OrderCreation, Orders } from "../../../people/payments/orders.ts";
import { isOpen } from "../../../people/payments/states.ts";
import { orderClaimKey } from "../dynamodb/account-keys.ts";
import { type Item, readBigint, readText } from "../dynamodb/attributes.ts";
import { getItem } from "../dynamodb/items.ts";
import { type ActionOutcome, unlessContended, update } from "../dynamodb/transaction.ts";
import { bookCredit } from "../ledger/credits.ts";
import { planWrites } from "./bookings.ts";
import { openCount, orderWrites } from "./new-order.ts";
import type { OrderTables } from "./order-item.ts";

/** The part of the store of orders that makes them. */
export function createCreation(aws: Aws, tables: OrderTables): Pick<Orders, "create" | "claimed" | "buy"> {
  const table = tables.accounts;
  return {
    async create(order, due_at, claim) {
      if (!isOpen(order.state)) throw new Error("a new order waits for its customer");
      const writes = [...orderWrites(table, order, { due_at, claim }), update(openCount(table, order))];
      const outcomes = await unlessContended(aws, writes);
      if (outcomes === "contended") throw busy();
      const hindered = outcomes && hindrance(order, outcomes, claim);
      if (hindered) return hindered;
      return { outcome: outcomes ? "too_many" : "created" };
    },

    async buy(order, { payment, ...change }, claim) {
      const own = orderWrites(table, order, { due_at: null, claim });
      const outcome = await bookCredit(aws, tables, payment, [
        ...own,
        ...planWrites(tables, payment, change),
      ]);
      if (outcome === "booked") return { outcome: "created" };
      if (outcome === "known") throw new Error(`the order ${order.id} is there already`);
      return hindrance(order, outcome, claim) ?? { outcome: "changed" };
    },

    async claimed(organization, key, now) {
      const item = await getItem(aws, table, orderClaimKey(organization, key));
      const isOver = item && Number(readBigint(item.expires_at)) * 1000 <= now;
      return item && !isOver ? claimIn(item) : undefined;
    },
  };
}

/** Others of the organization order at the same moment. */
function busy(): GatewayError {
  const message = "Others order at the same moment. Please try again.";
  return new GatewayError("global_rate_limited", { message });
}

/** Which of those writes was not possible; undefined where all of them were. */
function hindrance(
  { id }: Order,
  [own, place, hour, claimed]: ActionOutcome[],
  claim: OrderClaim | undefined,
): OrderCreation | undefined {
  if (claim && claimed?.failed && claimed.item) return { outcome: "known", ...claimIn(claimed.item) };
  if (hour?.failed) return { outcome: "too_often" };
  if (own?.failed || place?.failed) throw new Error(`the order ${id} is there already`);
  return undefined;
}

function claimIn({ order, request }: Item): { order: string; request: string } {
  return { order: readText(order), request: readText(request) };
}
