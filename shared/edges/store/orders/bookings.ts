/** What an order bought, booked: one transaction of the ledger, the wallet or the subscription, and the order. */
import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import { GatewayError } from "../../../base/errors.ts";
import type { Aws } from "../../../base/platform/aws.ts";
import { parsePoints } from "../../../books/billing/points.ts";
import { creditedBy, paymentEntry } from "../../../books/ledger/credit.ts";
import type { Credit, Entry } from "../../../books/ledger/ledger.ts";
import { feeEntry } from "../../../books/ledger/plan-fee.ts";
import type { Order } from "../../../people/payments/order.ts";
import type { MoneyPayment, OrderFacts, Orders, PlanChange } from "../../../people/payments/orders.ts";
import { nextCheck } from "../../../people/payments/schedule.ts";
import { toAttribute, toItem } from "../dynamodb/attributes.ts";
import { equals, exists } from "../dynamodb/expressions.ts";
import { creditKey, feeKey, organizationKey } from "../dynamodb/item-keys.ts";
import { changeItem, getItem } from "../dynamodb/items.ts";
import { transact, update } from "../dynamodb/transaction.ts";
import { bookCredit } from "../ledger/credits.ts";
import { moneyWrites, readEntry } from "../ledger/postings.ts";
import { changeOf, movedBy, type OrderTables, paidPlace, withFacts } from "./order-item.ts";
import { planEndWrites } from "./plan-ends.ts";

/** The part of the store of orders that books what was paid for. */
export function createBookings(
  aws: Aws,
  tables: OrderTables,
  find: Orders["find"],
): Pick<Orders, "credit" | "fulfil"> {
  /** An order whose reference is booked, perhaps before its move: it moves alone, as of the entry's instant. */
  const catchUp = async (order: Order, entry: Entry, now: number): Promise<Order | undefined> => {
    const booked_as = entry.kind === "payment" ? "plan" : "points";
    const facts: OrderFacts = { credited_at: entry.at, booked_as };
    const done = await changeItem(
      aws,
      changeOf(tables.accounts, order, movedBy(order, "credited", facts), checkOf(order, now)),
    );
    return done ? withFacts(order, movedBy(order, "credited", facts)) : undefined;
  };

  return {
    async credit(order, credit) {
      const facts = movedBy(order, "credited", { credited_at: credit.at, booked_as: "points" });
      const outcome = await bookCredit(aws, tables, credit, paidWrites(tables, order, facts)).catch(refusal);
      if (outcome === "booked") return withFacts(order, facts);
      const entry = await bookedUnder(aws, tables, credit);
      if (entry) return await catchUp(order, entry, credit.at);
      if ((await find(order.id))?.paid) return undefined;
      throw new Error(`the order ${order.id} is not paid`);
    },

    async fulfil(order, fulfilment) {
      const { payment } = fulfilment;
      const facts = movedBy(order, "credited", { credited_at: payment.at, booked_as: "plan" });
      const outcomes = await transact(aws, [
        ...planWrites(tables, payment, fulfilment, payment),
        ...paidWrites(tables, order, facts),
      ]);
      if (!outcomes) return withFacts(order, facts);
      const [booked, subscribed, posted] = outcomes;
      if (booked?.failed && booked.item) return await catchUp(order, readEntry(booked.item), payment.at);
      if (subscribed?.failed || posted?.failed) return "changed";
      throw new Error(`the order ${order.id} is not paid`);
    },
  };
}

/**
 * What a paid plan writes beside its order, in this order: payment of money, subscription, fee. Then the sum of hashes,
 * and when owners hear of the end.
 */
export function planWrites(
  tables: OrderTables,
  { organization, at }: Pick<Credit, "organization" | "at">,
  { fee, before, after }: PlanChange,
  payment?: MoneyPayment,
): TransactWriteItem[] {
  const entry = feeEntry(organization, fee, at);
  const money = payment
    ? [{ key: creditKey(organization, payment.reference), entry: paymentEntry(payment) }]
    : [];
  const writes = moneyWrites(tables.ledger, organization, [
    ...money,
    { key: feeKey(organization, entry.id), entry },
  ]);
  return [
    ...writes.slice(0, money.length),
    update({
      table: tables.keys,
      key: organizationKey(organization),
      set: toItem({ subscription: after }),
      when: [equals("subscription", toAttribute(before))],
    }),
    ...writes.slice(money.length),
    ...planEndWrites(tables.accounts, organization, after.ends_at, at),
  ];
}

/** A reference that has booked something else, such as a plan. Any other error is thrown as it is. */
function refusal(error: unknown): "other" {
  if (error instanceof GatewayError && error.key === "invalid_request") return "other";
  throw error;
}

/**
 * Moves an order with a payment's facts and hash. Only its reference in the ledger keeps it from being booked twice.
 */
function paidWrites(
  { accounts }: OrderTables,
  order: Order,
  facts: OrderFacts & { state: Order["state"] },
): TransactWriteItem[] {
  const due_at = checkOf(order, facts.credited_at ?? 0);
  return [
    update(changeOf(accounts, order, facts, due_at, [exists("paid")])),
    update(paidPlace(accounts, order)),
  ];
}

/** When an order that is booked at `at` is asked about again: it may be paid back without us. */
function checkOf(order: Order, at: number): number | null {
  return nextCheck({ ...order, state: "credited", credited_at: at }, at);
}

/** What a reference has booked. Throws where that is a credit of other points, which somebody made by hand. */
async function bookedUnder(
  aws: Aws,
  tables: OrderTables,
  { organization, reference, points }: Credit,
): Promise<Entry | undefined> {
  const item = await getItem(aws, tables.ledger, creditKey(organization, reference));
  if (!item) return undefined;
  const entry = readEntry(item);
  if (entry.kind === "payment" || creditedBy(entry) === points) return entry;
  throw new Error(`${reference} has booked ${parsePoints(entry.points)} already`);
}
