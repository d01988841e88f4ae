/** What finance asks about orders, over books of their own: lists, and totals beside the ledger. */
import { expect, test } from "vitest";
import { listOrders, type OrderChoice } from "#shared/edges/operator/order-lists.ts";
import { totalOrders } from "#shared/edges/operator/order-totals.ts";
import { decideReview } from "#shared/edges/operator/orders.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createAuditLog } from "#shared/edges/store/identity/audit.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { startRefund } from "#shared/people/orders/refund.ts";
import { awsOverMemory } from "#test/support/aws-over.ts";
import { openInvoices } from "#test/support/invoices.ts";
import { createMemoryDynamoDb } from "#test/support/memory-dynamodb.ts";
import { catalog } from "#test/support/orders.ts";

type Books = ReturnType<typeof openInvoices>;

/** An organization in books where nobody else has ordered anything. */
async function opened() {
  const memory = createMemoryDynamoDb();
  const db = { aws: awsOverMemory(memory), tables: memory.tables };
  const books = openInvoices(db);
  const { orders, ledger } = books;
  const meters = createMeters(db.aws, db.tables);
  const deps = { orders, ledger, meters, accounts: createAccounts(db.aws, db.tables) };
  const acme = await books.desk.newOrganization();
  /** An order that is paid and credited at an instant, 100 CNY by Alipay unless changed. */
  const credited = async (at: string, ...[change, paid]: Rest<Parameters<Books["creditedOrder"]>>) => {
    books.clock.now = Date.parse(at) - 1;
    return await books.creditedOrder(acme, change, paid);
  };
  /** The platform says that so many minor units of an order went back in all, and the operator has seen it. */
  const paidBackElsewhere = async (id: string, refunded: number) => {
    const order = await books.orders.find(id);
    if (!order?.paid) throw new Error("the order is not paid");
    const { transaction, amount, currency, at } = order.paid;
    const doubt = { transaction, amount, currency, at, refunded, fields: ["refund" as const] };
    await books.orders.move(order, "returned", { doubt: { ...doubt, via: "notice" } }, null);
    const { log } = books.desk.deps;
    const audit = createAuditLog(db.aws, db.tables);
    await decideReview(id, "dismiss", { ...deps, audit, log, now: () => books.clock.now });
  };
  return { books, deps, acme, credited, paidBackElsewhere };
}

type Rest<All extends unknown[]> = All extends [unknown, ...infer Others] ? Others : never;

const at = (text: string) => Date.parse(text);

test("lists are by organization, state, channel and time, the newest first", async () => {
  const { books, deps, acme, credited } = await opened();
  const first = await credited("2026-11-21T10:00:00Z");
  const late = await credited(
    "2026-11-21T23:59:59Z",
    { channel: "wechat" },
    { at: at("2026-11-22T00:00:01Z"), transaction: "4200001" },
  );
  const back = await credited("2026-11-22T12:00:00Z");
  await books.refund(acme, back.id, 2_500);
  const other = await books.creditedOrder(await books.desk.newOrganization());
  const ids = async (choice: Partial<OrderChoice>) => {
    const { orders, more } = await listOrders({ limit: 100, ...choice }, deps);
    return [orders.map(({ id }) => id), more];
  };
  const own = { organization: acme.id };
  expect(await ids({})).toEqual([[other.id, back.id, late.id, first.id], false]);
  expect(await ids({ limit: 3 })).toEqual([[other.id, back.id, late.id], true]);
  expect(await ids(own)).toEqual([[back.id, late.id, first.id], false]);
  expect(await ids({ ...own, limit: 2 })).toEqual([[back.id, late.id], true]);
  for (const where of [{}, own]) {
    expect(await ids({ ...where, state: "partly_refunded" })).toEqual([[back.id], false]);
    expect(await ids({ ...where, channel: "wechat" })).toEqual([[late.id], false]);
    const day = { ...where, from: at("2026-11-21T00:00:00Z"), to: at("2026-11-22T00:00:00Z") };
    expect(await ids(day)).toEqual([[late.id, first.id], false]);
    expect(await ids({ ...day, by: "paid" })).toEqual([[first.id], false]);
    expect(await ids({ ...day, by: "credited", state: "refunded" })).toEqual([[], false]);
    // What is left out does not count towards the limit.
    expect(await ids({ ...where, state: "credited", channel: "alipay", to: day.to, limit: 1 })).toEqual([
      [first.id],
      false,
    ]);
  }
  const { orders } = await listOrders({ ...own, channel: "wechat", limit: 1 }, deps);
  expect(orders).toEqual([
    {
      ...{ id: late.id, organization: acme.id, kind: "recharge", channel: "wechat", state: "credited" },
      ...{
        amount: "100.00",
        currency: "CNY",
        paid: "100.00",
        refunded: "0.00",
        returned: "0.00",
        points: "100",
      },
      ...{ booked_as: "points", transaction: "4200001", created_at: "2026-11-21T23:59:59.000Z" },
      ...{ paid_at: "2026-11-22T00:00:01.000Z", credited_at: "2026-11-21T23:59:59.000Z" },
    },
  ]);
});

test("a list of one organization leads through all of its pages", async () => {
  const { deps, acme, credited } = await opened();
  for (let hour = 0; hour < 120; hour++)
    await credited(new Date(at("2026-11-01T00:00:00Z") + hour * 3_600_000).toISOString());
  const { orders, more } = await listOrders({ organization: acme.id, limit: 9_999 }, deps);
  expect([new Set(orders.map(({ id }) => id)).size, more]).toEqual([120, false]);
});

const november = { from: at("2026-11-01T00:00:00Z"), to: at("2026-12-01T00:00:00Z") };

test("totals are by day, channel and currency, with refunds on their own day, and agree with the ledger", async () => {
  const { books, deps, acme, credited } = await opened();
  await credited("2026-10-31T23:59:59Z");
  const first = await credited("2026-11-01T00:00:00Z");
  await credited("2026-11-01T10:00:00Z", { amount: 1_999 });
  await credited("2026-11-01T11:00:00Z", { amount: 700, currency: "USD", channel: "stripe" });
  books.clock.now = at("2026-11-02T09:00:00Z");
  await books.refund(acme, first.id, 2_500);
  const waits = await books.orders.find(first.id);
  const aside = { audit: { write: async () => {} }, log: () => {} };
  const refunding = { ...deps, ...aside, catalog, now: () => books.clock.now };
  if (waits) await startRefund(waits, { amount: 1_000, reason: "asked for" }, refunding);
  const alipay = { channel: "alipay", currency: "CNY", difference: "0" };
  const paid = { paid: "119.99", refunds: 0, paid_back: "0.00", returned: "0.00" };
  const stripe = {
    ...{ channel: "stripe", currency: "USD", orders: 1, paid: "7.00", refunds: 0, paid_back: "0.00" },
    ...{ returned: "0.00", points: "7", ledger_points: "7", difference: "0" },
  };
  expect(await totalOrders(november, deps)).toEqual({
    days: [
      { day: "2026-11-01", ...alipay, orders: 2, ...paid, points: "119.99", ledger_points: "119.99" },
      { day: "2026-11-01", ...stripe },
      {
        ...{ day: "2026-11-02", ...alipay, orders: 0, paid: "0.00", refunds: 2, paid_back: "35.00" },
        ...{ returned: "0.00", points: "-35", ledger_points: "-35" },
      },
    ],
    totals: [
      {
        ...{ day: null, ...alipay, orders: 2, paid: "119.99", refunds: 2, paid_back: "35.00" },
        ...{ returned: "0.00", points: "84.99", ledger_points: "84.99" },
      },
      { day: null, ...stripe },
    ],
    agrees: true,
  });
  expect(await totalOrders({ from: november.to, to: november.to + 1 }, deps)).toEqual({
    ...{ days: [], totals: [], agrees: true },
  });
});

test("what a platform paid back without us is in lists and totals, on its order's day, and the ledger has none", async () => {
  const { books, deps, acme, credited, paidBackElsewhere } = await opened();
  const whole = await credited("2026-11-06T10:00:00Z");
  const part = await credited("2026-11-06T11:00:00Z");
  await credited("2026-11-07T10:00:00Z");
  books.clock.now = at("2026-11-08T09:00:00Z");
  await books.refund(acme, part.id, 2_500);
  await paidBackElsewhere(whole.id, 10_000);
  await paidBackElsewhere(part.id, 4_000);
  const lines = (await listOrders({ organization: acme.id, limit: 9 }, deps)).orders;
  expect(lines.map(({ refunded, returned }) => [refunded, returned])).toEqual([
    ["0.00", "0.00"],
    ["25.00", "15.00"],
    ["0.00", "100.00"],
  ]);
  const agreed = { difference: "0" };
  expect(await totalOrders(november, deps)).toMatchObject({
    days: [
      { day: "2026-11-06", paid: "200.00", paid_back: "0.00", returned: "115.00", points: "200", ...agreed },
      { day: "2026-11-07", paid: "100.00", paid_back: "0.00", returned: "0.00", points: "100", ...agreed },
      { day: "2026-11-08", paid: "0.00", paid_back: "25.00", returned: "0.00", points: "-25", ...agreed },
    ],
    totals: [{ paid: "300.00", paid_back: "25.00", returned: "115.00", points: "275", ...agreed }],
    agrees: true,
  });
});

test("totals show what only one side has, on its day, and by-hand credits as their order's", async () => {
  const { books, deps, acme, credited } = await opened();
  await credited("2026-11-03T10:00:00Z");
  const entries = await books.ledger.creditsAndFees(acme.id);
  const [entry] = entries;
  if (!entry) throw new Error("nothing is booked");
  const totalsOf = async (own: typeof entries) =>
    await totalOrders(november, {
      ...deps,
      ledger: { creditsAndFees: async (id) => (id === acme.id ? own : []) },
    });
  expect(await totalsOf([])).toMatchObject({
    days: [{ day: "2026-11-03", orders: 1, points: "100", ledger_points: "0", difference: "-100" }],
    agrees: false,
  });
  const stray = { ...entry, id: "credit#gift", at: at("2026-11-04T00:00:00Z") };
  expect(await totalsOf([entry, stray])).toMatchObject({
    days: [
      { day: "2026-11-03", currency: "CNY", difference: "0" },
      {
        day: "2026-11-04",
        channel: "alipay",
        currency: null,
        orders: 0,
        paid: null,
        returned: null,
        difference: "100",
      },
    ],
    agrees: false,
  });
  expect(await totalsOf([{ ...entry, debit: "cash:operator" }])).toMatchObject({ agrees: true });
});

test("an order that is booked between the two reads is no difference: it gets a second look", async () => {
  const { books, deps, acme, credited } = await opened();
  let isBooked = false;
  const ledger = {
    async creditsAndFees(id: string) {
      const before = await books.ledger.creditsAndFees(id);
      if (!isBooked && id === acme.id) await credited("2026-11-05T10:00:00Z");
      isBooked = true;
      return before;
    },
  };
  expect(await totalOrders(november, { ...deps, ledger })).toMatchObject({
    days: [{ day: "2026-11-05", orders: 1, difference: "0" }],
    agrees: true,
  });
});
