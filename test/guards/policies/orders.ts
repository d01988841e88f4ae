/** Orders: what is paid is booked once, and nothing else is (shared/people/payments/README.md). */
import type { Row } from "../guard.ts";

const store = "shared/edges/store/orders/orders";
const simulated = "faults/orders › histories of orders lose and double nothing";

export const orders: Row[] = [
  {
    id: "orders-1",
    test: "shared/edges/console/operations/payments › that differ in the %s put the order in review and credit nothing",
    guard: "amount: amount !== wanted.amount,",
    without: "amount: false,",
  },
  {
    id: "orders-2",
    test: "shared/people/payments/evidence › %s differs",
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
    guard: 'update(changeOf(accounts, order, facts, due_at, [exists("paid")])),',
    without: "update(changeOf(accounts, order, facts, due_at, [])),",
  },
  {
    id: "orders-5",
    test: `${store} › of twenty orders at once five wait, and the count goes down as they end`,
    guard: 'when: [absentOrBelow("open", consoleLimits.openOrdersMax)],',
    without: "",
  },
  {
    id: "orders-6",
    test: "shared/people/payments/states › %s is left as the table says, and in no other way",
    guard: 'paid: { from: [...unpaid, "review"], to: "paid" },',
    without: 'paid: { from: ["created", "pending", "closing", "review"], to: "paid" },',
  },
  {
    id: "orders-7",
    test: simulated,
    guard: "return checks.map((wait) => end + wait).find((at) => at > now) ?? null;",
    without:
      'return state === "closed" ? null : (checks.map((wait) => end + wait).find((at) => at > now) ?? null);',
  },
  {
    id: "orders-8",
    test: "shared/edges/console/operations/payments › a foreign or unknown order is 40410, on every route",
    guard: "if (order?.organization !== callerOf(call).organization.id)",
    without: "if (!order)",
  },
  {
    id: "orders-9",
    test: "shared/edges/console/operations/payments › about an order that we do not have are 50004, so that they come again",
    guard: "    await takeNotice(evidence, deps);",
    without: "    await takeNotice(evidence, deps).catch(() => {});",
  },
  {
    id: "orders-10",
    test: `${store} › of twenty at once one takes the points, and the platform pays once`,
    guard: "update(changeOf(table, order, facts, isDone ? null : due_at)),",
    without: "",
  },
  {
    id: "orders-11",
    test: "shared/people/orders/plans › twice at once, the second payment becomes points",
    guard: "if (!quote || changed.length > 0) return",
    without: "if (!quote) return",
  },
  {
    id: "orders-12",
    test: "shared/people/orders/plans › it goes on where it would have ended, and no fee is posted a second time",
    guard: "    { key: feeKey(organization, entry.id), entry },",
    without: "",
  },
  {
    id: "orders-13",
    test: "shared/edges/jobs/reconcile › at %s is credited within 70 s, whenever it is",
    guard: "return now < expires_at ? Math.min(now + everyRunMs, expires_at) : now + everyRunMs;",
    without: "return now < expires_at ? Math.min(at, expires_at) : at;",
  },
  {
    id: "orders-14",
    test: "shared/edges/jobs/reconcile › at %s is credited within 70 s, whenever it is",
    guard: "const everyRunMs = 5_000;",
    without: "const everyRunMs = minuteMs;",
  },
  {
    id: "orders-15",
    test: "shared/edges/jobs/reconcile › is found also where its customer has closed a code that nobody had scanned, in run %d",
    guard: "      if (!isDead(order, now)) return now + everyRunMs;\n",
    without: "",
  },
  {
    id: "orders-16",
    test: "shared/edges/jobs/reconcile › and are %s do not keep another one from its turn, and a run ends in time",
    guard: 'const kind: DueKind = isAwaited(state) ? "awaited" : "rechecked";',
    without: 'const kind: DueKind = "awaited" as const;',
  },
  {
    id: "orders-17",
    test: "shared/edges/jobs/reconcile › and are %s do not keep another one from its turn, and a run ends in time",
    guard: "if (longest.length < limit) return [longest, [], over];",
    without: "if (longest.length >= 0) return [longest, [], over];",
  },
  {
    id: "orders-40",
    test: "shared/edges/jobs/reconcile › of %d orders that were looked at before, a run asks about as many as it reads",
    guard: "shortest.filter((id) => !taken.has(id))",
    without: "shortest.filter((id) => id !== undefined || taken.has(id))",
  },
  {
    id: "orders-41",
    test: "shared/people/payments/schedule › what is over is asked about again at its times, and then no more",
    guard: 'if (state === "review" && now < expires_at) return Math.min(now + everyRunMs, expires_at);',
    without: 'if (state === "review" && now < expires_at) return expires_at;',
  },
  {
    id: "orders-27",
    test: "shared/edges/jobs/reconcile › and are %s do not keep another one from its turn, and a run ends in time",
    guard: "if (!order || (isNew && order.tries)) return false;",
    without: "if (!order) return false;",
  },
  {
    id: "orders-18",
    test: "shared/edges/jobs/reconcile › a platform that does not answer takes no time from the others",
    guard: 'if (before >= consoleLimits.reconcileSilencesMax) throw new GatewayError("payment_platform");',
    without: 'if (before < 0) throw new GatewayError("payment_platform");',
  },
  {
    id: "orders-19",
    test: "shared/edges/jobs/reconcile › a run asks at most twenty times a second",
    guard: "if (waiting() > 0 && rest > 0) await pause(rest);",
    without: "if (rest > 1e9) await pause(rest);",
  },
  {
    id: "orders-20",
    test: `${store} › an organization makes thirty orders an hour, and what is refused is no order`,
    guard: 'when: [absentOrBelow("made", consoleLimits.ordersOfHourMax)],',
    without: "",
  },
  {
    id: "orders-21",
    test: "shared/people/orders/returned › a payment that went back is told once, and books nothing",
    guard: "const isKnown = refunded === undefined ? known > 0 : refunded <= known;",
    without: "const isKnown = true;",
  },
  {
    id: "orders-22",
    test: "shared/people/orders/returned › a refund of ours is none of these, whenever it is told",
    guard: "(order.refunded ?? 0) + (order.returned ?? 0) + (paid.returned ?? 0) + (running?.amount ?? 0),",
    without: "(order.returned ?? 0),",
  },
  {
    id: "orders-23",
    test: "shared/people/orders/returned › a refund %s says nothing of the order",
    guard: 'return others.every((field) => field === "state");',
    without: "return true;",
  },
  {
    id: "orders-24",
    test: "shared/people/orders/returned › a payment that an operator has dismissed is not doubted again when it is paid back, or told again",
    guard: "if (isDismissed(order, money)) return undefined;",
    without: "",
  },
  {
    id: "orders-25",
    test: "shared/people/orders/returned › a payment that went back is told once, and books nothing",
    guard: "return Math.max(0, (paid ? keptOf(paid) : 0) - refunded - returned);",
    without: "return Math.max(0, (paid ? keptOf(paid) : 0) - refunded);",
  },
  {
    id: "orders-26",
    test: "shared/edges/console/operations/order-bounds › an order whose channel the stage has no more is shown, and can be closed later",
    guard: 'return isSilence(error) || (error instanceof GatewayError && error.key === "payment_channel");',
    without: "return isSilence(error);",
  },
  {
    id: "orders-28",
    test: "shared/edges/jobs/plan-notices › of runs at the same time one tells",
    guard: 'when: [equals("due_at", { S: dueText(due_at) })],',
    without: "",
  },
  {
    id: "orders-29",
    test: "shared/edges/jobs/reconcile › an order that is paid by a bank which answers after days waits for it, and is then credited",
    guard: 'if (answer === "pending") return order;',
    without: 'if (answer === "pending") return await markClosed(order, deps);',
  },
  {
    id: "orders-30",
    test: "shared/people/orders/returned › what went back beside a refund of ours is known by its sum",
    guard: 'if (order.state === "refunding") throw new GatewayError("payment_platform");',
    without: "",
  },
  {
    id: "orders-31",
    test: "shared/people/payments/evidence › %s differs",
    guard: "channel: channel !== wanted.channel,",
    without: "channel: false,",
  },
  {
    id: "orders-32",
    test: "shared/people/payments/evidence › %s differs",
    guard: "order: order !== wanted.id,",
    without: "order: false,",
  },
  {
    id: "orders-33",
    test: "shared/people/payments/evidence › %s differs",
    guard: "currency: currency !== wanted.currency,",
    without: "currency: false,",
  },
  {
    id: "orders-34",
    test: "shared/people/payments/evidence › %s differs",
    guard: 'transaction: transaction === undefined || transaction === "",',
    without: "transaction: false,",
  },
  {
    id: "orders-35",
    test: "shared/people/payments/evidence › %s differs",
    guard: 'state: state !== "paid",',
    without: "state: false,",
  },
  {
    id: "orders-36",
    test: "shared/books/billing/money › %s %s is no amount",
    guard: "if (!money.test(text)) throw",
    without: "if (false) throw",
  },
  {
    id: "orders-37",
    test: "shared/edges/console/operations/payments › an open page finds a payment whose notice was lost, and asks every three seconds at most",
    guard: 'const when = [equals("state", toAttribute(order.state)), free];',
    without: 'const when = [equals("state", toAttribute(order.state))];',
  },
  {
    id: "orders-38",
    test: "shared/edges/console/operations/payments › an order is closed at its platform, and can then not be paid",
    guard: "const answer = await (await platformOf(order, deps)).close(order);",
    without: 'const answer = "closed" as Awaited<ReturnType<PaymentPlatform["close"]>>;',
  },
];
