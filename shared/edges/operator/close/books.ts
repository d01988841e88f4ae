/** Reads the entries that count in a month's close, and adds them up (books/close/README.md). */
import { eachOf } from "../../../base/platform/each-of.ts";
import type { Accounts } from "../../../books/accounts/account.ts";
import { spanEnd, spanStart } from "../../../books/billing/period.ts";
import { parsePoints } from "../../../books/billing/points.ts";
import { closeBounds } from "../../../books/close/bounds.ts";
import type { MonthCloses } from "../../../books/close/closes.ts";
import type { CloseTerms } from "../../../books/close/counting.ts";
import {
  type Balance,
  type BalanceRow,
  type JournalRow,
  OrganizationMonth,
} from "../../../books/close/journal.ts";
import { type ClosedMonth, readSummary } from "../../../books/close/summary.ts";
import type { Ledger } from "../../../books/ledger/ledger.ts";
import { hourEntries } from "../hour-entries.ts";
import type { ExportedLedger } from "../ledger-export.ts";

/** The reads of a close. */
export interface MonthBooksDeps {
  accounts: Pick<Accounts, "organizations">;
  ledger: ExportedLedger & Pick<Ledger, "eachRollup">;
  closes: Pick<MonthCloses, "balances">;
}

/** A month of all organizations, in the order of their ids. */
export interface MonthBooks {
  journal: JournalRow[];
  /** At its end. Organizations that never had a point are left out. */
  balances: BalanceRow[];
  /** In sum. */
  opening: Balance;
  closing: Balance;
}

/** The instants of a closed month, and of the one before it. */
export function termsOf(closed: ClosedMonth, before: ClosedMonth | undefined): CloseTerms {
  const span = (each: ClosedMonth) => ({
    month: each.month,
    counts_until: Date.parse(readSummary(each).counts_until),
  });
  return { ...span(closed), ...(before && { previous: span(before) }) };
}

/**
 * The month that these terms close. Memory holds its journal and the balances of all organizations. Throws where the
 * balances of the month before are not as they were written. `before`: the month before.
 */
export async function readMonth(
  terms: CloseTerms,
  before: ClosedMonth | undefined,
  deps: MonthBooksDeps,
): Promise<MonthBooks> {
  const kept = before ? await deps.closes.balances(readSummary(before)) : [];
  const balancesBefore = new Map(kept.map((row) => [row.organization, row]));
  const ids = new Set(balancesBefore.keys());
  for await (const { id } of deps.accounts.organizations()) ids.add(id);
  const books: MonthBooks = { journal: [], balances: [], opening: noBalance(), closing: noBalance() };
  const read = new Map<string, OrganizationMonth>();
  await eachOf([...ids], closeBounds.organizationsAtOnceMax, async (id) => {
    read.set(id, await readOrganization(id, terms, balancesBefore.get(id), deps));
  });
  for (const [, month] of [...read].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { opening, closing } = month.balances;
    add(books.opening, opening);
    add(books.closing, closing);
    const [journal, balance] = [month.journal(), month.balanceRow()];
    books.journal.push(...journal);
    if (journal.length > 0 || hasPoints(balance)) books.balances.push(balance);
  }
  return books;
}

async function readOrganization(
  id: string,
  terms: CloseTerms,
  before: BalanceRow | undefined,
  deps: MonthBooksDeps,
): Promise<OrganizationMonth> {
  const month = new OrganizationMonth(id, terms, before);
  const isWhole = terms.previous === undefined || (await isLate(id, terms, before, deps));
  const from = isWhole ? 0 : spanStart(terms.month);
  for await (const entry of hourEntries(id, { from, to: spanEnd(terms.month) }, deps.ledger))
    month.add(entry);
  for (const entry of await deps.ledger.creditsAndFees(id)) month.add(entry);
  return month;
}

/** Whether something was posted to closed months since they were closed: their rollups have another sum by now. */
async function isLate(
  id: string,
  { month }: CloseTerms,
  before: BalanceRow | undefined,
  { ledger }: MonthBooksDeps,
): Promise<boolean> {
  let charged = 0n;
  for await (const { sums } of ledger.eachRollup(id, "", "1970-01", month)) charged += sums.cost_points;
  return charged !== parsePoints(before?.charged ?? "0");
}

const noBalance = (): Balance => ({ wallet: 0n, receivable: 0n });

function add(to: Balance, { wallet, receivable }: Balance): void {
  to.wallet += wallet;
  to.receivable += receivable;
}

function hasPoints({ wallet, receivable, charged }: BalanceRow): boolean {
  return [wallet, receivable, charged].some((points) => parsePoints(points) !== 0n);
}
