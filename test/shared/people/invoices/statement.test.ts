/** Statements as values: months, balances, and what the page and the file make of hostile texts. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import { creditEntry } from "#shared/books/ledger/credit.ts";
import type { CreditKind } from "#shared/books/ledger/ledger.ts";
import { balancesOf, statementOf, type WalletBooks } from "#shared/people/invoices/statement.ts";
import { statementCsv } from "#shared/people/invoices/statement-csv.ts";
import { statementHtml, statementPolicy } from "#shared/people/invoices/statement-html.ts";

const since = Date.parse("2026-01-31T23:00:00Z");
const now = Date.parse("2026-06-15T12:00:00Z");

function credit(at: number, kind: CreditKind, points: bigint, reference = "r") {
  return creditEntry({ organization: "org_1", meter: "m", points, kind, reference, at });
}

const amount = fc.bigInt({ min: 1n, max: 10n ** 24n });
const at = fc.integer({ min: since, max: now });
const entry = fc.oneof(
  fc.tuple(at, fc.constantFrom<CreditKind>("bought", "promotional", "adjustment"), amount),
  fc.tuple(
    at,
    fc.constantFrom<CreditKind>("refund", "adjustment"),
    amount.map((points) => -points),
  ),
);
const use = fc.record({
  month: fc.constantFrom("2026-01", "2026-02", "2026-04", "2026-06"),
  model: fc.constantFrom("a", "b", "c"),
  calls: fc.nat(1000),
  points: fc.bigInt({ min: -(10n ** 20n), max: 10n ** 24n }),
});
const books = fc.tuple(fc.array(entry, { maxLength: 30 }), fc.array(use, { maxLength: 20 })).map(
  ([entries, uses]): WalletBooks => ({
    credits: entries.map(([when, kind, points]) => credit(when, kind, points)),
    uses,
  }),
);

const texts = [
  "<script>alert(1)</script>",
  '"><img src=x onerror=x>',
  "=1+1",
  "@SUM(A1)",
  "-1+1|cmd",
  "a,b\r\nc",
];

describe("months", () => {
  test("follow each other without a gap, from the first to the one that runs", () => {
    const none = balancesOf({ credits: [], uses: [] }, since, now);
    expect(none.map(({ month }) => month)).toEqual([
      "2026-01",
      "2026-02",
      "2026-03",
      "2026-04",
      "2026-05",
      "2026-06",
    ]);
    expect(none.map(({ is_running }) => is_running)).toEqual([false, false, false, false, false, true]);
    const end = Date.parse("2026-07-01T00:00:00Z");
    expect(balancesOf({ credits: [], uses: [] }, end - 1, end - 1)).toMatchObject([
      { month: "2026-06", is_running: true },
    ]);
    expect(balancesOf({ credits: [], uses: [] }, end - 1, end)[0]).toMatchObject({ is_running: false });
  });

  test("before the organization's own are there where something was booked in them", () => {
    const early = credit(Date.parse("2025-12-31T23:59:59.999Z"), "bought", 5n);
    const [first] = balancesOf({ credits: [early], uses: [] }, since, now);
    expect(first).toMatchObject({ month: "2025-12", opening: 0n, closing: 5n });
  });

  test("open as the one before closes, and their lines make up the difference", () => {
    fc.assert(
      fc.property(books, (given) => {
        let before = 0n;
        for (const balance of balancesOf(given, since, now)) {
          expect(balance.opening).toBe(before);
          before = balance.closing;
          const rows = statementCsv(statementOf(balance, given), []).split("\r\n").slice(1, -1);
          const fields = rows.map((row) => row.split(","));
          const inside = fields.filter(([, section = ""]) =>
            /^(?:credit|usage|correction|refund)$/.test(section),
          );
          const sum = inside.reduce((total, row) => total + parsePoints(row.at(-1) ?? ""), balance.opening);
          expect(sum).toBe(balance.closing);
        }
        const all = given.uses.reduce((total, { points }) => total - points, 0n);
        const credited = given.credits.reduce(
          (total, { points, debit }) =>
            total + (debit.startsWith("customer:") ? -parsePoints(points) : parsePoints(points)),
          0n,
        );
        expect(before).toBe(all + credited);
      }),
      { seed: 16, numRuns: 200 },
    );
  });
});

function hostile() {
  const credits = texts.map((text, n) =>
    credit(now + n, n % 2 ? "refund" : "bought", n % 2 ? -1n : 1n, text),
  );
  const uses = texts.map((model) => ({ month: "2026-06", model, calls: 1, points: 1n }));
  const given = { credits, uses };
  const balance = balancesOf(given, since, now).at(-1);
  if (!balance) throw new Error("no month");
  return statementOf(balance, given);
}

describe("the page", () => {
  test.each(["en", "zh"] as const)("shows hostile texts as text, in %s", (locale) => {
    for (const name of texts) {
      const page = statementHtml(hostile(), { id: "org_1", name }, { rates: [], bought: [] }, locale);
      expect(page).not.toMatch(/<(?:script|img|iframe|svg|link|object|a)\b/i);
      // Every sign that could begin a tag or end an attribute is one that the page itself has written.
      const tags = new Set([...page.matchAll(/<\/?([a-z0-9!]+)/g)].map(([, tag]) => tag));
      const own =
        "!doctype html head meta title style body h1 h2 p br strong table thead tbody tr th td".split(" ");
      expect([...tags].filter((tag = "") => !own.includes(tag))).toEqual([]);
      expect(page).toContain(name.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`));
    }
  });

  test("has one style, and a policy that allows nothing but that", () => {
    const page = statementHtml(hostile(), { id: "org_1", name: "Acme" }, { rates: [], bought: [] }, "en");
    const styles = [...page.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, text = ""]) => text);
    expect(styles).toHaveLength(1);
    const hash = createHash("sha256")
      .update(styles[0] ?? "")
      .digest("base64");
    expect(statementPolicy).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(page).toContain("@media print");
    const tags = [...page.matchAll(/<[^>]+>/g)].join("");
    expect(tags).not.toMatch(/ style=| on[a-z]+=|https?:/);
  });

  test("says that a month runs, and what balances are worth", () => {
    const rates = [{ currency: "CNY", points_per_unit: "2", opening: "1.00", closing: "2.50" }];
    const statement = hostile();
    const page = statementHtml(statement, { id: "org_1", name: "Acme" }, { rates, bought: [] }, "zh");
    expect(page).toContain("本月尚未结束");
    expect(page).toContain('<td class="n">2.50</td>');
    expect(page).toContain('<html lang="zh">');
    const over = statementHtml(
      { ...statement, is_running: false },
      { id: "org_1", name: "Acme" },
      { rates: [], bought: [] },
      "en",
    );
    expect(over).not.toContain("not over");
  });
});

test("a table of the page has no column that says nothing", () => {
  const statement = hostile();
  const money = { order: "ord_1", amount: "1.00", currency: "CNY", channel: "alipay" as const };
  const credits = statement.credits.map((line, at) => ({ ...line, money: at === 1 ? money : null }));
  const pageOf = (shown: typeof statement) =>
    statementHtml(shown, { id: "org_1", name: "Acme" }, { rates: [], bought: [] }, "en");
  expect(pageOf(statement)).not.toMatch(/>(?:Order|Paid)</);
  const paid = pageOf({ ...statement, credits });
  expect(paid.match(/>Order<|>Paid</g)).toEqual([">Order<", ">Paid<"]);
  expect(paid).toContain("<td>ord_1</td><td>1.00 CNY, alipay</td>");
  const [, cells = ""] = paid.match(/<h2>Credits<.*?<tbody><tr>(.*?)<\/tr>/s) ?? [];
  expect(cells.match(/<td/g)).toHaveLength(6);
});

describe("the file", () => {
  test("is UTF-8 with its mark, and no cell runs as a formula", () => {
    const csv = statementCsv(hostile(), []);
    expect(
      csv.startsWith(
        "\uFEFFmonth,section,at,description,reference,calls,order,channel,amount,currency,points\r\n",
      ),
    ).toBe(true);
    for (const text of ["=1+1", "@SUM(A1)", "-1+1|cmd"]) {
      expect(csv).toContain(`,'${text},`);
      expect(csv).not.toContain(`,${text},`);
    }
    expect(csv).toContain('"a,b\r\nc"');
  });

  test("keeps negative amounts as numbers, and says which section closes a month that runs", () => {
    const csv = statementCsv(hostile(), []);
    expect(csv).toContain(`,${formatPoints(-1n)}\r\n`);
    expect(csv).toContain("2026-06,closing_so_far,");
    expect(statementCsv({ ...hostile(), is_running: false }, [])).toContain("2026-06,closing,");
  });
});
