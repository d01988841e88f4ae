/** Refunds on DynamoDB: the ledger takes the points in the transaction that makes the refund. */

import type { Aws } from "../../../base/platform/aws.ts";
import type { Order, Refund } from "../../../people/payments/order.ts";
import type { OrderFacts, Orders } from "../../../people/payments/orders.ts";
import { nextCheck } from "../../../people/payments/schedule.ts";
import { pointsBackTrigger } from "../../../people/payments/states.ts";
import { accountPrefixes, accountSorts, refundKey } from "../dynamodb/account-keys.ts";
import { readText, toAttribute, toItem } from "../dynamodb/attributes.ts";
import { absent, begins, equals } from "../dynamodb/expressions.ts";
import { between, readRecord } from "../dynamodb/item-keys.ts";
import { eachWhere, getItem, itemsBetween } from "../dynamodb/items.ts";
import { put, transact, update } from "../dynamodb/transaction.ts";
import { bookCredit } from "../ledger/credits.ts";
import { planWrites } from "./bookings.ts";
import { changeOf, movedBy, type OrderTables, withFacts } from "./order-item.ts";

/** The part of the store of orders that gives money back. */
export function createRefunds(
  aws: Aws,
  tables: OrderTables,
): Pick<Orders, "takeRefund" | "takePlan" | "refund" | "refunds" | "everyRefund" | "endRefund"> {
  const table = tables.accounts;
  /** The refund, and its order. That waits for the platform, unless the refund is done. */
  const begun = (order: Order, refund: Refund, due_at: number) => {
    const isDone = refund.state === "done";
    const facts = isDone
      ? movedBy(order, pointsBackTrigger(order, refund.amount), { refunded: refund.amount })
      : movedBy(order, "refund_taken", { refund: refund.id });
    const writes = [
      put(table, { ...refundKey(order.id, refund.id), ...toItem(refund) }, [absent("pk")]),
      update(changeOf(table, order, facts, isDone ? null : due_at)),
    ];
    return { facts, writes };
  };
  return {
    async takeRefund(order, refund, credit, due_at) {
      const { facts, writes } = begun(order, refund, due_at);
      const outcome = await bookCredit(aws, tables, credit, writes);
      return outcome === "booked" ? withFacts(order, facts) : undefined;
    },

    async takePlan(order, refund, taken) {
      const { facts, writes } = begun(order, refund, taken.payment.at);
      const { payment } = taken;
      const isTaken =
        "meter" in payment
          ? (await bookCredit(aws, tables, payment, [...planWrites(tables, payment, taken), ...writes])) ===
            "booked"
          : (await transact(aws, [...planWrites(tables, payment, taken, payment), ...writes])) === null;
      return isTaken ? withFacts(order, facts) : undefined;
    },

    async refund(order, id) {
      return readRecord<Refund>(await getItem(aws, table, refundKey(order, id)));
    },

    async refunds(order) {
      const partition = readText(refundKey(order, "").pk);
      const range = between(accountSorts.refund, `${accountSorts.refund}~`);
      const items = await itemsBetween(aws, table, partition, range);
      return items.map((item) => readRecord<Refund>(item));
    },

    async *everyRefund() {
      const when = [begins("pk", accountPrefixes.order), begins("sk", accountSorts.refund)];
      for await (const item of eachWhere(aws, table, when)) yield readRecord<Refund>(item);
    },

    async endRefund(order, refund, { trigger, state, now, back }) {
      const refunded = (order.refunded ?? 0) + (state === "done" ? refund.amount : 0);
      const facts: OrderFacts = { refund: null, ...(refunded > 0 && { refunded }) };
      const moved = movedBy(order, trigger, facts);
      const end = {
        table,
        key: refundKey(order.id, refund.id),
        set: toItem({ state, ended_at: now }),
        when: [equals("state", toAttribute("asked"))],
      };
      const due_at = nextCheck({ ...order, state: moved.state }, now);
      const writes = [update(end), update(changeOf(table, order, moved, due_at))];
      const done = back
        ? (await bookCredit(aws, tables, back, writes)) === "booked"
        : (await transact(aws, writes)) === null;
      return done ? withFacts(order, moved) : undefined;
    },
  };
}
