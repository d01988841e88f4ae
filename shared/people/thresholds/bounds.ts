/** The thresholds, and the bounds of what is kept of them, units last in the name (as `base/limits.ts`). */
import type { WalletThreshold } from "../../books/accounts/wallet-threshold.ts";

export const thresholdLimits = {
  budgetPercents: [50, 80, 100],
  quotaPercents: [80, 100],
  keyDays: [7, 1],
  /** How far back a wallet's pace looks. */
  paceDays: 7,
  /** A wallet's first charges count as those of so long at least. */
  paceDaysMin: 1,
  /** How long after its end a period is still looked at: an hourly pass may be the next one. */
  lateMs: 2 * 3_600_000,
  /** Lines of one transaction. What is left is told by the next look. */
  linesMax: 50,
  /** The most days by which a wallet may be low. */
  walletDaysMax: 90,
} as const;

/** When a wallet is low, where its organization says nothing. */
export const defaultWalletThresholds: readonly WalletThreshold[] = [{ measure: "days", below: "3" }];
