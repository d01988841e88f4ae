/** Invoices on the real store: races of requests and of numbers, and transactions that die. */
import { describe, expect, test } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import { createInvoices } from "#shared/edges/store/invoices.ts";
import type { AuditEntry } from "#shared/people/identity/audit.ts";
import type { Invoice } from "#shared/people/invoices/invoice.ts";
import type { Order } from "#shared/people/payments/order.ts";
import { openInvoices } from "#test/support/invoices.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const newYear = Date.parse("2027-01-01T00:00:00Z");

function entryOf(invoice: Invoice, kind: AuditEntry["kind"]): AuditEntry {
  const at = invoice.created_at;
  return {
    ...{ id: newId("audit", at), organization: invoice.organization, at, kind, subject: invoice.id },
    ...{ actor: "operator", actor_name: "", ip: null, before: null, after: null },
  };
}

function invoiceOf({ id }: Organization, orders: readonly Order[], now: number): Invoice {
  return {
    ...{ id: newId("invoice", now), organization: id, user: "usr_1", state: "requested" },
    orders: orders.map((order) => order.id),
    amount: orders.reduce((sum, { amount }) => sum + amount, 0),
    ...{ currency: "CNY", title: { kind: "personal", name: "Ann" }, email: "ann@example.com" },
    created_at: now,
  };
}

async function opened(aws?: Aws) {
  const books = openInvoices(db);
  const [, acme] = await books.newOwner();
  const invoices = createInvoices(aws ?? db.aws, db.tables);
  const request = async (orders: Order[]) => {
    const invoice = invoiceOf(acme, orders, books.clock.now);
    return {
      invoice,
      result: await invoices.request(invoice, orders, entryOf(invoice, "invoice_requested")),
    };
  };
  const issue = (invoice: Invoice, orders: Order[], at: number, file = "F-1") =>
    invoices.issue(invoice, { orders, file, at, entryOf: (issued) => entryOf(issued, "invoice_issued") });
  const audited = async () => {
    const { entries } = await books.desk.deps.auditLog.entries(acme.id, { limit: 1000 });
    return entries.map(({ kind }) => kind);
  };
  return { books, acme, invoices, request, issue, audited };
}

describe("an order", () => {
  test("is on one invoice, of fifty that are requested at once", async () => {
    const { books, acme, request, invoices, audited } = await opened();
    const order = await books.creditedOrder(acme);
    const results = await Promise.all(Array.from({ length: 50 }, () => request([order])));
    const won = results.filter(({ result }) => result.outcome === "requested");
    expect(won).toHaveLength(1);
    expect(results.map(({ result }) => result.outcome).filter((each) => each === "requested")).toHaveLength(
      1,
    );
    expect(await invoices.claims([order.id])).toEqual(new Map([[order.id, won[0]?.invoice.id]]));
    expect((await invoices.list(acme.id, { limit: 50 })).invoices).toEqual([won[0]?.invoice]);
    expect(await audited()).toEqual(["invoice_requested"]);
  });

  test("that is on an invoice keeps all others of the request free", async () => {
    const { books, acme, request, invoices } = await opened();
    const [one, two] = [await books.creditedOrder(acme), await books.creditedOrder(acme)];
    const { invoice } = await request([one]);
    expect((await request([two, one])).result).toEqual({
      outcome: "claimed",
      order: one.id,
      invoice: invoice.id,
    });
    expect((await invoices.claims([one.id, two.id])).size).toBe(1);
    expect((await request([two])).result.outcome).toBe("requested");
  });

  test("that was paid back in between is not claimed", async () => {
    const { books, acme, request, invoices } = await opened();
    const order = await books.creditedOrder(acme);
    await books.refund(acme, order.id, 4000);
    expect((await request([order])).result).toEqual({ outcome: "changed" });
    expect((await invoices.claims([order.id])).size).toBe(0);
    const after = await books.orders.find(order.id);
    expect((await request([after as Order])).result.outcome).toBe("requested");
  });
});

describe("numbers", () => {
  test("have no gap and no double, of fifty that are issued at once", async () => {
    const { books, acme, request, issue, audited } = await opened();
    const at = newYear + 1;
    const asked: { invoice: Invoice; order: Order }[] = [];
    for (let n = 0; n < 50; n++) {
      // An organization makes at most thirty orders an hour.
      books.clock.now += 180_000;
      const order = await books.creditedOrder(acme);
      asked.push({ order, invoice: (await request([order])).invoice });
    }
    const issued = await Promise.all(asked.map(({ invoice, order }) => issue(invoice, [order], at)));
    const numbers = issued.map((each) => (each && each !== "changed" ? each.number : undefined)).toSorted();
    expect(numbers).toEqual(
      Array.from({ length: 50 }, (_, at) => `INV-2027-${String(at + 1).padStart(6, "0")}`),
    );
    expect((await audited()).filter((kind) => kind === "invoice_issued")).toHaveLength(50);
  });

  test("begin again with each year, and one invoice takes one, of ten that issue it at once", async () => {
    const { books, acme, request, issue, invoices } = await opened();
    const order = await books.creditedOrder(acme);
    const { invoice } = await request([order]);
    const at = Date.parse("2031-12-31T23:59:59.999Z");
    const issued = await Promise.all(Array.from({ length: 10 }, () => issue(invoice, [order], at)));
    expect(issued.filter((each) => each !== undefined)).toHaveLength(1);
    expect((await invoices.locate(invoice.id))?.number).toBe("INV-2031-000001");
    const next = await books.creditedOrder(acme);
    const { invoice: second } = await request([next]);
    expect(await issue(second, [next], at + 1)).toMatchObject({ number: "INV-2032-000001" });
  });

  test("stay as they were where a process dies before the write, and one that dies after it has issued", async () => {
    const fault = { mode: "none" as "none" | "before" | "after" };
    const dying = (async (service: string, action: string, input: unknown) => {
      const isIssue = action === "TransactWriteItems" && fault.mode !== "none";
      if (isIssue && fault.mode === "before") throw new Error("died");
      const answer = await (db.aws as (...all: unknown[]) => Promise<unknown>)(service, action, input);
      if (isIssue) throw new Error("died");
      return answer;
    }) as unknown as Aws;
    const { books, acme, request, issue, invoices } = await opened(dying);
    const at = Date.parse("2040-06-01T00:00:00Z");
    const order = await books.creditedOrder(acme);
    const { invoice } = await request([order]);
    fault.mode = "before";
    await expect(issue(invoice, [order], at)).rejects.toThrow("died");
    expect(await invoices.locate(invoice.id)).toEqual(invoice);
    fault.mode = "after";
    await expect(issue(invoice, [order], at)).rejects.toThrow("died");
    fault.mode = "none";
    expect(await issue(invoice, [order], at)).toBeUndefined();
    expect(await invoices.locate(invoice.id)).toMatchObject({ state: "issued", number: "INV-2040-000001" });
    const next = await books.creditedOrder(acme);
    const { invoice: second } = await request([next]);
    expect(await issue(second, [next], at)).toMatchObject({ number: "INV-2040-000002" });
  });

  test("are not taken for orders that were paid back since", async () => {
    const { books, acme, request, issue } = await opened();
    const order = await books.creditedOrder(acme);
    const { invoice } = await request([order]);
    await books.refund(acme, order.id, 1);
    const at = Date.parse("2041-06-01T00:00:00Z");
    expect(await issue(invoice, [order], at)).toBe("changed");
    const next = await books.creditedOrder(acme);
    const { invoice: second } = await request([next]);
    expect(await issue(second, [next], at)).toMatchObject({ number: "INV-2041-000001" });
  });
});

describe("the end of an invoice", () => {
  test("lets its orders be invoiced again, once", async () => {
    const { books, acme, request, issue, invoices } = await opened();
    const order = await books.creditedOrder(acme);
    const { invoice } = await request([order]);
    const end = { reason: "a typing error", at: books.clock.now, entry: entryOf(invoice, "invoice_voided") };
    expect(await invoices.void(invoice, end)).toBeUndefined();
    const issued = (await issue(invoice, [order], Date.parse("2042-01-01T00:00:00Z"))) as Invoice;
    expect(await invoices.reject(issued, end)).toBeUndefined();
    const ends = await Promise.all(
      Array.from({ length: 10 }, () => invoices.void(issued, end).catch(() => 0)),
    );
    expect(ends.filter((each) => each)).toHaveLength(1);
    expect(await invoices.locate(invoice.id)).toMatchObject({ state: "voided", number: issued.number });
    expect((await request([order])).result.outcome).toBe("requested");
    expect((await request([order])).result.outcome).toBe("claimed");
  });

  test("takes it from the list of those that wait", async () => {
    const { books, acme, request, invoices } = await opened();
    const order = await books.creditedOrder(acme);
    const { invoice } = await request([order]);
    const isWaiting = async () => (await invoices.waiting(1000)).some(({ id }) => id === invoice.id);
    expect(await isWaiting()).toBe(true);
    const entry = entryOf(invoice, "invoice_rejected");
    await invoices.reject(invoice, { reason: "no such company", at: books.clock.now, entry });
    expect(await isWaiting()).toBe(false);
    expect(await invoices.find(acme.id, invoice.id)).toMatchObject({ state: "rejected" });
  });
});
