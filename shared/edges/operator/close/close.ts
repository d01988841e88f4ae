/** What `month check` and `month close` do (books/close/README.md). */
import { rfc3339 } from "../../../books/billing/instant.ts";
import { spanEnd, spanOf, spanStart } from "../../../books/billing/period.ts";
import type { Seller } from "../../../books/catalog/catalog.ts";
import { closeBounds } from "../../../books/close/bounds.ts";
import type { MonthCloses } from "../../../books/close/closes.ts";
import type { CloseTerms } from "../../../books/close/counting.ts";
import { hashOfRows } from "../../../books/close/journal.ts";
import {
  accountLines,
  type ClosedMonth,
  type CloseSummary,
  faultsOfChain,
  lateMonths,
  signSummary,
} from "../../../books/close/summary.ts";
import type { MarginReport } from "../../../books/reports/margin/margin.ts";
import { type MonthBooks, type MonthBooksDeps, readMonth, spanOfClose } from "./books.ts";
import { type CheckedMonth, type CheckOutcome, type CloseCheckName, checkMonth } from "./checks.ts";

/** A month to be closed. */
export interface CloseRequest {
  /** `2026-11`. */
  month: string;
  /** Checks that need not hold. */
  accepted: ReadonlySet<CloseCheckName>;
  /** Why; null where none is accepted. */
  reason: string | null;
  /** Who closes it. */
  by: string;
}

export interface CloseDeps extends MonthBooksDeps {
  closes: MonthCloses;
  subject: Omit<CheckedMonth, "month" | "now" | "margin">;
  margin(range: { from: number; to: number }): Promise<MarginReport>;
  seller: Seller;
  /** The pepper in force. */
  pepper(): Promise<string>;
  now: () => number;
}

/** What came of a close. Not closed: some check did not hold. */
export interface CloseOutcome {
  month: string;
  closed: boolean;
  checks: CheckOutcome[];
  summary: CloseSummary | null;
  sha256: string | null;
}

/** Makes the checks alone. Throws as `closeMonth` does, where the month cannot be the next one. */
export async function checkClose(
  request: Pick<CloseRequest, "month" | "accepted">,
  deps: CloseDeps,
): Promise<CloseOutcome> {
  if (!checkNext(request.month, await deps.closes.all())) await checkFirst(request.month, deps);
  const { checks } = await looked(request, deps);
  return { month: request.month, closed: false, checks, summary: null, sha256: null };
}

/**
 * Closes a month for good, where each check holds or is accepted. Throws where the month is closed already, where it is
 * not the one after the last closed one, and where closed months are not as they were signed.
 */
export async function closeMonth(request: CloseRequest, deps: CloseDeps): Promise<CloseOutcome> {
  const { month } = request;
  const known = await deps.closes.all();
  const before = checkNext(month, known);
  if (!before) await checkFirst(month, deps);
  const { checks, margin } = await looked(request, deps);
  if (checks.some(({ holds, accepted }) => !holds && !accepted))
    return { month, closed: false, checks, summary: null, sha256: null };
  const now = deps.now();
  const counts_until = now - closeBounds.writingMs;
  const previous = before && spanOfClose(before);
  if (previous && counts_until <= previous.counts_until)
    throw new Error(`the clock here is before the close of ${previous.month}: set it`);
  const terms: CloseTerms = { month, counts_until, ...(previous && { previous }) };
  const books = await readMonth(terms, { before }, deps);
  const summary = summaryOf({ request, terms, before, checks, books, margin: await margin(), now }, deps);
  const closed = signSummary(summary, await deps.pepper());
  if (!(await deps.closes.write(closed, books.balances, before))) throw alreadyClosed(month);
  return { month, closed: true, checks, summary, sha256: closed.sha256 };
}

/** The month before; undefined where this is the first close. */
function checkNext(month: string, known: readonly ClosedMonth[]): ClosedMonth | undefined {
  const faults = faultsOfChain(known);
  if (faults.length > 0) throw new Error(`${faults.join("\n")}\nrestore the table`);
  const last = known.at(-1);
  if (known.some((closed) => closed.month === month)) throw alreadyClosed(month);
  const next = last && spanOf(spanEnd(last.month), "month");
  if (next !== undefined && next !== month)
    throw new Error(`close ${next} first: ${last?.month} is the last closed month`);
  return last;
}

/** A first close that is long before all customers is a mistake in typing, and could not be taken back. */
async function checkFirst(month: string, { accounts }: Pick<CloseDeps, "accounts">): Promise<void> {
  let first = Number.POSITIVE_INFINITY;
  for await (const { created_at } of accounts.organizations()) first = Math.min(first, created_at);
  if (first === Number.POSITIVE_INFINITY) throw new Error("there is no organization, and nothing to close");
  const earliest = new Date(first);
  earliest.setUTCDate(1);
  earliest.setUTCMonth(earliest.getUTCMonth() - closeBounds.emptyMonthsMax);
  const least = spanOf(earliest.getTime(), "month");
  if (month < least)
    throw new Error(`${month} is before all customers: the first close is of ${least} or a later month`);
}

function alreadyClosed(month: string): Error {
  return new Error(`${month} is closed: what is posted to it from now on counts in the next month`);
}

/** What is read when it is first asked for, and then kept. */
function once<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined;
  return () => (value ??= read());
}

/** The checks of a month, and its margin. */
async function looked({ month, accepted }: Pick<CloseRequest, "month" | "accepted">, deps: CloseDeps) {
  const margin = once(() => deps.margin({ from: spanStart(month), to: spanEnd(month) }));
  const subject = { ...deps.subject, audit: once(deps.subject.audit), margin, month, now: deps.now() };
  const checks = await checkMonth(subject, accepted);
  return { checks, margin };
}

interface Closing {
  request: CloseRequest;
  terms: CloseTerms;
  before: ClosedMonth | undefined;
  checks: readonly CheckOutcome[];
  books: MonthBooks;
  margin: MarginReport;
  now: number;
}

function summaryOf(
  { request, terms, before, checks, books, margin, now }: Closing,
  { seller }: Pick<CloseDeps, "seller">,
): CloseSummary {
  const { month, by, reason } = request;
  const { journal, balances } = books;
  return {
    ...{ object: "month_close", month, counts_until: rfc3339(terms.counts_until), closed_at: rfc3339(now) },
    ...{ closed_by: by, reason: checks.some(({ accepted }) => accepted) ? reason : null },
    previous: before ? { month: before.month, sha256: before.sha256 } : null,
    checks: checks.map(({ todo: _, ...check }) => check),
    accounts: accountLines(journal, books),
    late: lateMonths(journal, month),
    journal: { rows: journal.length, sha256: hashOfRows(journal) },
    balances: { rows: balances.length, sha256: hashOfRows(balances) },
    currency: seller.currency ?? null,
    margin: margin.totals,
  };
}
