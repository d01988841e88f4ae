/** What finance takes out of the console: ranges and CSV of lists, and the books in FOCUS, page by page. */
import { describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import { creditEntry } from "#shared/books/ledger/credit.ts";
import { focusForm } from "#shared/books/reports/focus-form.ts";
import type { ConsoleCall } from "#shared/edges/console/call.ts";
import { exportFocus } from "#shared/edges/console/operations/focus.ts";
import { exportLedger } from "#shared/edges/operator/ledger-export.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { eventAt, openBooks } from "#test/support/books.ts";
import { email, openInvoices } from "#test/support/invoices.ts";
import { useStores } from "#test/support/stores.ts";
import { askConsole, organizationOf, storeKey } from "#test/support/usage-console.ts";

const { db } = useStores();
const now = Date.parse("2026-11-21T12:30:00Z");

interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** All pages of a file, by the header that leads on. */
async function wholeFile(ask: (query: string) => Promise<Answer>, query: string) {
  const pages: Answer[] = [];
  for (let next: string | undefined = query; next !== undefined; ) {
    const page: Answer = await ask(next);
    expect(page.status, page.text).toBe(200);
    expect(page.headers["content-type"]).toBe("text/csv; charset=utf-8");
    pages.push(page);
    next = /^<\?(.+)>; rel="next"$/.exec(page.headers.link ?? "")?.[1];
  }
  const text = pages.map((page) => page.text).join("");
  return { pages, lines: text.slice(1).split("\r\n").slice(0, -1), text };
}

describe("calls as CSV", () => {
  async function openCalls() {
    const books = await openBooks(db, [], now - 3_600_000);
    const ann = await storeKey(db, books.organization, { created_by: "usr_ann" });
    const calls = [3, 2, 2, 1].map((seconds, at) =>
      eventAt(books.organization, now - seconds * 1000, {
        user: `=u${at}`,
        ...(at === 0 && { key: ann.id }),
      }),
    );
    await books.post(calls, now);
    const organization = organizationOf(books.organization);
    return {
      calls,
      organization,
      ask: (path: string, change = {}) => askConsole(db, path, { organization, at: now, ...change }),
    };
  }

  test("have a line for each call of the list, and its pages are one file", async () => {
    const { ask } = await openCalls();
    const whole = await wholeFile((query) => ask(`/api/v1/calls?${query}`), "format=csv");
    const paged = await wholeFile((query) => ask(`/api/v1/calls?${query}`), "format=csv&limit=1");
    expect([whole.pages.length, paged.pages.length]).toEqual([1, 4]);
    expect(paged.text).toBe(whole.text);
    const listed: { id: string; cost_points: string; user: string }[] = (await ask("/api/v1/calls")).json()
      .data;
    expect(whole.lines[0]).toMatch(/^id,created_at,ended_at,kind,model,/);
    for (const [at, call] of listed.entries()) {
      const cells = whole.lines[at + 1]?.split(",") ?? [];
      expect(cells[0]).toBe(call.id);
      expect(cells).toContain(`'${call.user}`);
      expect(cells).toContain(call.cost_points);
    }
    expect(whole.lines).toHaveLength(5);
  });

  test("are those that a member may see", async () => {
    const { ask, calls } = await openCalls();
    const own = await ask("/api/v1/calls?format=csv", { role: "member", user: "usr_ann" });
    expect(
      own.text
        .split("\r\n")
        .slice(1, -1)
        .map((line) => line.split(",")[0]),
    ).toEqual([calls[0]?.id]);
  });

  test.each(["format=xml", "format=csv&limit=1001", "limit=1000", "format=csv&format=csv"])(
    "%s is refused",
    async (query) => {
      const { ask } = await openCalls();
      expect((await ask(`/api/v1/calls?${query}`)).status).toBe(400);
    },
  );
});

describe("orders and invoices", () => {
  async function openDesk() {
    const desk = openInvoices(db);
    const owner = await desk.newOwner();
    const [, acme] = owner;
    const orders = [];
    for (let n = 0; n < 3; n++) orders.push(await desk.creditedOrder(acme));
    for (const { id } of orders) {
      desk.clock.now += 1000;
      const title = { kind: "personal", name: "=Ann" };
      const made = await desk.ask(owner, "POST /api/v1/invoices", { orders: [id], title, email });
      expect(made.status).toBe(201);
    }
    const invoices: { id: string; created_at: string }[] = (await desk.ask(owner, "GET /api/v1/invoices"))
      .body.data;
    return { ...desk, owner, acme, orders, invoices: invoices.toReversed() };
  }

  test("are found by when they were made, from an instant on and until another one", async () => {
    const { deps, acme, orders, ask, owner, invoices } = await openDesk();
    const [first, second, third] = orders.map(({ created_at }) => created_at) as [number, number, number];
    const ids = async (part: { from?: number; to?: number; after?: string; limit?: number }) => {
      const { orders: found } = (await deps.orders.list(acme.id, { limit: 10, ...part })) as {
        orders: { id: string }[];
      };
      return found.map(({ id }) => orders.findIndex((order) => order.id === id));
    };
    expect(await ids({})).toEqual([2, 1, 0]);
    expect(await ids({ from: second })).toEqual([2, 1]);
    expect(await ids({ from: second, to: third })).toEqual([1]);
    expect(await ids({ to: second })).toEqual([0]);
    expect(await ids({ from: first, to: first })).toEqual([]);
    expect(await ids({ to: -1 })).toEqual([]);
    expect(await ids({ from: third + 1 })).toEqual([]);
    expect(await ids({ from: first, after: orders[2]?.id ?? "" })).toEqual([1, 0]);
    expect(await ids({ to: third, limit: 1, after: orders[1]?.id ?? "" })).toEqual([0]);
    const [, middle, last] = invoices.map(({ created_at }) => created_at);
    const found = await ask(owner, `GET /api/v1/invoices?from=${middle}&to=${last}`);
    expect(found.body.data.map(({ id }: { id: string }) => id)).toEqual([invoices[1]?.id]);
    expect(found.body.has_more).toBe(false);
  });

  test("are refused for a range that ends before it begins, and for what is no instant", async () => {
    const { ask, owner } = await openDesk();
    for (const query of [
      "from=2026-11-02T00:00:00Z&to=2026-11-01T00:00:00Z",
      "from=yesterday",
      "to=2026-02-30T00:00:00Z",
      "until=x",
    ]) {
      const { status, body } = await ask(owner, `GET /api/v1/invoices?${query}`);
      expect([status, body.error.code]).toEqual([400, 40000]);
    }
  });

  test("come as CSV, page by page, with the money that was paid", async () => {
    const { ask, owner, invoices } = await openDesk();
    const get = (query: string) => ask(owner, `GET /api/v1/invoices?${query}`);
    const whole = await wholeFile(get, "format=csv");
    const paged = await wholeFile(get, "format=csv&limit=2");
    expect(paged.pages).toHaveLength(2);
    expect(paged.text).toBe(whole.text);
    expect(whole.lines.slice(1).map((line) => line.split(",")[0])).toEqual(
      invoices.map(({ id }) => id).toReversed(),
    );
    expect(whole.lines[1]).toMatch(
      /^ivc_\w+,,requested,CNY,100\.00,,,,,,ord_\w+,personal,'=Ann,,finance@example\.com,/,
    );
  });
});

describe("the books in FOCUS", () => {
  async function openBooksOf() {
    const books = await openBooks(db, [], now - 3_600_000);
    const events = [5, 4, 4, 4, 3, 2, 1].map((seconds) => eventAt(books.organization, now - seconds * 1000));
    await books.post(events, now);
    const credits = [4, 1.5].map((seconds) =>
      creditEntry({
        ...{ organization: books.organization, meter: "mtr_1", kind: "bought", points: 5n },
        ...{ reference: newId("order", now), at: now - seconds * 1000 },
      }),
    );
    const ledger = {
      ...books.ledger,
      creditsAndFees: async (organization: string) => (organization === books.organization ? credits : []),
    };
    const other = await openBooks(db, [], now - 3_600_000);
    await other.post([eventAt(other.organization, now - 2000)], now);
    const organization: Organization = organizationOf(books.organization, { name: "Books" });
    const seller = { issuer: "Acme", currency: undefined };
    const deps = { ledger, catalog: { seller: () => seller } };
    const ask = async (query: string, bytesMax = 1_000_000): Promise<Answer> => {
      const request = { query: new URLSearchParams(query), received_at: now };
      const call = { request, caller: { organization } } as unknown as ConsoleCall;
      const { status, headers, body } = await exportFocus(call, bytesMax, deps);
      return { status, headers, text: String(body) };
    };
    const accounts = createAccounts(db.aws, db.tables);
    const lines = await Array.fromAsync(
      exportLedger(
        { from: now - 10_000, to: now, organization: books.organization },
        { accounts, ledger, seller },
      ),
    );
    return { ask, lines };
  }
  const form = focusForm("1.3");
  const range = "from=2026-11-21T12:29:50Z&to=2026-11-21T12:30:00Z";

  test("are the operator's export, whatever the pages; the lines of one instant stay together", async () => {
    const { ask, lines } = await openBooksOf();
    const expected = `${[form.head, ...lines.map(form.csv)].join("\r\n")}\r\n`;
    expect(lines.length).toBeGreaterThan(8);
    const whole = await wholeFile((query) => ask(query), range);
    expect(whole.text).toBe(expected);
    const paged = await wholeFile((query) => ask(query, 1), range);
    expect(paged.text).toBe(expected);
    // Instants 5, 4, 3, 2, 1.5 and 1: three calls and a credit have the second one.
    expect(paged.pages).toHaveLength(6);
    const json = JSON.parse((await ask(`${range}&format=json`)).text);
    expect(json).toEqual({
      object: "list",
      data: lines,
      has_more: false,
      last_id: "2026-11-21T12:29:59.000Z",
    });
  });

  test("have no columns of FOCUS 1.3 where 1.2 is asked for", async () => {
    const { ask, lines } = await openBooksOf();
    const newer = ["ServiceProviderName", "HostProviderName"];
    const old = focusForm("1.2");
    expect(form.head.split(",").filter((name) => !old.head.split(",").includes(name))).toEqual(newer);
    const { text } = await ask(`${range}&version=1.2`);
    expect(text).toBe(`${[old.head, ...lines.map(old.csv)].join("\r\n")}\r\n`);
    const { data } = JSON.parse((await ask(`${range}&version=1.2&format=json`)).text);
    expect(Object.keys(data[0])).toEqual(old.head.split(","));
    await expect(ask(`${range}&version=1.1`)).rejects.toMatchObject({ key: "invalid_request" });
  });

  test("refuse a range that is too long, backward or not said", async () => {
    const { ask } = await openBooksOf();
    for (const query of [
      "",
      "from=2026-11-21T12:29:50Z",
      "from=2026-01-01T00:00:00Z&to=2027-01-03T00:00:00Z",
      "from=2026-11-22T00:00:00Z&to=2026-11-21T00:00:00Z",
      `${range}&project=x`,
    ])
      await expect(ask(query), query).rejects.toMatchObject({ key: "invalid_request" });
    expect((await ask("from=2026-11-21T00:00:00Z&to=2026-11-21T00:00:00Z")).text).toBe(`${form.head}\r\n`);
  });

  test("are shown to owners and to finance, and to nobody else", async () => {
    const desk = openInvoices(db);
    const acme = await desk.desk.newOrganization();
    for (const [role, status] of [
      ["owner", 200],
      ["finance", 200],
      ["admin", 403],
      ["member", 403],
    ] as const) {
      const person = await desk.desk.newMember(acme, role);
      expect((await desk.ask([person, acme], `GET /api/v1/focus?${range}`)).status, role).toBe(status);
    }
  });
});
