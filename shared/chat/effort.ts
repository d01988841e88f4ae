import type { ReasoningEffort } from "./request.ts";

/** The effort that stands for a budget of reasoning tokens up to and including a bound. */
const budgetEfforts: readonly [tokens: number, effort: ReasoningEffort][] = [
  [0, "none"],
  [2_048, "low"],
  [8_192, "medium"],
  [Number.POSITIVE_INFINITY, "high"],
];

/** The effort next to a budget of tokens, for protocols that know no budget; undefined without one. */
export function effortOfBudget(tokens: number | undefined): ReasoningEffort | undefined {
  return tokens === undefined ? undefined : budgetEfforts.find(([bound]) => tokens <= bound)?.[1];
}
