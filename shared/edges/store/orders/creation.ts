/** New orders on DynamoDB: one transaction puts an order, its place and its claim, and counts it. */
import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import { consoleLimits } from "../../../base/console-limits.ts";
import { GatewayError } from "../../../base/errors.ts";
import type { Aws } from "../../../base/platform/aws.ts";
import { hourMs } from "../../../books/billing/period.ts";
import type { Order } from "../../../people/payments/order.ts";
import type { OrderClaim, OrderCreation, Orders } from "../../../people/payments/orders.ts";
import { isOpen } from "../../../people/payments/states.ts";
import { openOrdersKey, orderClaimKey, orderKey, ordersOfHourKey } from "../dynamodb/account-keys.ts";
import { type Item, readBigint, readText, toItem } from "../dynamodb/attributes.ts";
import { absent, absentOrBelow, type Change } from "../dynamodb/expressions.ts";
import { getItem } from "../dynamodb/items.ts";
import { type ActionOutcome, put, unlessContended, update } from "../dynamodb/transaction.ts";
import { bookCredit } from "../ledger/credits.ts";
import { planWrites } from "./bookings.ts";
import { dueItem, type OrderTables, orderPlace } from "./order-item.ts";

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

/** A new order, its place in the list, its count of the hour, and its claim if it has one. */
function orderWrites(
  table: string,
  order: Order,
  { due_at, claim }: { due_at: number | null; claim: OrderClaim | undefined },
): TransactWriteItem[] {
  const { id, state } = order;
  const due = due_at === null ? {} : dueItem(due_at, state);
  return [
    put(table, { ...orderKey(id), ...toItem(order), ...due }, [absent("pk")]),
    put(table, orderPlace(order), [absent("pk")]),
    update(countOfHour(table, order)),
    ...(claim ? [putClaim(table, order, claim)] : []),
  ];
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

/** The count of orders that wait for their customer. */
function openCount(table: string, { organization }: Order): Change {
  return {
    table,
    key: openOrdersKey(organization),
    add: { open: 1 },
    when: [absentOrBelow("open", consoleLimits.openOrdersMax)],
  };
}

/** An order that is made counts in its hour, whatever becomes of it, so that nobody makes and closes them without end. */
function countOfHour(table: string, { organization, created_at }: Order): Change {
  const hour = Math.floor(created_at / hourMs);
  return {
    table,
    key: ordersOfHourKey(organization, hour),
    // A clock may be behind.
    set: toItem({ expires_at: ((hour + 2) * hourMs) / 1000 }),
    add: { made: 1 },
    when: [absentOrBelow("made", consoleLimits.ordersOfHourMax)],
  };
}

/** A key that is over may be used again: DynamoDB removes expired items late. */
function putClaim(
  table: string,
  { organization, id, created_at }: Order,
  claim: OrderClaim,
): TransactWriteItem {
  const now = Math.floor(created_at / 1000);
  const fields = { order: id, request: claim.request, expires_at: now + consoleLimits.orderClaimSeconds };
  const item = { ...orderClaimKey(organization, claim.key), ...toItem(fields) };
  return put(table, item, [absentOrBelow("expires_at", now)]);
}
