/** Closed months in memory, and a summary for tests that are about no summary. */
import type { MonthCloses } from "#shared/books/close/closes.ts";
import type { CloseTerms } from "#shared/books/close/counting.ts";
import { type BalanceRow, hashOfRows } from "#shared/books/close/journal.ts";
import {
  accountLines,
  type ClosedMonth,
  type CloseSummary,
  signSummary,
} from "#shared/books/close/summary.ts";
import { marginRowOf } from "#shared/books/reports/margin/rows.ts";
import { noMargin } from "#shared/books/reports/margin/sums.ts";

const nothing = { wallet: 0n, receivable: 0n };

/** A closed month with these balances, and nothing else that a reader of the next one needs. */
export function closedWith(
  { month, counts_until, previous }: CloseTerms,
  balances: readonly BalanceRow[],
  before?: ClosedMonth,
): ClosedMonth {
  const at = new Date(counts_until).toISOString();
  const summary: CloseSummary = {
    ...{ object: "month_close", month, counts_until: at, closed_at: at, closed_by: "ops", reason: null },
    previous: previous && before ? { month: before.month, sha256: before.sha256 } : null,
    ...{ currency: null, checks: [], late: [], margin: marginRowOf(noMargin(), undefined) },
    accounts: accountLines([], { opening: nothing, closing: nothing }),
    journal: { rows: 0, sha256: hashOfRows([]) },
    balances: { rows: balances.length, sha256: hashOfRows(balances) },
  };
  return signSummary(summary, "a pepper");
}

/** Closed months in memory. */
export function memoryCloses(): MonthCloses & { months: ClosedMonth[] } {
  const months: ClosedMonth[] = [];
  const balances = new Map<string, BalanceRow[]>();
  return {
    months,
    all: async () => structuredClone(months),
    async balances({ month, balances: { sha256 } }) {
      const rows = balances.get(month) ?? [];
      if (hashOfRows(rows) !== sha256)
        throw new Error(`the balances of ${month} are not as they were closed`);
      return structuredClone(rows);
    },
    async write(closed, rows, before) {
      if (months.at(-1)?.month !== before?.month) return false;
      months.push(closed);
      balances.set(closed.month, [...rows]);
      return true;
    },
  };
}
