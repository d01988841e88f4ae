/** Every bound of the semantic level, units last in the name (shared/calls/cache/semantic/README.md "Bounds"). */
export const bounds = {
  /** How long an admitted call waits for the vector of its question, and for the judge. */
  embedMs: 150,
  judgeMs: 800,
  /** The same for the learner, for which nobody waits. */
  learnEmbedMs: 5_000,
  learnJudgeMs: 20_000,
  /** One of so many hits is not served, and audited. */
  auditOneOf: 50,
  /** The largest answer of the embedder, of 4,096 numbers or more, and of the verifier. */
  replyBytesMax: 512 * 1024,
  /** Pages of a context, and the records of one. */
  pagesMax: 16,
  recordsMax: 32,
  /** Of 256 bits, how many may differ at most. Two directions with a cosine of 0.5 differ in 85 of them. */
  reachBits: 80,
  /** How many neighbours are compared with the question. */
  neighboursMax: 8,
  /** Texts that are longer are not compared. */
  comparedCharsMax: 8 * 1024,
  /** A share of wrong answers above this is too much. */
  wrongShareMax: 0.02,
  /** How sure it must be that the share is below that, for a context to be trusted, and that it is above, to be off. */
  trustConfidence: 0.95,
  offConfidence: 0.75,
  /** From so many lookups on, fewer candidates than this share are not worth an embedding. */
  lookupsMin: 100,
  candidateShareMin: 0.05,
  offMs: 86_400_000,
  /** What the judge may write. Its verdict is one word. */
  verdictTokensMax: 16,
} as const;
