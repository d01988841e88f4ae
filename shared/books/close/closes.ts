/** Where closed months are kept. The store implements it. */
import type { BalanceRow } from "./journal.ts";
import type { ClosedMonth, CloseSummary } from "./summary.ts";

export interface MonthCloses {
  /** All closed months, in order of time. */
  all(): Promise<ClosedMonth[]>;
  /** The balances of a closed month. Throws where they are not as they were written. */
  balances(closed: Pick<CloseSummary, "month" | "balances">): Promise<BalanceRow[]>;
  /**
   * Keeps a closed month: its balances first, then the summary. False where `before` is not the last closed month any
   * more; undefined, where one is closed.
   */
  write(
    closed: ClosedMonth,
    balances: readonly BalanceRow[],
    before: Pick<ClosedMonth, "month"> | undefined,
  ): Promise<boolean>;
}
