/** What is kept of calls that were refused (shared/books/reports/README.md "Refused calls"), units last in the name. */
export const refusedBounds = {
  /** For how long the calls of one item came, in milliseconds, and how many of them are kept. */
  slotMs: 10_000,
  callsMax: 16,
  days: 7,
  messageCharsMax: 200,
} as const;
