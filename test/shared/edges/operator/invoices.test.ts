/** What operators do with invoices, over real stores: the states, the numbers, and what customers and audit log are told. */
import { describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import {
  type InvoiceAdminDeps,
  issueInvoice,
  listInvoices,
  rejectInvoice,
  showInvoiceOf,
  voidInvoice,
} from "#shared/edges/operator/invoices.ts";
import type { Orders } from "#shared/people/payments/orders.ts";
import { company, email, openInvoices } from "#test/support/invoices.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();

async function opened() {
  const books = openInvoices(db);
  const [ann, acme] = await books.newOwner();
  const asked: [typeof ann, typeof acme] = [ann, acme];
  const deps: InvoiceAdminDeps = {
    ...{ invoices: books.deps.invoices, orders: books.orders },
    now: () => tick(),
  };
  /** The log sorts what happens within one millisecond by chance. */
  const tick = () => {
    books.clock.now += 1;
    return books.clock.now;
  };
  /** Requests an invoice in the console, and gives its id. */
  const request = async (...orders: string[]) => {
    tick();
    return await books.ask(asked, "POST /api/v1/invoices", { orders, title: company, email });
  };
  const requested = async () => {
    const order = await books.creditedOrder(acme);
    return { order, id: String((await request(order.id)).body.id) };
  };
  const audited = async () => {
    const { entries } = await books.desk.deps.auditLog.entries(acme.id, { limit: 100 });
    return entries.map(({ kind, actor, subject, after }) => ({ kind, actor, subject, after }));
  };
  const seen = async (id: string) => (await books.ask(asked, `GET /api/v1/invoices/${id}`)).body;
  return { books, acme, deps, request, requested, audited, seen };
}

const numberOf = (shown: object) => (shown as { number: string | null }).number;
const refusal = async (act: Promise<object>) =>
  await act.then(
    () => "done",
    (error: Error) => error.message,
  );

describe("issued", () => {
  test("it has a number and a file, which its customer sees and the audit log tells", async () => {
    const { deps, requested, audited, seen, acme } = await opened();
    const { id, order } = await requested();
    const issued = await issueInvoice(id, " 26952000000012345678 ", deps);
    const number = expect.stringMatching(/^INV-2026-\d{6}$/);
    expect(issued).toMatchObject({
      ...{ id, state: "issued", number, file: "26952000000012345678", organization: acme.id },
      ...{ amount: "100.00", orders: [order.id], paid_back: "0.00", title: company },
    });
    expect(await seen(id)).toMatchObject({ state: "issued", number, file: "26952000000012345678" });
    expect(await audited()).toMatchObject([
      { kind: "invoice_issued", actor: "operator", subject: id, after: { number: numberOf(issued) } },
      { kind: "invoice_requested" },
    ]);
    expect(await showInvoiceOf(id, deps)).toEqual(issued);
  });

  test("fifty times at once with one file it takes one number, and all are shown the same", async () => {
    const { deps, requested, audited } = await opened();
    const { id } = await requested();
    const other = await requested();
    const all = await Promise.all(Array.from({ length: 50 }, () => issueInvoice(id, "F-1", deps)));
    expect(new Set(all.map(numberOf)).size).toBe(1);
    const next = await issueInvoice(other.id, "F-2", deps);
    const count = (shown: object | undefined) => Number(numberOf(shown ?? {})?.split("-")[2]);
    expect(count(next) - count(all[0])).toBe(1);
    expect((await audited()).filter(({ kind }) => kind === "invoice_issued")).toHaveLength(2);
  });

  test("fifty times at once with fifty files it takes one of them", async () => {
    const { deps, requested, seen } = await opened();
    const { id } = await requested();
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, at) => refusal(issueInvoice(id, `F-${at}`, deps))),
    );
    expect(all.filter((told) => told === "done")).toHaveLength(1);
    for (const told of all)
      expect(told).toMatch(/^done$|^The invoice is issued, and not requested\.$|^Somebody else has changed/);
    expect((await seen(id)).file).toBe(`F-${all.indexOf("done")}`);
  });

  test("it is refused where its orders were paid back since, or a refund of one runs", async () => {
    const { books, deps, requested, acme, seen } = await opened();
    const part = await requested();
    await books.refund(acme, part.order.id, 4_000);
    expect(await refusal(issueInvoice(part.id, "F-1", deps))).toBe(
      "40.00 CNY of its orders were paid back since it was requested. Reject it; the customer can request an invoice for the rest.",
    );
    const running = await requested();
    const find: Orders["find"] = async (id) => {
      const order = await books.orders.find(id);
      return order && { ...order, state: "refunding" };
    };
    expect(await refusal(issueInvoice(running.id, "F-1", { ...deps, orders: { find } }))).toContain(
      `A refund of its order ${running.order.id} is running.`,
    );
    for (const { id } of [part, running])
      expect(await seen(id)).toMatchObject({ state: "requested", file: null });
  });

  test("it is refused where an order changes between the look and the write", async () => {
    const { books, deps, requested, acme, seen } = await opened();
    const { id, order } = await requested();
    const find: Orders["find"] = async (wanted) => {
      const found = await books.orders.find(wanted);
      await books.refund(acme, order.id, 1_000);
      return found;
    };
    expect(await refusal(issueInvoice(id, "F-1", { ...deps, orders: { find } }))).toContain(
      "One of its orders was just changed.",
    );
    expect(await seen(id)).toMatchObject({ state: "requested", number: null });
  });
});

describe("ended", () => {
  test("a rejected one has a reason, and its orders can be asked for again", async () => {
    const { deps, request, requested, audited, seen } = await opened();
    const { id, order } = await requested();
    const reason = "the tax id is not of this company";
    const rejected = await rejectInvoice(id, reason, deps);
    expect(rejected).toMatchObject({ state: "rejected", reason, number: null, paid_back: "0.00" });
    expect(await rejectInvoice(id, reason, deps)).toEqual(rejected);
    expect(await seen(id)).toMatchObject({ state: "rejected", reason });
    const again = await request(order.id);
    expect(again.status).toBe(201);
    expect(await audited()).toMatchObject([
      { kind: "invoice_requested", subject: again.body.id },
      { kind: "invoice_rejected", actor: "operator", subject: id, after: { reason } },
      { kind: "invoice_requested", subject: id },
    ]);
    expect(numberOf(await issueInvoice(again.body.id, "F-1", deps))).toMatch(/^INV-/);
  });

  test("a void one keeps its number, and the next one takes the next", async () => {
    const { deps, request, requested, audited } = await opened();
    const { id, order } = await requested();
    const number = numberOf(await issueInvoice(id, "F-1", deps));
    expect(await voidInvoice(id, "credit note 7", deps)).toMatchObject({
      state: "voided",
      number,
      file: "F-1",
    });
    const again = await request(order.id);
    const next = numberOf(await issueInvoice(again.body.id, "F-2", deps));
    expect(Number(next?.split("-")[2])).toBe(Number(number?.split("-")[2]) + 1);
    expect(await showInvoiceOf(id, deps)).toMatchObject({ number, state: "voided", reason: "credit note 7" });
    expect((await audited()).map(({ kind }) => kind)).toEqual([
      ...["invoice_issued", "invoice_requested", "invoice_voided", "invoice_issued", "invoice_requested"],
    ]);
  });

  test("fifty rejections with fifty reasons end it once", async () => {
    const { deps, requested, audited } = await opened();
    const { id } = await requested();
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, at) => refusal(rejectInvoice(id, `reason ${at}`, deps))),
    );
    expect(all.filter((told) => told === "done")).toHaveLength(1);
    expect((await audited()).filter(({ kind }) => kind === "invoice_rejected")).toHaveLength(1);
  });
});

describe("refused", () => {
  test("is every move that the state does not have, and an invoice that is not there", async () => {
    const { deps, requested } = await opened();
    const waiting = (await requested()).id;
    expect(await refusal(voidInvoice(waiting, "r", deps))).toBe("The invoice is requested, and not issued.");
    const issued = (await requested()).id;
    await issueInvoice(issued, "F-1", deps);
    expect(await refusal(rejectInvoice(issued, "r", deps))).toBe("The invoice is issued, and not requested.");
    expect(await refusal(issueInvoice(issued, "F-2", deps))).toBe(
      "The invoice is issued, and not requested.",
    );
    await rejectInvoice(waiting, "r", deps);
    expect(await refusal(issueInvoice(waiting, "F-1", deps))).toBe(
      "The invoice is rejected, and not requested.",
    );
    for (const id of ["", "ivc_1", newId("invoice", 1)])
      expect(await refusal(showInvoiceOf(id, deps))).toBe("The invoice does not exist.");
  });

  test.each(["", "  ", "a\nb", "\u0007", "x".repeat(501), "\ud800"])(
    "is the file or reason %j, which changes nothing",
    async (text) => {
      const { deps, requested, seen } = await opened();
      const { id } = await requested();
      expect(await refusal(issueInvoice(id, text, deps))).toMatch(
        /^The reference of the document must have 1 to 500/,
      );
      expect(await refusal(rejectInvoice(id, text, deps))).toMatch(/^The reason must have 1 to 500/);
      expect(await seen(id)).toMatchObject({ state: "requested" });
    },
  );
});

test("lists have those that wait, those of an organization, and those in a state", async () => {
  const { books, deps, requested, acme } = await opened();
  const other = await opened();
  other.books.clock.now = books.clock.now - 3_600_000;
  const first = (await other.requested()).id;
  const [second, third] = [(await requested()).id, (await requested()).id];
  const idsOf = async (choice: Partial<Parameters<typeof listInvoices>[0]>) => {
    const { invoices, more } = await listInvoices({ limit: 9_999, ...choice }, deps);
    const own = invoices.filter(({ organization }) => [acme.id, other.acme.id].includes(organization));
    return { own: own.map(({ id }) => id), more };
  };
  expect(await idsOf({})).toEqual({ own: [first, second, third], more: false });
  expect(await idsOf({ limit: 1 })).toMatchObject({ more: true });
  await issueInvoice(second, "F-1", deps);
  expect((await idsOf({})).own).toEqual([first, third]);
  expect(await idsOf({ organization: acme.id })).toEqual({ own: [third, second], more: false });
  expect(await idsOf({ organization: acme.id, limit: 1 })).toEqual({ own: [third], more: true });
  expect(await idsOf({ organization: acme.id, state: "issued" })).toEqual({ own: [second], more: false });
  expect((await idsOf({ state: "requested" })).own).toEqual([third, first]);
  const { invoices } = await listInvoices({ organization: acme.id, state: "issued", limit: 1 }, deps);
  expect(invoices).toEqual([
    {
      ...{ net: null, tax: null, tax_rate: null, reverse_charge: null },
      ...{ id: second, organization: acme.id, state: "issued", number: expect.stringMatching(/^INV-/) },
      ...{ amount: "100.00", currency: "CNY", title: company.name, tax_id: company.tax_id, email },
      ...{ file: "F-1", created_at: expect.any(String), issued_at: expect.any(String), ended_at: null },
    },
  ]);
});
