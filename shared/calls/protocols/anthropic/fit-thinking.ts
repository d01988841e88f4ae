/** How much to reason, as one model takes it: `thinking` and `output_config.effort` of an Anthropic body. */

import type { Fields } from "../../../base/json/fields.ts";
import {
  budgetOfEffort,
  effortOfBudget,
  heldBudget,
  isEffort,
  nearestEffort,
  usualEffort,
} from "../../../books/catalog/effort.ts";
import type { ReasoningForm, ToolChoiceForm, Traits } from "../../../books/catalog/traits.ts";
import type { Draft } from "../fitting/draft.ts";
import { givesWay } from "../fitting/tool-choice.ts";
import { isUnthoughtLoop } from "./pass-through/untag.ts";

type Takes = NonNullable<Traits["reasoning"]>;

const effortPath = "output_config.effort";

/** Makes what a body says of reasoning fit. Gives how the model then reasons; undefined where it does not. */
export function fitThinking(
  draft: Draft,
  traits: Traits,
  choice: ToolChoiceForm | undefined,
): ReasoningForm | undefined {
  const takes = traits.reasoning;
  if (!takes) return wayOf(draft, takes);
  if (takes.forms.length === 0) {
    draft.drop("thinking", "reasoning");
    draft.drop(effortPath, "reasoning.effort");
    return wayOf(draft, takes);
  }
  const type = draft.at("thinking.type");
  if (type === "disabled" && takes.always) draft.drop("thinking", "reasoning");
  if (type === "enabled" || type === "adaptive") fitWish(draft, takes);
  fitEffort(draft, takes);
  const way = wayOf(draft, takes);
  if (!way || takes.always) return way;
  // With a budget, a turn that called tools must come back with the reasoning before it, signed (pitfall 17).
  const isLost = way === "budget" && isUnthoughtLoop(draft.at("messages"));
  if (!isLost && !givesWay(choice, traits, way)) return way;
  draft.set("thinking", takes.by_default ? { type: "disabled" } : undefined);
  draft.name("thinking", "reasoning");
  return undefined;
}

/** The way in which a model reasons on a body; undefined where it does not. */
function wayOf(draft: Draft, takes: Takes | undefined): ReasoningForm | undefined {
  const type = draft.at("thinking.type");
  if (type === "enabled") return "budget";
  if (type === "adaptive") return "adaptive";
  const reasons = takes?.always || (type === undefined && takes?.by_default);
  return reasons ? (takes?.forms[0] ?? "adaptive") : undefined;
}

/** Writes a wish to reason in the model's first form for it. What is shown of the reasoning stays as asked. */
function fitWish(draft: Draft, takes: Takes): void {
  const thinking = draft.at("thinking") as Fields;
  const { type, budget_tokens: budget, ...rest } = thinking;
  const has = (form: ReasoningForm): boolean => takes.forms.includes(form);
  if (type === "enabled" ? has("budget") : has("adaptive")) {
    if (type === "enabled" && typeof budget === "number") setBudget(draft, budget, takes, rest);
    return;
  }
  if (type === "enabled" && budget === undefined && has("switch")) return;
  if (has("adaptive") || !has("budget")) {
    if (has("adaptive")) draft.set("thinking", { type: "adaptive", ...rest });
    else if (has("switch")) draft.set("thinking", { type: "enabled", ...rest });
    else draft.set("thinking", undefined);
    if (typeof budget !== "number") draft.name("thinking", has("switch") ? undefined : "reasoning");
    else draft.name("thinking.budget_tokens", "reasoning.budget_tokens");
    if (typeof budget === "number" && has("effort") && draft.at(effortPath) === undefined) {
      draft.set(effortPath, effortOfBudget(budget));
    }
    return;
  }
  const word = draft.at(effortPath);
  draft.name("thinking.type");
  setBudget(draft, budgetOfEffort(isEffort(word) ? word : usualEffort), takes, rest);
  // The budget says what the word said.
  if (has("effort") || word === undefined) return;
  draft.set(effortPath, undefined);
  draft.name(effortPath);
}

/** A budget that the model and the answer's maximum allow. Undefined where the answer is too short to reason. */
function setBudget(draft: Draft, asked: number, takes: Takes, rest: Fields): void {
  const maximum = draft.at("max_tokens");
  const held = heldBudget(asked, takes.budget_tokens, typeof maximum === "number" ? maximum : undefined);
  if (held === undefined) draft.drop("thinking", "reasoning");
  else if (draft.at("thinking.budget_tokens") !== held) {
    if (draft.at("thinking.budget_tokens") !== undefined) {
      draft.name("thinking.budget_tokens", "reasoning.budget_tokens");
    }
    draft.set("thinking", { type: "enabled", budget_tokens: held, ...rest });
  }
}

/** The nearest word that the model takes. A word alone does not make a model reason, so it never becomes a budget. */
function fitEffort(draft: Draft, takes: Takes): void {
  const word = draft.at(effortPath);
  if (!isEffort(word)) return;
  const taken = takes.forms.includes("effort") ? nearestEffort(word, takes.efforts) : undefined;
  if (taken === word) return;
  draft.set(effortPath, taken);
  draft.name(effortPath, "reasoning.effort");
}
