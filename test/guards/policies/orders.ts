/** Orders: what is paid is booked once, and nothing else is (shared/payments/README.md). */
import type { Row } from "../guard.ts";

const store = "shared/store/orders/orders";
const simulated = "faults/orders › histories of orders lose and double nothing";

export const orders: Row[] = [
  {
    id: "orders-1",
    test: "shared/operations/console/payments › that differ in the %s put the order in review and credit nothing",
    guard: "amount: amount !== wanted.amount,",
    without: "amount: false,",
  },
  {
    id: "orders-2",
    test: "shared/payments/evidence › %s differs",
    guard: "account: !isSame(accounts, ours),",
    without: "account: false,",
  },
  {
    id: "orders-3",
    test: `${store} › bookings of one paid order, which all read as paid, book it once`,
    guard: "    reference: referenceOf(order),\n    account: accountOf(order),\n    at",
    without: "    reference: referenceOf(order) + Math.random(),\n    account: accountOf(order),\n    at",
  },
  {
    id: "orders-4",
    test: `${store} › an order that is not paid is not booked, whoever asks`,
    guard: 'return changeOf(tables.accounts, order, facts, null, [exists("paid")]);',
    without: "return changeOf(tables.accounts, order, facts, null, []);",
  },
  {
    id: "orders-5",
    test: `${store} › of twenty orders at once five wait, and the count goes down as they end`,
    guard: 'when: [absentOrBelow("open", consoleLimits.openOrdersMax)],',
    without: "",
  },
  {
    id: "orders-6",
    test: "shared/payments/states › %s is left as the table says, and in no other way",
    guard: 'paid: { from: [...unpaid, "review"], to: "paid" },',
    without: 'paid: { from: ["created", "pending", "closing", "review"], to: "paid" },',
  },
  {
    id: "orders-7",
    test: simulated,
    guard: "return rechecksMs.map((wait) => end + wait).find((at) => at > now) ?? null;",
    without: 'return state === "closed" ? null : end + 1;',
  },
  {
    id: "orders-8",
    test: "shared/operations/console/payments › a foreign or unknown order is 40410, on every route",
    guard: "if (order?.organization !== callerOf(call).organization.id)",
    without: "if (!order)",
  },
  {
    id: "orders-9",
    test: "shared/operations/console/payments › about an order that we do not have are 50004, so that they come again",
    guard: "    await takeNotice(evidence, deps);",
    without: "    await takeNotice(evidence, deps).catch(() => {});",
  },
  {
    id: "orders-10",
    test: `${store} › of twenty at once one takes the points, and the platform pays once`,
    guard: "update(changeOf(table, order, facts, due_at)),",
    without: "",
  },
  {
    id: "orders-11",
    test: "shared/operations/orders/plans › twice at once, the second payment becomes points",
    guard: "if (!quote || costsMore || isOther) {",
    without: "if (!quote) {",
  },
  {
    id: "orders-12",
    test: "shared/operations/orders/plans › it goes on where it would have ended, and no fee is posted a second time",
    guard: "        putEntry(tables.ledger, feeKey(organization, entry.id), entry),",
    without: "",
  },
];
