/** How much to reason, as a word and as a budget of tokens. One table translates both ways, for every protocol. */

/** The words for how much to reason, the least first. */
export const effortWords = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type EffortWord = (typeof effortWords)[number];

/** Each word with its budget, and the largest budget that becomes it; none asks for more than `high`. */
const table: readonly [word: EffortWord, budget: number, up_to: number][] = [
  ["none", 0, 0],
  ["minimal", 512, 0],
  ["low", 1_024, 2_048],
  ["medium", 8_192, 8_192],
  ["high", 24_576, Number.POSITIVE_INFINITY],
  ["xhigh", 32_768, Number.POSITIVE_INFINITY],
  ["max", 65_536, Number.POSITIVE_INFINITY],
];

/** The word for a request that wants reasoning and does not say how much. */
export const usualEffort = "medium" satisfies EffortWord;

/** The word nearest to a budget of tokens, for models that take no budget. Undefined without a budget. */
export function effortOfBudget(tokens: number): EffortWord;
export function effortOfBudget(tokens: number | undefined): EffortWord | undefined;
export function effortOfBudget(tokens: number | undefined): EffortWord | undefined {
  return tokens === undefined ? undefined : table.find(([, , bound]) => tokens <= bound)?.[0];
}

/** The budget that stands for a word, for models that take no word. */
export function budgetOfEffort(word: EffortWord): number {
  return table.find(([each]) => each === word)?.[1] ?? 0;
}

/** A word for a model without traits. `max` becomes the strongest word that most models take. */
export function plainEffort(word: EffortWord): Exclude<EffortWord, "max"> {
  return word === "max" ? "xhigh" : word;
}

/** Whether a text is one of the words. */
export function isEffort(value: unknown): value is EffortWord {
  return (effortWords as readonly unknown[]).includes(value);
}

/** The word nearest to the wanted one, of two the lesser, never `none` for another. Undefined: the model takes none. */
export function nearestEffort(
  wanted: EffortWord,
  taken: readonly EffortWord[] = effortWords,
): EffortWord | undefined {
  const place = (word: EffortWord): number => effortWords.indexOf(word);
  const distance = (word: EffortWord): number => Math.abs(place(word) - place(wanted));
  return taken
    .filter((word) => word === wanted || word !== "none")
    .toSorted((a, b) => distance(a) - distance(b) || place(a) - place(b))[0];
}

/** A budget that a model takes, below the answer's maximum. Undefined where that is too short for reasoning. */
export function heldBudget(
  tokens: number,
  { min, max }: { min: number; max: number } = { min: 1, max: Number.POSITIVE_INFINITY },
  maximum: number = Number.POSITIVE_INFINITY,
): number | undefined {
  const most = Math.min(max, maximum - 1);
  return most < min ? undefined : Math.max(min, Math.min(tokens, most));
}
