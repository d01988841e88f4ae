/** Every bound of the cache, units last in the name (shared/calls/cache/README.md). */
export const bounds = {
  /** The longest question that is answered, as JSON, and the largest body that is read. */
  questionBytesMax: 8 * 1024,
  bodyBytesMax: 128 * 1024,
  /** A request for a temperature up to this wants the same answer each time. */
  temperatureMax: 0.3,
  /** The longest answer that is kept, and the most bytes of an answer as it left: a stream repeats much. */
  answerBytesMax: 64 * 1024,
  replyBytesMax: 1024 * 1024,
  scopesMax: 1_000,
  /** How long an answer is kept, and how long at most where a client says so. */
  keptSeconds: 86_400,
  keptSecondsMax: 7 * 86_400,
} as const;
