/** Invoices and orders in review by the operators' API: decided once, by finance alone, with who and why. */
import { describe, expect, test } from "vitest";
import type { Order } from "#shared/people/payments/order.ts";
import { openAdmin } from "#test/support/admin.ts";
import { email, openInvoices } from "#test/support/invoices.ts";
import { newOrder } from "#test/support/orders.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const reason = "seen, ticket 4711";

async function opened() {
  const books = openInvoices(db);
  const admin = openAdmin(db);
  const [owner, acme] = await books.newOwner();
  const { token, id: tokenId } = await admin.tokenOf(["finance"], "fay@example.com", "Fay");
  const post = (path: string, body: object) => admin.ask(token, `POST ${path}`, { body });
  const read = (path: string) => admin.ask(token, `GET ${path}`);
  const lines = async (kind: string) =>
    (await admin.deps.auditLog.entries(acme.id, { limit: 50 })).entries.filter(
      (entry) => entry.kind === kind,
    );
  const who = { actor: "operator", actor_name: "Fay", credential: tokenId, ip: null };
  return { ...admin, books, owner, acme, post, read, lines, who };
}

type Opened = Awaited<ReturnType<typeof opened>>;

/** Requests an invoice of one order that was paid. */
async function requested({ books, owner, acme }: Opened): Promise<string> {
  const { id } = await books.creditedOrder(acme);
  const title = { kind: "personal", name: "Ann" };
  const { body } = await books.ask([owner, acme], "POST /api/v1/invoices", { orders: [id], title, email });
  return String(body.id);
}

/** An order in review: another amount was paid than was asked for, or to another account. */
async function doubted(
  { books, acme }: Opened,
  fields: ("amount" | "account")[] = ["amount"],
): Promise<Order> {
  const { clock, orders } = books;
  const order = newOrder(acme.id, clock.now);
  await orders.create(order, clock.now);
  const doubt = {
    fields,
    transaction: `t-${order.id}`,
    amount: 9_000,
    currency: order.currency,
    at: clock.now,
  };
  const moved = await orders.move(order, "doubted", { doubt: { ...doubt, via: "notice" } }, clock.now);
  if (!moved) throw new Error("the order is not in review");
  return moved;
}

describe("an invoice", () => {
  test("is issued under one number, with who and why, and the same file again changes nothing", async () => {
    const all = await opened();
    const id = await requested(all);
    expect((await all.read(`/organizations/${all.acme.id}/invoices`)).body.data).toMatchObject([
      { id, state: "requested" },
    ]);
    const dry = await all.post(`/invoices/${id}/issue?dry_run=true`, { file: "F-1", reason });
    expect(dry.body).toMatchObject({ object: "dry_run", would: "issue" });
    expect((await all.read(`/invoices/${id}`)).body.state).toBe("requested");
    const first = await all.post(`/invoices/${id}/issue`, { file: "F-1", reason });
    expect([first.status, first.body]).toMatchObject([
      200,
      { id, state: "issued", number: expect.stringMatching(/^INV-/) },
    ]);
    const again = await all.post(`/invoices/${id}/issue`, { file: "F-1", reason });
    expect(again.body.number).toBe(first.body.number);
    expect((await all.post(`/invoices/${id}/issue?dry_run=true`, { file: "F-1", reason })).body.would).toBe(
      "nothing",
    );
    expect((await all.post(`/invoices/${id}/issue`, { file: "F-2", reason })).body.error.code).toBe(40910);
    expect(await all.lines("invoice_issued")).toMatchObject([
      { ...all.who, subject: id, after: { number: first.body.number, reason } },
    ]);
  });

  test("is rejected with the reason that the customer is told, and never issued then", async () => {
    const all = await opened();
    const id = await requested(all);
    expect((await all.post(`/invoices/${id}/reject?dry_run=true`, { reason })).body.would).toBe("reject");
    const { status, body } = await all.post(`/invoices/${id}/reject`, { reason });
    expect([status, body]).toMatchObject([200, { state: "rejected", reason }]);
    expect((await all.post(`/invoices/${id}/reject?dry_run=true`, { reason })).body.would).toBe("nothing");
    for (const [path, fields] of [
      [`/invoices/${id}/issue`, { file: "F-1" }],
      [`/invoices/${id}/issue?dry_run=true`, { file: "F-1" }],
    ] as const)
      expect((await all.post(path, { ...fields, reason })).body.error.code).toBe(40910);
    expect(await all.lines("invoice_rejected")).toMatchObject([{ ...all.who, after: { reason } }]);
  });

  test("that is not there, or a wrong body, changes nothing", async () => {
    const all = await opened();
    const id = await requested(all);
    expect((await all.post("/invoices/x/issue", { file: "F-1", reason })).body.error.code).toBe(40411);
    for (const body of [
      { reason },
      { file: "", reason },
      { file: "F-1" },
      { file: "F-1", reason, number: "INV-1" },
    ])
      expect((await all.post(`/invoices/${id}/issue`, body)).body.error.code).toBe(40000);
    expect((await all.read(`/invoices/${id}`)).body.state).toBe("requested");
  });
});

describe("an order in review", () => {
  test("is listed, and credited by what was paid", async () => {
    const all = await opened();
    const { id } = await doubted(all);
    const { body: listed } = await all.read("/orders/in-review?limit=50");
    expect(listed.data.map((line: { id: string }) => line.id)).toContain(id);
    const dry = await all.post(`/orders/${id}/review?dry_run=true`, { decision: "credit", reason });
    expect([dry.body.would, (await all.read(`/orders/${id}`)).body.state]).toEqual(["credit", "review"]);
    const { status, body } = await all.post(`/orders/${id}/review`, { decision: "credit", reason });
    expect([status, body.state]).toEqual([200, "paid"]);
    expect(await all.lines("order_accepted")).toMatchObject([
      { ...all.who, subject: id, after: { amount: "90.00", reason } },
    ]);
    const late = await all.post(`/orders/${id}/review`, { decision: "dismiss", reason });
    expect(late.body.error.code).toBe(40910);
  });

  test("is closed, and what differs in more than its amount is never credited", async () => {
    const all = await opened();
    const { id } = await doubted(all, ["account"]);
    for (const query of ["", "?dry_run=true"])
      expect(
        (await all.post(`/orders/${id}/review${query}`, { decision: "credit", reason })).body.error.code,
      ).toBe(40000);
    expect(
      (await all.post(`/orders/${id}/review?dry_run=true`, { decision: "dismiss", reason })).body.would,
    ).toBe("close");
    expect((await all.post(`/orders/${id}/review`, { decision: "dismiss", reason })).body.state).toBe(
      "closed",
    );
    expect(await all.lines("order_closed")).toMatchObject([
      { ...all.who, after: { why: "account", reason } },
    ]);
  });

  test("that is not there, a decision that is none, and a token of support", async () => {
    const all = await opened();
    const { id } = await doubted(all);
    expect((await all.post("/orders/x/review", { decision: "credit", reason })).body.error.code).toBe(40410);
    for (const decision of [undefined, "refund", 1])
      expect((await all.post(`/orders/${id}/review`, { decision, reason })).body.error.code).toBe(40000);
    const { token } = await all.tokenOf(["support", "ops"]);
    const refused = await all.ask(token, `POST /orders/${id}/review`, {
      body: { decision: "credit", reason },
    });
    expect(refused.body.error.code).toBe(40300);
    expect((await all.read(`/orders/${id}`)).body.state).toBe("review");
  });
});

test("orders, credits and invoices of an organization have pages", async () => {
  const all = await opened();
  const made: string[] = [];
  for (let n = 0; n < 3; n++) made.unshift(await requested(all));
  const orders = await all.read(`/organizations/${all.acme.id}/orders?limit=2`);
  expect([orders.body.data.length, orders.body.has_more]).toEqual([2, true]);
  const rest = await all.read(`/organizations/${all.acme.id}/orders?after=${orders.body.last_id}`);
  expect([rest.body.data.length, rest.body.has_more]).toEqual([1, false]);
  const invoices = await all.read(`/organizations/${all.acme.id}/invoices?limit=2`);
  expect(invoices.body).toMatchObject({
    has_more: true,
    last_id: made[1],
    data: [{ id: made[0] }, { id: made[1] }],
  });
  const last = await all.read(`/organizations/${all.acme.id}/invoices?after=${made[1]}`);
  expect(last.body).toMatchObject({ has_more: false, data: [{ id: made[2] }] });
});
