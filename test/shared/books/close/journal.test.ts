/** Laws of closing months: each entry counts in one close, and balances go from month to month. */
import { expect, test } from "vitest";
import { spanEnd, spanOf, spanStart } from "#shared/books/billing/period.ts";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import { type CloseTerms, countingOf } from "#shared/books/close/counting.ts";
import { type BalanceRow, type JournalRow, OrganizationMonth } from "#shared/books/close/journal.ts";
import { accountLines } from "#shared/books/close/summary.ts";
import type { Entry } from "#shared/books/ledger/ledger.ts";
import { seeded } from "#test/support/random.ts";

const months = ["2026-08", "2026-09", "2026-10", "2026-11"];
const dayMs = 86_400_000;
const org = "org_1";
const wallet = `customer:${org}`;
const receivable = `receivable:${org}`;

const shapes = [
  { kind: "usage", debit: wallet, credit: "revenue:model-1", least: 0 },
  { kind: "adjustment", debit: wallet, credit: "revenue:model-1", least: -500 },
  { kind: "bought", debit: "cash:alipay", credit: wallet, least: 1 },
  { kind: "refund", debit: wallet, credit: "cash:alipay", least: 1 },
  { kind: "plan_fee", debit: receivable, credit: "revenue:plan:pro", least: 1 },
  { kind: "payment", debit: wallet, credit: receivable, least: 1 },
] as const;

/** Entries of four months, of which one in five is posted up to two months late. */
function history(seed: number): Entry[] {
  const next = seeded(seed);
  return Array.from({ length: 200 }, (_, n) => {
    const { least, ...shape } = shapes[next(shapes.length)] ?? shapes[0];
    const at = spanStart("2026-07") + next(150) * dayMs + next(dayMs);
    const posted_at = at + (next(5) === 0 ? next(60) * dayMs : next(600_000));
    const points = formatPoints(BigInt(least + next(1000)) * 10n ** 15n);
    return {
      ...shape,
      id: `entry-${n}`,
      organization: org,
      points,
      at,
      event: null,
      ...(next(9) > 0 && { posted_at }),
    };
  });
}

/** The closes of the months, each made up to 20 days after its end. */
function termsOf(seed: number): CloseTerms[] {
  const next = seeded(seed + 1);
  let previous: CloseTerms["previous"];
  return months.map((month) => {
    const counts_until = Math.max(spanEnd(month) + next(20) * dayMs, (previous?.counts_until ?? 0) + 1);
    const terms = { month, counts_until, ...(previous && { previous }) };
    previous = { month, counts_until };
    return terms;
  });
}

/** What the entries move between two accounts. */
function moved(entries: readonly Pick<Entry, "debit" | "credit" | "points">[]): Record<string, string> {
  const sums = new Map<string, bigint>();
  for (const { debit, credit, points } of entries) {
    const name = `${debit} ${credit}`;
    sums.set(name, (sums.get(name) ?? 0n) + parsePoints(points));
  }
  return Object.fromEntries(
    [...sums].filter(([, sum]) => sum !== 0n).map(([name, sum]) => [name, formatPoints(sum)]),
  );
}

const seeds = Array.from({ length: 60 }, (_, seed) => seed);

test.each(seeds)("each entry counts in one close, and balances follow from it (seed %i)", (seed) => {
  const entries = history(seed);
  const closes = termsOf(seed);
  const journal: JournalRow[] = [];
  let before: BalanceRow | undefined;
  for (const terms of closes) {
    const month = new OrganizationMonth(org, terms, before);
    for (const entry of entries) month.add(entry);
    const rows = month.journal();
    expect(month.balances.opening).toMatchObject(
      before ? { wallet: parsePoints(before.wallet), receivable: parsePoints(before.receivable) } : {},
    );
    expect(rows.every((row) => row.month <= terms.month)).toBe(true);
    expectAccounts(rows, month);
    journal.push(...rows);
    expect(month.isCarried).toBe(true);
    before = month.balanceRow(0);
  }
  const [first, last] = [closes[0], closes.at(-1)];
  if (!first || !last) throw new Error("no close");
  // Before the first close: the opening. Behind the last one: nothing yet.
  const isOpening = (entry: Entry) => countingOf(entry, first) === "before";
  const isCounted = ({ at, posted_at = at }: Entry) =>
    spanOf(at, "month") <= last.month && posted_at < last.counts_until;
  const counted = entries.filter((entry) => isCounted(entry) && !isOpening(entry));
  expect(moved(journal)).toEqual(moved(counted));
  expect(journal.reduce((sum, row) => sum + row.entries, 0)).toBe(
    counted.filter(({ points }) => parsePoints(points) !== 0n).length,
  );
  const all = moved(entries.filter((entry) => isCounted(entry)));
  const balance = (account: string) =>
    Object.entries(all).reduce((sum, [name, points]) => {
      const [debit, credit] = name.split(" ");
      return (
        sum + (credit === account ? parsePoints(points) : 0n) - (debit === account ? parsePoints(points) : 0n)
      );
    }, 0n);
  expect(before).toMatchObject({
    wallet: formatPoints(balance(wallet)),
    receivable: formatPoints(-balance(receivable)),
  });
});

/** Opening and movements make the closing of each account that has a balance, and debits are credits. */
function expectAccounts(rows: readonly JournalRow[], month: OrganizationMonth): void {
  const lines = accountLines(rows, month.balances);
  const sum = (side: "debit" | "credit") => lines.reduce((all, line) => all + parsePoints(line[side]), 0n);
  expect(sum("debit")).toBe(sum("credit"));
  for (const { account, opening, closing, debit, credit } of lines) {
    if (opening === null || closing === null) continue;
    const change = parsePoints(credit) - parsePoints(debit);
    const signed = account === "receivable" ? -change : change;
    expect(parsePoints(closing)).toBe(parsePoints(opening) + signed);
  }
}

test("the seeds have late entries in each close but the first", () => {
  const late = seeds.flatMap((seed) => {
    const entries = history(seed);
    return termsOf(seed).map((terms) => ({
      month: terms.month,
      late: entries.filter(
        (entry) => countingOf(entry, terms) === "now" && spanOf(entry.at, "month") < terms.month,
      ).length,
    }));
  });
  for (const month of months) {
    const count = late.filter((each) => each.month === month).reduce((sum, each) => sum + each.late, 0);
    expect(count > 0, month).toBe(month !== months[0]);
  }
});

test("an entry without points is in no journal", () => {
  const [terms] = termsOf(0);
  if (!terms) throw new Error("no close");
  const month = new OrganizationMonth(org, terms);
  const at = spanStart(terms.month);
  month.add({
    id: "e",
    kind: "usage",
    organization: org,
    debit: wallet,
    credit: "revenue:m",
    points: "0",
    at,
    event: null,
  });
  expect(month.journal()).toEqual([]);
});
