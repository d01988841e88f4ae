/** The routes of invoices: what may be requested, by whom, and what of it others see. */
import { describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import type { Order } from "#shared/people/payments/order.ts";
import { company, email, openInvoices, taxId } from "#test/support/invoices.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();

async function opened() {
  const books = openInvoices(db);
  const owner = await books.newOwner();
  const [, acme] = owner;
  const request = (orders: unknown, change: object = {}) =>
    books.ask(owner, "POST /api/v1/invoices", { orders, title: company, email, ...change });
  const free = async () => (await books.ask(owner, "GET /api/v1/invoices/orders")).body;
  return { books, owner, acme, request, free };
}

const codeOf = ({ body }: { body: { error?: { code?: number } } }) => Number(body.error?.code);

describe("a request", () => {
  test("answers with the invoice, which the lists show, and takes its orders from the list of free ones", async () => {
    const { books, owner, acme, request, free } = await opened();
    const [one, two] = [await books.creditedOrder(acme), await books.creditedOrder(acme, { amount: 2050 })];
    expect((await free()).data).toEqual([
      {
        object: "invoiceable_order",
        ...{ order: two.id, kind: "recharge", amount: "20.50", currency: "CNY" },
        paid_at: new Date(two.created_at).toISOString(),
      },
      {
        object: "invoiceable_order",
        ...{ order: one.id, kind: "recharge", amount: "100.00", currency: "CNY" },
        paid_at: new Date(one.created_at).toISOString(),
      },
    ]);
    const { status, body } = await request([one.id, two.id]);
    const invoice = {
      id: expect.stringMatching(/^ivc_/),
      ...{ object: "invoice", number: null, state: "requested", amount: "120.50", currency: "CNY" },
      ...{ orders: [one.id, two.id], title: company, email, file: null, tax: null },
      created_at: new Date(books.clock.now).toISOString(),
      ...{ issued_at: null, ended_at: null, reason: null },
    };
    expect([status, body]).toEqual([201, invoice]);
    expect(await free()).toMatchObject({ data: [], has_more: false });
    const list = await books.ask(owner, "GET /api/v1/invoices");
    expect(list.body).toEqual({ object: "list", data: [body], has_more: false, last_id: body.id });
    const shown = await books.ask(owner, `GET /api/v1/invoices/${body.id}`);
    expect(shown.body).toEqual({ ...body, paid_back: "0.00" });
    const { entries } = await books.desk.deps.auditLog.entries(acme.id, { limit: 10 });
    expect(entries).toMatchObject([
      { kind: "invoice_requested", subject: body.id, actor: owner[0].user.id, ip: "203.0.113.7" },
    ]);
    expect(entries[0]?.after).toEqual({
      ...{ amount: "120.50", currency: "CNY", orders: `${one.id} ${two.id}` },
    });
    expect(books.lines).toContainEqual({
      ...{ level: "info", event: "invoice_requested" },
      fields: { organization: acme.id, invoice: body.id },
    });
  });

  test("is for what is left of an order, and refused where nothing is", async () => {
    const { books, acme, request, free } = await opened();
    const order = await books.creditedOrder(acme);
    await books.refund(acme, order.id, 3000);
    expect((await free()).data).toMatchObject([{ amount: "70.00" }]);
    expect((await request([order.id])).body.amount).toBe("70.00");
    const gone = await books.creditedOrder(acme);
    await books.refund(acme, gone.id, 10_000);
    expect((await free()).data).toEqual([]);
    expect(codeOf(await request([gone.id]))).toBe(40910);
  });

  test("tells how much was paid back after it", async () => {
    const { books, owner, acme, request } = await opened();
    const order = await books.creditedOrder(acme);
    const { body } = await request([order.id]);
    await books.refund(acme, order.id, 3000);
    const shown = await books.ask(owner, `GET /api/v1/invoices/${body.id}`);
    expect(shown.body).toMatchObject({ amount: "100.00", paid_back: "30.00" });
  });

  test("is refused for an order that is on an invoice, and names that", async () => {
    const { books, acme, request } = await opened();
    const order = await books.creditedOrder(acme);
    const { body } = await request([order.id]);
    const again = await request([order.id]);
    expect(again.body.error).toMatchObject({ code: 40910, message: expect.stringContaining(body.id) });
  });

  test("is refused for two currencies, and for an order that was not paid", async () => {
    const { books, acme, request } = await opened();
    const yuan = await books.creditedOrder(acme);
    const dollars = await books.creditedOrder(acme, { currency: "USD", channel: "stripe" });
    expect(codeOf(await request([yuan.id, dollars.id]))).toBe(40000);
    const { id } = { id: newId("order", books.clock.now) };
    const open: Order = { ...yuan, id, state: "created" };
    delete open.paid;
    await books.orders.create(open, books.clock.now);
    expect(codeOf(await request([id]))).toBe(40910);
  });

  test("by a company abroad needs no tax id of China", async () => {
    const { books, acme, request } = await opened();
    const dollars = { currency: "USD", channel: "stripe" } as const;
    const orders = [await books.creditedOrder(acme, dollars), await books.creditedOrder(acme, dollars)];
    const [bare, vat] = [{ kind: "company", name: "Acme GmbH" }, { tax_id: "de123456789" }];
    const none = await request([orders[0]?.id], { title: bare });
    expect(none.body.title).toEqual({ ...bare, tax_id: null });
    const some = await request([orders[1]?.id], { title: { ...bare, ...vat } });
    expect(some.body.title.tax_id).toBe("DE123456789");
  });
});

const bad: [string, object][] = [
  ["no title", { title: undefined }],
  ["a title of another kind", { title: { kind: "club", name: "A" } }],
  ["an empty name", { title: { kind: "personal", name: "  " } }],
  ["a name of 101 characters", { title: { kind: "personal", name: "a".repeat(101) } }],
  ["a name of two lines", { title: { kind: "personal", name: "a\nb" } }],
  ["a name that turns direction", { title: { kind: "personal", name: "a\u202Eb" } }],
  ["half a character", { title: { kind: "personal", name: "a\uD800" } }],
  ["a person's tax id", { title: { kind: "personal", name: "A", tax_id: taxId } }],
  ["a company without tax id", { title: { kind: "company", name: "A" } }],
  ["a wrong tax id", { title: { ...company, tax_id: `${taxId.slice(0, 17)}Z` } }],
  ["an older tax id", { title: { ...company, tax_id: "440300715267265" } }],
  ["a number as tax id", { title: { ...company, tax_id: 913501 } }],
  ["another field of the title", { title: { ...company, bank: "x" } }],
  ["no e-mail", { email: undefined }],
  ["an e-mail of two lines", { email: "a@example.com\nbcc: b@example.com" }],
  ["two e-mails", { email: "a@example.com, b@example.com" }],
  ["an e-mail without host", { email: "a@b" }],
  ["a long e-mail", { email: `a@${"b".repeat(60)}.${"c".repeat(190)}.com` }],
  ["no orders", { orders: [] }],
  ["orders as text", { orders: "ord_1" }],
  ["an order that is no text", { orders: [1] }],
  ["21 orders", { orders: Array.from({ length: 21 }, (_, n) => `ord_${n}`) }],
  ["another field", { amount: "1.00" }],
];

describe("a body with", () => {
  test("a fault consumes nothing", async () => {
    const { books, acme, request, free } = await opened();
    const order = await books.creditedOrder(acme);
    for (const [name, change] of bad)
      expect([name, codeOf(await request([order.id], change))]).toEqual([name, 40000]);
    expect(codeOf(await request([order.id, order.id]))).toBe(40000);
    expect((await free()).data).toHaveLength(1);
    expect((await request([order.id])).status).toBe(201);
  });
});

describe("another organization", () => {
  test("has no part in an order or an invoice", async () => {
    const { books, acme, request } = await opened();
    const order = await books.creditedOrder(acme);
    const { body } = await request([order.id]);
    const eve = await books.newOwner();
    const free = await books.creditedOrder(acme);
    for (const id of [free.id, order.id, "ord_x", newId("order", books.clock.now)]) {
      const answer = await books.ask(eve, "POST /api/v1/invoices", { orders: [id], title: company, email });
      expect([answer.status, codeOf(answer)]).toEqual([404, 40410]);
    }
    for (const id of [body.id, "ivc_x", "orders%2F", newId("invoice", books.clock.now)]) {
      const answer = await books.ask(eve, `GET /api/v1/invoices/${id}`);
      expect([answer.status, codeOf(answer)]).toEqual([404, 40411]);
    }
    expect((await books.ask(eve, "GET /api/v1/invoices")).body.data).toEqual([]);
    expect((await books.ask(eve, "GET /api/v1/invoices/orders")).body.data).toEqual([]);
    expect((await books.ask(eve, `GET /api/v1/invoices?after=${body.id}`)).body.data).toEqual([]);
  });
});

describe("pages", () => {
  test("of invoices and of free orders lead through all of them", async () => {
    const { books, owner, acme, request } = await opened();
    const orders: Order[] = [];
    for (let n = 0; n < 7; n++) orders.push(await books.creditedOrder(acme));
    for (const order of [orders[1], orders[4], orders[5]]) {
      books.clock.now += 1;
      await request([order?.id]);
    }
    const walk = async (path: string, nameOf: (item: Record<string, unknown>) => unknown) => {
      const found: unknown[] = [];
      for (let after = "", more = true; more; ) {
        const { body } = await books.ask(owner, `GET ${path}?limit=2${after && `&after=${after}`}`);
        found.push(...body.data.map(nameOf));
        [after, more] = [body.last_id, body.has_more];
      }
      return found;
    };
    const free = [6, 3, 2, 0].map((at) => orders[at]?.id);
    expect(await walk("/api/v1/invoices/orders", ({ order }) => order)).toEqual(free);
    const invoiced = [5, 4, 1].map((at) => [orders[at]?.id]);
    expect(await walk("/api/v1/invoices", ({ orders }) => orders)).toEqual(invoiced);
    expect(codeOf(await books.ask(owner, "GET /api/v1/invoices?after=x"))).toBe(40000);
    expect(codeOf(await books.ask(owner, "GET /api/v1/invoices?limit=51"))).toBe(40000);
  });
});

describe("roles", () => {
  test("owner and finance request and see; admin and member do neither", async () => {
    const { books, acme } = await opened();
    for (const role of ["owner", "finance", "admin", "member"] as const) {
      const person = await books.desk.newMember(acme, role);
      const order = await books.creditedOrder(acme);
      const isAllowed = role === "owner" || role === "finance";
      const body = { orders: [order.id], title: company, email };
      const asked = await books.ask([person, acme], "POST /api/v1/invoices", body);
      expect([role, asked.status]).toEqual([role, isAllowed ? 201 : 403]);
      for (const path of ["invoices", "invoices/orders", "statements", "statements/2026-11"]) {
        const { status } = await books.ask([person, acme], `GET /api/v1/${path}`);
        expect([role, path, status]).toEqual([role, path, isAllowed ? 200 : 403]);
      }
    }
  });
});
