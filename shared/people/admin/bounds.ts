/** The bounds of the operators' API, units last in the name. */
export const adminLimits = {
  /** How long a token may be good. */
  tokenDaysMax: 90,
  /** What a token is called, and why something is done: one line each. */
  nameCharsMax: 64,
  reasonCharsMax: 200,
  /** Calls of one token. */
  callsAMinuteMax: 120,
  /** Those of them that read a whole table. */
  scansAMinuteMax: 6,
  bodyBytesMax: 16 * 1024,
  /** What a page of a list has at most. */
  pageMax: 50,
  /** How long a proposed credit waits for another person. */
  proposalHours: 24,
  /** A write that has no end for so long has died: its `Idempotency-Key` is taken over. */
  runningMs: 120_000,
} as const;

/** What no name and no reason may have, because a reader would not see it, or would see another order or line. */
export const unseen = /[\p{C}\p{Zl}\p{Zp}]/u;
