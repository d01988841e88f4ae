/** How much to reason, as one model takes it: a level or a budget in `thinkingConfig`, and never both. */

import {
  budgetOfEffort,
  type EffortWord,
  effortOfBudget,
  heldBudget,
  isEffort,
  nearestEffort,
} from "../../../books/catalog/effort.ts";
import type { ReasoningForm, Traits } from "../../../books/catalog/traits.ts";
import type { Draft } from "../fitting/draft.ts";

type Takes = NonNullable<Traits["reasoning"]>;

const config = "generationConfig.thinkingConfig";
const levelPath = `${config}.thinkingLevel`;
const budgetPath = `${config}.thinkingBudget`;

/** Google's words; it has none for the strongest efforts. */
const levels: readonly EffortWord[] = ["minimal", "low", "medium", "high"];

/** Makes what a body says of reasoning fit. Gives how the model then reasons; undefined where it does not. */
export function fitThinking(draft: Draft, takes: Traits["reasoning"]): ReasoningForm | undefined {
  if (!takes) return wayOf(draft, takes);
  if (takes.forms.length === 0) {
    draft.drop(config, "reasoning");
    return wayOf(draft, takes);
  }
  const has = (form: ReasoningForm): boolean => takes.forms.includes(form);
  // The budget is more exact than the level, where the model takes one.
  if (levelOf(draft) && draft.at(budgetPath) !== undefined) {
    if (has("effort") && !has("budget")) draft.drop(budgetPath, "reasoning.budget_tokens");
    else draft.drop(levelPath, "reasoning.effort");
  }
  const budget = draft.at(budgetPath);
  const level = levelOf(draft);
  if (typeof budget === "number") {
    if (budget < 0 && !has("adaptive")) draft.drop(budgetPath);
    else if (budget >= 0 && has("budget")) holdBudget(draft, budget, takes);
    else if (budget >= 0) setLevel(draft, effortOfBudget(budget), takes);
  } else if (level && has("effort")) {
    const taken = nearestLevel(level, takes);
    if (taken !== level) setLevel(draft, level, takes);
  } else if (level) {
    if (has("budget")) setBudget(draft, budgetOfEffort(level), takes);
    draft.drop(levelPath, has("budget") ? undefined : "reasoning.effort");
  }
  return wayOf(draft, takes);
}

function levelOf(draft: Draft): EffortWord | undefined {
  const level = draft.at(levelPath);
  const word = typeof level === "string" ? level.toLowerCase() : undefined;
  return isEffort(word) ? word : undefined;
}

/** The way in which a model reasons on a body; undefined where it does not. */
function wayOf(draft: Draft, takes: Takes | undefined): ReasoningForm | undefined {
  const budget = draft.at(budgetPath);
  if (typeof budget === "number" && budget !== 0) return budget < 0 ? "adaptive" : "budget";
  if (budget === undefined && levelOf(draft)) return "effort";
  const reasons = takes?.always || (budget === undefined && takes?.by_default);
  return reasons ? (takes?.forms[0] ?? "adaptive") : undefined;
}

function nearestLevel(word: EffortWord, { efforts = [...levels] }: Takes): EffortWord | undefined {
  return nearestEffort(
    word,
    efforts.filter((each) => levels.includes(each)),
  );
}

/** A level in place of a budget or of another level. A wish for no reasoning becomes the least there is. */
function setLevel(draft: Draft, word: EffortWord, takes: Takes): void {
  const wasBudget = draft.at(budgetPath) !== undefined;
  const level = takes.forms.includes("effort") ? nearestLevel(word, takes) : undefined;
  draft.set(budgetPath, undefined);
  draft.set(levelPath, level?.toUpperCase());
  if (wasBudget) draft.name(budgetPath, word === "none" ? "reasoning.effort" : "reasoning.budget_tokens");
  else draft.name(levelPath, "reasoning.effort");
}

/** The client's own budget, as the model takes it. None turns the reasoning off where that can be. */
function holdBudget(draft: Draft, budget: number, takes: Takes): void {
  if (budget === 0 && !takes.always) return;
  setBudget(draft, budget, takes);
  if (draft.at(budgetPath) !== budget) {
    draft.name(budgetPath, budget === 0 ? "reasoning.effort" : "reasoning.budget_tokens");
  }
}

/** A budget below the answer's maximum. Where the answer is too short for one, the least budget is used. */
function setBudget(draft: Draft, budget: number, { budget_tokens, always }: Takes): void {
  const maximum = draft.at("generationConfig.maxOutputTokens");
  const held = heldBudget(budget, budget_tokens, typeof maximum === "number" ? maximum : undefined);
  draft.set(budgetPath, held ?? (always ? budget_tokens?.min : 0));
  if (held === undefined && !always) draft.name(budgetPath, "reasoning");
}

/** Turns reasoning off for a choice among tools that the model refuses with it. */
export function switchOff(draft: Draft, takes: Traits["reasoning"]): void {
  draft.set(levelPath, undefined);
  draft.set(budgetPath, takes?.forms.includes("budget") ? 0 : undefined);
  draft.name(config, "reasoning");
}
