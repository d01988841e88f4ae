/** What `month list`, `show`, `verify` and `export` do with closed months (books/close/README.md). */

import type { Pepper, Peppers } from "../../../base/platform/pepper.ts";
import type { MonthCloses } from "../../../books/close/closes.ts";
import { type BalanceRow, hashOfRows, type JournalRow } from "../../../books/close/journal.ts";
import {
  accountLines,
  type ClosedMonth,
  closeKey,
  faultsOfChain,
  lateMonths,
  readSummary,
} from "../../../books/close/summary.ts";
import { type MonthBooksDeps, readMonth, spanOfClose } from "./books.ts";

export interface VerifyDeps extends MonthBooksDeps {
  closes: MonthCloses;
  peppers(): Promise<Peppers>;
}

/** A closed month on one line. */
interface MonthLine {
  month: string;
  closed_at: string;
  closed_by: string;
  /** The checks that did not hold, with spaces between; null where all did. */
  accepted: string | null;
  sha256: string;
}

/** The closed months, the newest first. */
export async function listMonths({ closes }: Pick<VerifyDeps, "closes">): Promise<MonthLine[]> {
  return (await closes.all()).toReversed().map((each) => {
    const { month, closed_at, closed_by, checks } = readSummary(each);
    const accepted = checks.filter((check) => check.accepted).map(({ name }) => name);
    return { month, closed_at, closed_by, accepted: accepted.join(" ") || null, sha256: each.sha256 };
  });
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
  /**
   * Whose key has signed it: that of the pepper in force, or of the one before. `another`: of a pepper that is gone, or of
   * somebody who has none.
   */
  signed_by: "current pepper" | "previous pepper" | "another";
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
  const summary = readSummary(closed);
  const kept = await deps.closes.balances(summary);
  const terms = { ...spanOfClose(closed), ...(before && { previous: spanOfClose(before) }) };
  const books = await readMonth(terms, { before, closed: kept }, deps);
  const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
  const { journal, balances, accounts, late } = summary;
  const faults = [
    ...faultsOfChain(known),
    ...told(
      hashOfRows(books.journal) === journal.sha256,
      "the ledger's journal is another than the closed one",
    ),
    ...told(
      hashOfRows(books.balances) === balances.sha256,
      "the ledger's balances are others than the closed ones",
    ),
    ...told(
      isSame(accountLines(books.journal, books), accounts),
      "the summary's accounts are not those of the ledger",
    ),
    ...told(
      isSame(lateMonths(books.journal, month), late),
      "the summary's late months are not those of the ledger",
    ),
  ];
  return { closed, books, faults };
}

const told = (holds: boolean, fault: string) => (holds ? [] : [fault]);

/** Reads a closed month from the ledger anew, and says whether it is as it was closed. Throws where it is not closed. */
export async function verifyMonth(month: string, deps: VerifyDeps): Promise<VerifiedMonth> {
  const { closed, faults } = await readAnew(month, deps);
  const { current, previous } = await deps.peppers();
  const isOf = (pepper: Pepper | undefined) => pepper && closeKey(pepper.value) === closed.public_key;
  const signed_by = isOf(current) ? "current pepper" : isOf(previous) ? "previous pepper" : "another";
  return { month, sha256: closed.sha256, ok: faults.length === 0, signed_by, faults };
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
