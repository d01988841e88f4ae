/** The writes that make an order, whoever makes it. */
import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import { consoleLimits } from "../../../base/console-limits.ts";
import { hourMs } from "../../../books/billing/period.ts";
import type { Order } from "../../../people/payments/order.ts";
import type { OrderClaim } from "../../../people/payments/orders.ts";
import { openOrdersKey, orderClaimKey, orderKey, ordersOfHourKey } from "../dynamodb/account-keys.ts";
import { toItem } from "../dynamodb/attributes.ts";
import { absent, absentOrBelow, type Change } from "../dynamodb/expressions.ts";
import { put, update } from "../dynamodb/transaction.ts";
import { dueItem, orderPlace } from "./order-item.ts";

/** A new order, its place in the list, its count of the hour, and its claim if it has one. */
export function orderWrites(
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

/** The count of orders that wait for their customer. */
export function openCount(table: string, { organization }: Order): Change {
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
