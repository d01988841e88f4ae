/** What the operator's commands take at most, units last in the name. */
export const operatorBounds = {
  /** Rows of one list, and how many it has where nobody says. */
  listMax: 9_999,
  listUsual: 100,
  /** How far back log lines are looked for: a stage keeps them for 90 days. */
  logHoursMax: 90 * 24,
  logLinesMax: 100_000,
  /** Why a channel was taken out, or a bill withdrawn. */
  whyCharsMax: 200,
  modelTokensMax: 100_000_000,
  /** How long a list of prices may take to arrive, and how large it may be. LiteLLM's is the largest, with 3.5 MB. */
  priceListMs: 60_000,
  priceListCharsMax: 64 << 20,
  /** Cells of a comparison of bills that a terminal shows. `--json` has all of them. */
  billCellsShown: 40,
  nodeMajorMin: 24,
} as const;
