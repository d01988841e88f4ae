/** What `month list`, `show`, `verify` and `export` do with closed months (books/close/README.md). */

import type { MonthCloses } from "../../../books/close/closes.ts";
import { type BalanceRow, hashOfRows, type JournalRow } from "../../../books/close/journal.ts";
import { type ClosedMonth, faultsOfChain, readSummary } from "../../../books/close/summary.ts";
import { type MonthBooksDeps, readMonth, termsOf } from "./books.ts";

export interface VerifyDeps extends MonthBooksDeps {
  closes: MonthCloses;
}

/** A closed month. Throws where the month is not closed. */
export async function closedMonth(
  month: string,
  { closes }: Pick<VerifyDeps, "closes">,
): Promise<ClosedMonth> {
  const found = (await closes.all()).find((each) => each.month === month);
  if (!found) throw new Error(`${month} is not closed`);
  return found;
}

/** What a month is by the ledger today, and how that differs from what was closed. */
export interface VerifiedMonth {
  month: string;
  sha256: string;
  ok: boolean;
  /** What is not as it was closed, in sentences. */
  faults: string[];
}

/** The rows of a closed month, read from the ledger anew, with what differs from the close. */
async function readAnew(month: string, deps: VerifyDeps) {
  const known = await deps.closes.all();
  const at = known.findIndex((each) => each.month === month);
  const closed = known[at];
  if (!closed) throw new Error(`${month} is not closed`);
  const before = known[at - 1];
  const books = await readMonth(termsOf(closed, before), before, deps);
  const { journal, balances } = readSummary(closed);
  const faults = [
    ...faultsOfChain(known),
    ...(hashOfRows(books.journal) === journal.sha256
      ? []
      : ["the ledger's journal is another than the closed one"]),
    ...(hashOfRows(books.balances) === balances.sha256
      ? []
      : ["the ledger's balances are others than the closed ones"]),
  ];
  return { closed, books, faults };
}

/** Reads a closed month from the ledger anew, and says whether it is as it was closed. Throws where it is not closed. */
export async function verifyMonth(month: string, deps: VerifyDeps): Promise<VerifiedMonth> {
  const { closed, faults } = await readAnew(month, deps);
  return { month, sha256: closed.sha256, ok: faults.length === 0, faults };
}

/** The rows of a closed month. Throws where the ledger has other ones by now. */
export async function exportMonth(
  month: string,
  deps: VerifyDeps,
): Promise<{ journal: JournalRow[]; balances: BalanceRow[] }> {
  const { books, faults } = await readAnew(month, deps);
  if (faults.length > 0) throw new Error(`${faults.join("\n")}\nnothing was exported: run operator audit`);
  return books;
}
