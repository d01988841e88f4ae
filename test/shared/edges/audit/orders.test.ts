/** The audit of orders and refunds: clean on real histories, and each kind of break is named by its invariant. */
import { beforeEach, describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import { creditEntry, paymentEntry } from "#shared/books/ledger/credit.ts";
import type { Credit, Entry } from "#shared/books/ledger/ledger.ts";
import { look } from "#shared/edges/audit/audit.ts";
import { ordersMatchLedger, refundsMatchLedger } from "#shared/edges/audit/orders.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createKeptBooks } from "#shared/edges/store/audited.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { takeNotice } from "#shared/people/orders/notice.ts";
import { startRefund, tendRefund } from "#shared/people/orders/refund.ts";
import type { Order, Refund } from "#shared/people/payments/order.ts";
import { emptyQueue } from "#test/support/audit-books.ts";
import { awsOverMemory } from "#test/support/aws-over.ts";
import { createMemoryDynamoDb } from "#test/support/memory-dynamodb.ts";
import { morning, newOrder, orderDeps, pendingOrder, signedUp } from "#test/support/orders.ts";
import { Trades } from "#test/support/trades.ts";

interface Books {
  orders: Order[];
  refunds: Refund[];
  entries: Entry[];
  now: number;
}

const wallet = { organization: "org_1", meter: "mtr_1", account: "cash:alipay", at: morning };

function credited(change: Partial<Order> = {}): Order {
  const paid = { transaction: "t", amount: 10_000, currency: "CNY", at: morning, via: "notice" } as const;
  const order = newOrder("org_1", morning, { state: "credited", paid, booked_as: "points", ...change });
  return { ...order, credited_at: morning };
}

const creditOf = ({ id }: Order, change: Partial<Credit> = {}) =>
  creditEntry({ ...wallet, points: 100n * 10n ** 18n, reference: `order.${id}`, ...change });

function refundOf(order: Order, state: Refund["state"]): Refund {
  const id = newId("refund", morning);
  return { id, order: order.id, amount: 2_500, points: "25", reason: "r", state, created_at: morning };
}

const taken = ({ id }: Refund, change: Partial<Credit> = {}) =>
  creditEntry({ ...wallet, points: -25n * 10n ** 18n, kind: "refund", reference: `refund.${id}`, ...change });

const back = ({ id }: Refund) =>
  creditEntry({
    ...{ ...wallet, points: 25n * 10n ** 18n, kind: "adjustment", reference: `refund.${id}.back` },
  });

let books: Books;
/** An order of points, one of a plan, one that waits, one with a refund, and one whose refund was refused. */
let [points, plan, waiting, partly, refused]: Order[] = [];
let [done, denied]: Refund[] = [];
beforeEach(() => {
  points = credited();
  plan = credited({ kind: "plan", booked_as: "plan" });
  waiting = newOrder("org_1", morning, { state: "pending" });
  partly = credited({ state: "partly_refunded", refunded: 2_500 });
  refused = credited();
  done = refundOf(partly, "done");
  denied = refundOf(refused, "refused");
  const payment = { ...wallet, points: 100n * 10n ** 18n, reference: `order.${plan.id}` };
  books = {
    orders: [points, plan, waiting, partly, refused],
    refunds: [done, denied],
    entries: [
      ...[points, partly, refused].map((order) => creditOf(order)),
      paymentEntry(payment),
      ...[taken(done), taken(denied), back(denied)],
      creditEntry({ ...wallet, account: "cash:operator", points: 5n, reference: "order.1042" }),
    ],
    now: morning + 3_600_000,
  };
});

const gaps = () => ({ orders: ordersMatchLedger(books).gaps, refunds: refundsMatchLedger(books).gaps });
const entryOf = (reference: string) => books.entries.findIndex(({ id }) => id === `credit#${reference}`);
const change = (reference: string, fields: Partial<Entry>) =>
  Object.assign(books.entries[entryOf(reference)] ?? {}, fields);

test("clean books say how much was credited and taken back", () => {
  expect(gaps()).toEqual({ orders: [], refunds: [] });
  expect(ordersMatchLedger(books).detail).toBe("4 credited orders: each booked once, 400 points in all");
  expect(refundsMatchLedger(books).detail).toBe("2 refunds: each booked once, 25 points in all");
});

test("points that the operator has booked by hand under an order's reference are that order's", () => {
  books.entries[entryOf(`order.${points?.id}`)] = creditOf(points as Order, { account: "cash:operator" });
  expect(gaps()).toEqual({ orders: [], refunds: [] });
});

test("an order that nobody asks about any more may be credited by hand, under its own reference", () => {
  Object.assign(waiting as Order, { state: "closed" });
  books.entries.push(creditOf(waiting as Order, { account: "cash:operator" }));
  expect(gaps()).toEqual({ orders: [], refunds: [] });
});

type Break = [what: string, plant: () => void, told: () => string];
const name = (order: Order | undefined) => `org_1 credit#order.${order?.id}`;
const refundName = (refund: Refund | undefined) => `org_1 credit#refund.${refund?.id}`;

const orderBreaks: Break[] = [
  [
    "a credited order that is not booked",
    () => books.entries.splice(entryOf(`order.${points?.id}`), 1),
    () => `${points?.id} is credited, and ${name(points)} is not booked`,
  ],
  [
    "an order that is booked twice",
    () => books.entries.push(creditOf(points as Order)),
    () => `${name(points)} is booked 2 times`,
  ],
  [
    "other points than were paid for",
    () => change(`order.${points?.id}`, { points: "101" }),
    () => `${name(points)} has 101 points, not 100`,
  ],
  [
    "the account of another channel",
    () => change(`order.${points?.id}`, { debit: "cash:wechat" }),
    () => `${name(points)} has 0 points, not 100, no part in cash:alipay, the account of its channel`,
  ],
  [
    "points where a plan was paid",
    () => change(`order.${plan?.id}`, { kind: "bought" }),
    () => `${name(plan)} has the kind bought, not payment`,
  ],
  ["an entry without an order", () => books.orders.shift(), () => `${name(points)} has no order`],
  [
    "an entry of an order that waits to be paid",
    () => books.entries.push(creditOf(waiting as Order)),
    () => `${name(waiting)} is booked, and its order is pending`,
  ],
  [
    "a second entry, in another organization",
    () => books.entries.push(creditOf(points as Order, { organization: "org_2" })),
    () => `org_2 credit#order.${points?.id} is of an order of org_1`,
  ],
  [
    "a channel's money under a name of its own",
    () => books.entries.push(creditOf(points as Order, { reference: "gift" })),
    () => "org_1 credit#gift moves money of a channel and names no order",
  ],
  [
    "a payment that waits for longer than the alarm allows",
    () => Object.assign(waiting as Order, { state: "paid", paid: points?.paid }),
    () => `${waiting?.id} was paid at 2026-11-23T09:00:00.000Z and is not credited`,
  ],
];

const refundBreaks: Break[] = [
  [
    "a refund that took nothing",
    () => books.entries.splice(entryOf(`refund.${done?.id}`), 1),
    () => `${partly?.id} is partly_refunded, and ${refundName(done)} is not booked`,
  ],
  [
    "a refused refund that gave nothing back",
    () => books.entries.splice(entryOf(`refund.${denied?.id}.back`), 1),
    () => `${refused?.id} is credited, and ${refundName(denied)}.back is not booked`,
  ],
  [
    "points given back of a refund that was paid",
    () => books.entries.push(back(done as Refund)),
    () => `${refundName(done)}.back has no refund that says so`,
  ],
  [
    "a refund that took other points",
    () => change(`refund.${done?.id}`, { points: "24" }),
    () => `${refundName(done)} has -24 points, not -25`,
  ],
  [
    "an entry without a refund",
    () => books.entries.push(taken(refundOf(points as Order, "done"))),
    () => "has no refund that says so",
  ],
  [
    "a refund without an order",
    () => books.refunds.push({ ...(done as Refund), id: newId("refund", morning), order: "ord_gone" }),
    () => "is of ord_gone, which is not there",
  ],
  [
    "an order that says otherwise than its refunds",
    () => Object.assign(partly as Order, { refunded: 2_400 }),
    () =>
      `${partly?.id} has the refunded 24.00 CNY, and the amount of its refunds that are done is 25.00 CNY`,
  ],
  [
    "a refund that runs while its order does not wait for it",
    () => {
      const asked = refundOf(points as Order, "asked");
      books.refunds.push(asked);
      books.entries.push(taken(asked));
    },
    () => `${points?.id} is credited, and 1 of its refunds run`,
  ],
];

describe("is named:", () => {
  test.each(orderBreaks)("%s", (_, plant, told) => {
    plant();
    const { orders, refunds } = gaps();
    expect(orders).toEqual([told()]);
    if (books.orders.length === 5) expect(refunds).toEqual([]);
  });

  test.each(refundBreaks)("%s", (_, plant, told) => {
    plant();
    const { orders, refunds } = gaps();
    expect([orders, refunds]).toEqual([[], [expect.stringContaining(told())]]);
  });
});

test("orders that were really bought and paid back are clean, and the audit reads them from the store", async () => {
  const clock = { now: morning };
  const db = createMemoryDynamoDb({ now: () => clock.now });
  const { aws, tables } = { aws: awsOverMemory(db), tables: db.tables };
  const trades = new Trades(() => clock.now);
  const deps = orderDeps({ aws, tables }, { alipay: trades }, clock);
  const acme = await signedUp({ aws, tables }, morning - 60_000);
  const buy = async () => {
    const order = await pendingOrder(acme.id, deps);
    trades.pay(order.id);
    return await takeNotice(trades.evidence(order.id, "alipay"), deps);
  };
  const bought = await buy();
  await buy();
  await tendRefund(await startRefund(bought, { amount: 4_000, reason: "r" }, deps), deps);
  const audited = async () => {
    const ledger = createLedger(aws, tables);
    const { invariants } = await look({
      ...{
        kept: createKeptBooks(aws, tables),
        accounts: createAccounts(aws, tables),
        ledger,
        queue: emptyQueue,
      },
      ...{ meters: createMeters(aws, tables), tasks: createTasks(aws, tables), now: () => clock.now },
    });
    return invariants.filter(({ name }) => name === "orders_match_ledger" || name === "refunds_match_ledger");
  };
  expect(await audited()).toEqual([
    { name: "orders_match_ledger", holds: true, detail: expect.stringMatching(/^2 credited .* 200 points/) },
    { name: "refunds_match_ledger", holds: true, detail: expect.stringMatching(/^1 refunds: .* 40 points/) },
  ]);
  const reference = `order.${newId("order", morning)}`;
  const stray = { ...wallet, organization: acme.id, meter: acme.wallet?.meter ?? "", points: 5n, reference };
  await createLedger(aws, tables).credit(stray);
  expect((await audited())[0]).toEqual({
    ...{ name: "orders_match_ledger", holds: false },
    detail: `${acme.id} credit#${reference} has no order`,
  });
});
