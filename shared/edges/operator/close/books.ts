/** Reads the entries that count in a month's close, and adds them up (books/close/README.md). */

import { eachOf } from "../../../base/platform/each-of.ts";
import type { Accounts } from "../../../books/accounts/account.ts";
import { spanEnd, spanStart } from "../../../books/billing/period.ts";
import { parsePoints } from "../../../books/billing/points.ts";
import type { MonthCloses } from "../../../books/close/closes.ts";
import type { ClosedSpan, CloseTerms } from "../../../books/close/counting.ts";
import {
  addBalance,
  type Balance,
  type BalanceRow,
  type JournalRow,
  OrganizationMonth,
} from "../../../books/close/journal.ts";
import { type ClosedMonth, readSummary } from "../../../books/close/summary.ts";
import type { Ledger } from "../../../books/ledger/ledger.ts";
import { reportBounds } from "../../../books/reports/bounds.ts";
import { hourEntries } from "../hour-entries.ts";
import type { ExportedLedger } from "../ledger-export.ts";

/** The reads of a close. */
export interface MonthBooksDeps {
  accounts: Pick<Accounts, "organizations">;
  ledger: ExportedLedger & Pick<Ledger, "eachRollup" | "seal">;
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

/** What a month begins with. */
interface MonthSource {
  /** The month before; undefined of the first close. */
  before: ClosedMonth | undefined;
  /** The balances that it was closed with, where it is read anew: they say how many postings were late then. */
  closed?: readonly BalanceRow[];
}

/** A closed month, and the instant until which its close counts what was posted. */
export function spanOfClose(closed: ClosedMonth): ClosedSpan {
  return { month: closed.month, counts_until: Date.parse(readSummary(closed).counts_until) };
}

/**
 * The month that these terms close. Memory holds its journal and the balances of all organizations. Throws where the
 * balances of the month before are not as they were written.
 */
export async function readMonth(
  terms: CloseTerms,
  { before, closed = [] }: MonthSource,
  deps: MonthBooksDeps,
): Promise<MonthBooks> {
  const kept = before ? await deps.closes.balances(readSummary(before)) : [];
  const balancesBefore = new Map(kept.map((row) => [row.organization, row]));
  const ids = new Set(balancesBefore.keys());
  for await (const { id } of deps.accounts.organizations()) ids.add(id);
  const books: MonthBooks = { journal: [], balances: [], opening: noBalance(), closing: noBalance() };
  const lateThen = new Map(closed.map(({ organization, late }) => [organization, late]));
  const read = new Map<string, ReadMonth>();
  await eachOf([...ids], reportBounds.organizationsAtOnce, async (id) => {
    read.set(id, await readOrganization(id, terms, balancesBefore.get(id), deps));
  });
  for (const [id, { month, late }] of [...read].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { opening, closing } = month.balances;
    addBalance(books.opening, opening);
    addBalance(books.closing, closing);
    const [journal, balance] = [month.journal(), month.balanceRow(lateThen.get(id) ?? late)];
    books.journal.push(...journal);
    if (journal.length > 0 || hasPoints(balance)) books.balances.push(balance);
  }
  return books;
}

/** The month of an organization, and how many postings had come after their day was sealed. */
interface ReadMonth {
  month: OrganizationMonth;
  late: number;
}

async function readOrganization(
  id: string,
  terms: CloseTerms,
  before: BalanceRow | undefined,
  deps: MonthBooksDeps,
): Promise<ReadMonth> {
  const month = new OrganizationMonth(id, terms, before);
  const { late } = await deps.ledger.seal(id, "");
  const isWhole =
    terms.previous === undefined ||
    late !== (before?.late ?? 0) ||
    (await chargedBefore(id, terms.month, deps)) !== parsePoints(before?.charged ?? "0");
  const from = isWhole ? 0 : spanStart(terms.month);
  for await (const entry of hourEntries(id, { from, to: spanEnd(terms.month) }, deps.ledger))
    month.add(entry);
  for (const entry of await deps.ledger.creditsAndFees(id)) month.add(entry);
  if (!month.isCarried)
    throw new Error(
      `the balance of ${id} at the end of ${terms.previous?.month} is not what its entries say: run operator audit`,
    );
  return { month, late };
}

/** What the rollups of closed months say that an organization was charged. Something posted late makes it another sum. */
async function chargedBefore(id: string, month: string, { ledger }: MonthBooksDeps): Promise<bigint> {
  let charged = 0n;
  for await (const { sums } of ledger.eachRollup(id, "", "1970-01", month)) charged += sums.cost_points;
  return charged;
}

const noBalance = (): Balance => ({ wallet: 0n, receivable: 0n });

function hasPoints({ wallet, receivable, charged }: BalanceRow): boolean {
  return [wallet, receivable, charged].some((points) => parsePoints(points) !== 0n);
}
