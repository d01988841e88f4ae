/** Bounds of closing a month (README.md). */
export const closeBounds = {
  /** A function of AWS lives for at most 15 minutes, so an entry with an older `posted_at` is written by now, or never. */
  writingMs: 900_000,
  /** Balances in one item: some 40 KB of the 400 that an item may have. */
  balancesPerItemMax: 300,
  /** How many months before its first organization a gateway may begin to close. Earlier ones are a mistake in typing. */
  emptyMonthsMax: 2,
} as const;
