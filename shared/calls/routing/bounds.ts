/** What processes wait for and remember of the board (README.md), units last in the name. */
export const boardBounds = {
  /** How old a process's copy of a board may be before it is read again. */
  freshMs: 2_000,
  /** How old the copy of a busy model's board may be. */
  busyFreshMs: 30_000,
  /**
   * How many calls a second read a busy model's board by chance. A read takes 0.5 to 3 of the 3,000 units that DynamoDB
   * gives a partition a second (infra/cost/scale.md "Reads").
   */
  readsPerSecondMax: 500,
  /** How long a call waits for the board after its admission, and for the claim to probe a channel. */
  waitMs: 10,
  claimMs: 100,
  /** How long it is waited for beside a call. */
  readMs: 1_000,
  /** How long the end of a call waits until what it saw of its channels is on the board. */
  notesMs: 2_000,
  /** Models whose boards a process keeps. */
  copiesMax: 1_000,
  /** A board that cannot be reached is logged so often. */
  logMs: 10_000,
  /** Fewer faults of a channel may be chance. */
  faultsMin: 3,
  /** How long after its time it is known that a channel was left, where no call comes to probe it. */
  forgottenMs: 120_000,
  /** How long a call that probes a channel has, until another one may. */
  probeMs: 10_000,
  /** Witnesses of a channel's faults that a window tells apart. Those of more count for all. */
  witnessesMax: 8,
  /** How far the clocks of two processes may be apart. */
  clockSkewMs: 5_000,
} as const;
