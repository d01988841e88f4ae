/** Bounds of what adds up the ledger for operators. */
export const reportBounds = {
  /** Organizations that are read at a time. Each mostly waits for the database. */
  organizationsAtOnce: 8,
} as const;
