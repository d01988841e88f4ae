/** The bounds of telemetry, the least that is useful, because a call never waits (README.md "What is lost"). */
export const bounds = {
  /** For one request to the collector, from the reading of its headers to its answer. */
  exportMs: 300,
  /** How long a collector is left alone that did not answer. */
  restMs: 30_000,
  /** How long a server gathers spans, how many it sends at once, and how many may wait. */
  batchMs: 1_000,
  batchSpans: 512,
  spansMax: 4_096,
  /** The most characters of `tracestate` that are passed on: as many as everybody has to. */
  stateCharsMax: 512,
  /** Longer entries are the first that are left out of a state that is too long. */
  stateEntryCharsMax: 128,
  stateEntriesMax: 32,
  /** The most characters of `tracestate` that are read. 32 entries of the length that is kept for sure are half of it. */
  stateReadCharsMax: 8_192,
} as const;
