/** Statements on the real ledger: random bookings over months, sealed and not, and each month equals its entries. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { consoleLimits } from "#shared/base/console-limits.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import { spanEnd, spanOf, spanStart } from "#shared/books/billing/period.ts";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import { creditedBy } from "#shared/books/ledger/credit.ts";
import type { CreditKind, Entry } from "#shared/books/ledger/ledger.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { seal } from "#shared/edges/jobs/seal.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createSeals } from "#shared/edges/store/ledger/seals.ts";
import { openInvoices } from "#test/support/invoices.ts";
import type { Person } from "#test/support/members.ts";
import { eventOf, noon, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const born = Date.parse("2026-08-30T10:00:00Z");

async function opened() {
  const books = openInvoices(db);
  const acme = await books.desk.newOrganization({ created_at: born });
  // The sealer finds an organization by its keys.
  await createAccounts(db.aws, db.tables).createKey({
    ...{ id: newId("key", born), hash: newId("request", born), organization: acme.id, project: "" },
    ...{ name: "key", mode: "payg", permissions: [], limits: null, status: "active", last_four: "0000" },
    ...{ created_at: born, expires_at: null },
  });
  const owner: [Person, Organization] = [await books.desk.newMember(acme, "owner"), acme];
  const meter = acme.wallet?.meter ?? "";
  const ledgerAt = (at: number) => createLedger(db.aws, db.tables, () => at);
  const event = (at: number, cost: string, change: Partial<UsageEvent> = {}) =>
    eventOf(walletHold(meter, cost, at), cost, { organization: acme.id, ...change });
  const credit = (at: number, points: string, kind: CreditKind, reference = `r-${at}-${points}-${kind}`) =>
    books.ledger.credit({ organization: acme.id, meter, points: parsePoints(points), kind, reference, at });
  const sealAt = (at: number) =>
    seal({ ledger: ledgerAt(at), seals: createSeals(db.aws, db.tables), log: () => {}, now: () => at });
  const ask = async (path: string) => await books.ask(owner, `GET /api/v1/statements${path}`);
  return { books, acme, owner, meter, ledgerAt, event, credit, sealAt, ask };
}

/** What the entries of a month did to the wallet, from the entries alone. */
function changeIn(month: string, entries: readonly Entry[]): bigint {
  const [from, to] = [spanStart(month), spanEnd(month)];
  return entries
    .filter(({ at }) => at >= from && at < to)
    .reduce((sum, entry) => sum + (entry.event ? -parsePoints(entry.points) : creditedBy(entry)), 0n);
}

const instant = fc.integer({ min: born, max: noon });
const points = fc.integer({ min: 1, max: 10 ** 9 }).map((n) => formatPoints(BigInt(n) * 10n ** 9n + 1n));
const booking = fc.oneof(
  fc.record({ what: fc.constant("call" as const), at: instant, points, late: fc.boolean() }),
  fc.record({ what: fc.constant("estimate" as const), at: instant, points, real: points }),
  fc.record({
    ...{ what: fc.constant("credit" as const), at: instant, points },
    kind: fc.constantFrom<CreditKind>("bought", "promotional", "adjustment"),
  }),
  fc.record({
    ...{ what: fc.constant("debit" as const), at: instant, points },
    kind: fc.constantFrom<CreditKind>("refund", "adjustment"),
  }),
);

describe("any bookings", () => {
  test("make statements that equal the ledger to the last digit", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(booking, { minLength: 5, maxLength: 25 }), async (bookings) => {
        const { books, acme, ledgerAt, event, credit, sealAt, ask } = await opened();
        await credit(born, "1000000", "bought", "opening");
        const late: UsageEvent[] = [];
        for (const [n, each] of bookings.entries()) {
          if (each.what === "credit") await credit(each.at, each.points, each.kind, `c-${n}`);
          else if (each.what === "debit") await credit(each.at, `-${each.points}`, each.kind, `d-${n}`);
          else if (each.what === "estimate") {
            const estimate = event(each.at, each.points, { source: "sweeper" });
            await ledgerAt(each.at).record([estimate]);
            late.push({ ...estimate, cost_points: each.real, list_points: each.real, source: "gateway" });
          } else if (each.late) late.push(event(each.at, each.points));
          else await ledgerAt(each.at).record([event(each.at, each.points, { model: `m-${n % 3}` })]);
        }
        await sealAt(noon);
        expect(await books.ledger.seal(acme.id, "")).toMatchObject({ month: "2026-10" });
        // These come after the days and months that they belong to are sealed.
        await ledgerAt(noon).record(late);

        const entries = (await Array.fromAsync(books.ledger.everyEntry())).filter(
          ({ organization }) => organization === acme.id,
        );
        const { body } = await ask("");
        const months: { month: string; opening_points: string; closing_points: string }[] =
          body.data.toReversed();
        expect(months.map(({ month }) => month)).toEqual(["2026-08", "2026-09", "2026-10", "2026-11"]);
        let balance = 0n;
        for (const { month, opening_points, closing_points } of months) {
          expect([month, opening_points]).toEqual([month, formatPoints(balance)]);
          balance += changeIn(month, entries);
          expect([month, closing_points]).toEqual([month, formatPoints(balance)]);
          const { body: whole } = await ask(`/${month}`);
          const { credits_points, usage_points, corrections_points, refunds_points } = whole.totals;
          const sum =
            parsePoints(whole.opening_points) +
            parsePoints(credits_points) -
            parsePoints(usage_points) +
            parsePoints(corrections_points) +
            parsePoints(refunds_points);
          expect([month, formatPoints(sum)]).toEqual([month, whole.closing_points]);
          expect(whole.closing_points).toBe(closing_points);
        }
      }),
      { seed: 16, numRuns: 12 },
    );
  });
});

describe("a statement", () => {
  test("shows every line, fees and payments of plans apart, and what balances are worth", async () => {
    const { books, acme, ledgerAt, event, credit, ask } = await opened();
    const september = Date.parse("2026-09-10T00:00:00Z");
    await credit(born, "10.005", "bought", "order.1");
    await credit(september, "2", "promotional", "welcome");
    await credit(september + 1, "-1.5", "refund", "refund.1");
    await credit(september + 2, "0.25", "adjustment", "sorry");
    await credit(september + 3, "-0.5", "plan", "order.2");
    await ledgerAt(september).record([
      event(september, "3.125", { model: "acme/a" }),
      event(september, "1", { model: "acme/b" }),
    ]);
    await books.ledger.postFee(
      acme.id,
      {
        meter: "sub_1",
        plan: "pro",
        period: "monthly",
        starts_at: september,
        ends_at: september + 1,
        price_points: "599",
      },
      september,
    );
    const { body } = await ask("/2026-09");
    // No order has made any of these.
    const money = null;
    expect(body).toEqual({
      ...{ object: "statement", month: "2026-09", is_running: false },
      ...{ opening_points: "10.005", closing_points: "6.13", organization: { id: acme.id, name: "Acme" } },
      totals: {
        ...{ credits_points: "2", usage_points: "4.125", corrections_points: "0.25", refunds_points: "-1.5" },
        ...{ plans_points: "-0.5", plan_fees_points: "599", plan_payments_points: "0.5" },
      },
      credits: [
        { at: "2026-09-10T00:00:00.000Z", kind: "promotional", reference: "welcome", points: "2", money },
      ],
      usage: [
        { model: "acme/a", calls: 1, points: "3.125" },
        { model: "acme/b", calls: 1, points: "1" },
      ],
      corrections: [
        { at: "2026-09-10T00:00:00.002Z", kind: "adjustment", reference: "sorry", points: "0.25", money },
      ],
      refunds: [
        { at: "2026-09-10T00:00:00.001Z", kind: "refund", reference: "refund.1", points: "-1.5", money },
      ],
      plans: [{ at: "2026-09-10T00:00:00.003Z", kind: "plan", reference: "order.2", points: "-0.5", money }],
      plan: {
        fees: [
          {
            ...{ at: "2026-09-10T00:00:00.000Z", reference: expect.stringContaining("sub_1#2026-09-10") },
            ...{ plan: "pro", period: "monthly", ends_at: "2026-09-10T00:00:00.001Z", points: "599", money },
          },
        ],
        // It pays for a fee too.
        payments: [{ at: "2026-09-10T00:00:00.003Z", reference: "order.2", points: "0.5", money }],
      },
      bought: [
        {
          ...{ currency: null, opening_points: "10.005", opening_amount: null },
          ...{ closing_points: "6.13", closing_amount: null },
        },
      ],
      rates: [
        { currency: "CNY", points_per_unit: "1", opening_amount: "10.00", closing_amount: "6.13" },
        { currency: "USD", points_per_unit: "7", opening_amount: "1.42", closing_amount: "0.87" },
      ],
    });
    const html = await ask("/2026-09?format=html&locale=zh");
    expect(html.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": expect.stringMatching(/^default-src 'none'; style-src 'sha256-/),
      "cache-control": "no-store",
    });
    expect(html.text).toContain("期末余额");
    const csv = await ask("/2026-09?format=csv");
    expect(csv.headers["content-type"]).toBe("text/csv; charset=utf-8");
    expect(csv.text).toContain("2026-09,usage,,acme/a,,1,,,,,-3.125\r\n");
    expect(csv.text).toContain("2026-09,closing,,,,,,,,,6.13\r\n");
  });

  test("says what its balance was bought for, in each currency at the rate of the purchase", async () => {
    const { books, acme, event, credit, ledgerAt, ask } = await opened();
    await books.creditedOrder(acme);
    await books.creditedOrder(acme, { currency: "USD", amount: 1000, points: "10" });
    const at = books.clock.now;
    await credit(at, "2", "promotional", "welcome");
    await ledgerAt(at).record([event(at, "27")]);
    const { body } = await ask("/2026-11");
    expect([body.closing_points, body.bought]).toEqual([
      "85",
      [
        {
          currency: "CNY",
          ...{ opening_points: "0", opening_amount: "0.00", closing_points: "75", closing_amount: "75.00" },
        },
        {
          currency: "USD",
          ...{ opening_points: "0", opening_amount: "0.00", closing_points: "10", closing_amount: "10.00" },
        },
        {
          currency: null,
          ...{ opening_points: "0", opening_amount: null, closing_points: "0", closing_amount: null },
        },
      ],
    ]);
    // At today's rate they would be another sum.
    expect(body.rates[1]).toMatchObject({ currency: "USD", closing_amount: "12.14" });
    expect((await ask("/2026-11?format=html")).text).toContain('<td class="n">75 (75.00)</td>');
    expect((await ask("/2026-11?format=csv")).text).toContain(",closing_bought,,,,,,,10.00,USD,10\r\n");
  });

  test("shows a plan that was paid for apart, and the month that runs as such", async () => {
    const { books, acme, ask } = await opened();
    const order = await books.creditedOrder(acme);
    const { body } = await ask("/2026-11");
    expect(body).toMatchObject({ is_running: true, closing_points: "100" });
    expect(body.credits).toMatchObject([{ kind: "bought", reference: `order.${order.id}`, points: "100" }]);
    expect((await ask("")).body.data[0]).toEqual({
      ...{ month: "2026-11", opening_points: "0", closing_points: "100", is_running: true },
    });
  });

  test("names the order, its channel and the money of a payment, and of a refund of an older order", async () => {
    const { books, acme, ask } = await opened();
    const change = { channel: "stripe", currency: "USD", amount: 1_000 } as const;
    const { id } = await books.creditedOrder(acme, change, { amount: 999 });
    for (let n = 0; n <= consoleLimits.orderListMax; n++) {
      books.clock.now += 3_600_000;
      await books.creditedOrder(acme);
    }
    await books.refund(acme, id, 400);
    const { body } = await ask("/2026-11");
    const of = { order: id, channel: "stripe", currency: "USD" };
    expect(body.credits[0].money).toEqual({ ...of, amount: "9.99" });
    expect(body.refunds[0].money).toEqual({ ...of, amount: "-4.00" });
    expect((await ask("/2026-11?format=csv")).text).toContain(`,,${id},stripe,-4.00,USD,-4\r\n`);
    expect((await ask("/2026-11?format=html")).text).toContain(
      `<td class="id">${id}</td><td>-4.00 USD, stripe</td>`,
    );
    // Whoever writes another organization's order as a reference is told nothing of it.
    const [person, other] = await books.newOwner();
    const reference = `order.${id}`;
    const foreign = { organization: other.id, meter: other.wallet?.meter ?? "", reference };
    await books.ledger.credit({ ...foreign, points: 10n, kind: "promotional", at: books.clock.now });
    const theirs = await books.ask([person, other], "GET /api/v1/statements/2026-11");
    expect(theirs.body.credits).toMatchObject([{ reference, money: null }]);
  });

  test("is there for the organization's months alone", async () => {
    const { acme, books, ask } = await opened();
    await books.creditedOrder(acme);
    const codes = async (path: string) => Number((await ask(path)).body.error?.code);
    for (const month of ["2026-07", "2026-12", "1999-01"])
      expect([month, await codes(`/${month}`)]).toEqual([month, 40400]);
    for (const month of ["2026-13", "2026-00", "2026-1", "november", "2026-11-01"]) {
      expect([month, await codes(`/${month}`)]).toEqual([month, 40000]);
    }
    for (const query of ["?format=pdf", "?locale=fr", "?format=csv&format=csv", "?page=1"]) {
      expect([query, await codes(`/2026-11${query}`)]).toEqual([query, 40000]);
    }
    expect(await codes("?month=2026-11")).toBe(40000);
    const other = await books.newOwner();
    const foreign = await books.ask(other, "GET /api/v1/statements/2026-11");
    expect(foreign.body).toMatchObject({ opening_points: "0", closing_points: "0", credits: [], usage: [] });
    expect(spanOf(noon, "month")).toBe("2026-11");
  });

  test("shows an organization's hostile name as text", async () => {
    const { books, meter } = await opened();
    const name = `<script>alert(1)</script>"'&`;
    const acme = await books.desk.newOrganization({ name, wallet: { meter, shards: 1 } });
    const person = await books.desk.newMember(acme, "finance");
    const { text } = await books.ask([person, acme], "GET /api/v1/statements/2026-11?format=html");
    expect(text).toContain("&#60;script&#62;alert(1)&#60;/script&#62;&#34;&#39;&#38;");
    expect(text).not.toContain("<script");
  });
});
