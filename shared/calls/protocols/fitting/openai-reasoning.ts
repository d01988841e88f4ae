/** Reasoning as OpenAI's two protocols ask for it: by a word and, at vendors such as Ark and Zhipu, by `thinking`. */

import { type Fields, isObject } from "../../../base/json/fields.ts";
import {
  budgetOfEffort,
  type EffortWord,
  effortOfBudget,
  heldBudget,
  isEffort,
  nearestEffort,
  usualEffort,
} from "../../../books/catalog/effort.ts";
import type { ReasoningForm, ToolChoiceForm, ToolProtocol, Traits } from "../../../books/catalog/traits.ts";
import type { Draft } from "./draft.ts";
import { givesWay } from "./tool-choice.ts";

type Takes = NonNullable<Traits["reasoning"]>;

/** Where a body says how much to reason, and what goes with it. */
interface ReasoningPlace {
  protocol: ToolProtocol;
  /** The path of the word. */
  effort: string;
  /** The most tokens of the whole answer, where the body says so. */
  maximum: number | undefined;
  /** The choice among the body's tools. */
  choice: ToolChoiceForm | undefined;
}

const neutral = "reasoning.effort";

/** Fits what a body says of reasoning. Gives how the model then reasons; undefined where it does not. */
export function fitOpenaiReasoning(
  draft: Draft,
  traits: Traits,
  place: ReasoningPlace,
): ReasoningForm | undefined {
  const takes = traits.reasoning;
  if (!takes) return askedWay(draft, place.effort);
  if (takes.forms.length === 0) {
    draft.drop(place.effort, neutral);
    draft.drop("thinking", neutral);
    return takes.always ? "adaptive" : undefined;
  }
  const word = fitThinking(draft, takes, place);
  if (word) draft.set(place.effort, word);
  fitEffort(draft, takes, place);
  const way = wayOf(draft, takes, place.effort);
  if (!way || takes.always) return way;
  const refusesTools = takes.tools_refused_in?.includes(place.protocol) && hasFunctions(draft);
  if (!refusesTools && !givesWay(place.choice, traits, way)) return way;
  switchOff(draft, takes, place.effort);
  draft.name(place.effort, "reasoning");
  return undefined;
}

function hasFunctions(draft: Draft): boolean {
  const tools = draft.at("tools");
  return Array.isArray(tools) && tools.some((tool) => isObject(tool) && tool.type === "function");
}

/** The way of reasoning that a body asks for; undefined where it asks for none, and null where it says nothing. */
function askedWay(draft: Draft, path: string): ReasoningForm | undefined {
  return spoken(draft, path) || undefined;
}

/** The way a body names, `false` where it wants no reasoning, undefined where it says nothing. */
function spoken(draft: Draft, path: string): ReasoningForm | false | undefined {
  const word = draft.at(path);
  const type = draft.at("thinking.type");
  if (type === "disabled" || word === "none") return false;
  if (draft.at("thinking.budget_tokens") !== undefined) return "budget";
  if (type === "auto" || type === "adaptive") return "adaptive";
  if (type === "enabled") return "switch";
  return isEffort(word) ? "effort" : undefined;
}

function wayOf(draft: Draft, { forms, always, by_default }: Takes, path: string): ReasoningForm | undefined {
  const said = spoken(draft, path);
  if (said) return said;
  return always || (said === undefined && by_default) ? forms[0] : undefined;
}

const hasSwitch = ({ forms }: Takes): boolean => forms.some((form) => form !== "effort");

/** Turns reasoning off in the model's own way. Where it has none, nothing is asked of it. */
function switchOff(draft: Draft, takes: Takes, path: string): void {
  const byWord = takes.forms.includes("effort") && takes.efforts?.includes("none");
  draft.set(path, byWord ? "none" : undefined);
  draft.set("thinking", !byWord && hasSwitch(takes) ? { type: "disabled" } : undefined);
}

/** Fits `thinking`. Returns the word for what is lost of it, where the body has no word of its own. */
function fitThinking(draft: Draft, takes: Takes, place: ReasoningPlace): EffortWord | undefined {
  const thinking = draft.at("thinking");
  if (!isObject(thinking)) return undefined;
  const { type, budget_tokens: budget } = thinking;
  const spare = draft.at(place.effort) === undefined && takes.forms.includes("effort");
  if (!hasSwitch(takes)) {
    draft.drop("thinking", neutral);
    return spare ? wordOf(thinking) : undefined;
  }
  if (type === "disabled") {
    if (takes.always) draft.drop("thinking", neutral);
    return undefined;
  }
  if (takes.forms.includes("budget") && typeof budget === "number") {
    setBudget(draft, budget, takes, place);
    return undefined;
  }
  const wanted = typeOf(type, takes);
  if (wanted !== type) {
    draft.set("thinking.type", wanted);
    draft.name("thinking.type", neutral);
  }
  draft.drop("thinking.budget_tokens", neutral);
  return spare && typeof budget === "number" ? effortOfBudget(budget) : undefined;
}

function setBudget(draft: Draft, asked: number, takes: Takes, { maximum }: ReasoningPlace): void {
  const held = heldBudget(asked, takes.budget_tokens, maximum);
  if (held === undefined) draft.drop("thinking", neutral);
  else if (draft.at("thinking.budget_tokens") !== held) {
    draft.set("thinking.budget_tokens", held);
    draft.name("thinking.budget_tokens", "reasoning.budget_tokens");
  }
}

/** The word for what `thinking` says; undefined where it leaves all to the model. */
function wordOf({ type, budget_tokens: budget }: Fields): EffortWord | undefined {
  if (type === "disabled") return "none";
  if (typeof budget === "number") return effortOfBudget(budget);
  return type === "enabled" ? usualEffort : undefined;
}

/** The type of `thinking` that replaces one the model does not take. A model that decides itself has only one. */
function typeOf(type: unknown, { forms }: Takes): unknown {
  const isOn = type === "enabled" || type === "auto" || type === "adaptive";
  if (isOn && forms.includes("adaptive")) return "adaptive";
  return type === "adaptive" ? "enabled" : type;
}

/** Fits the word: the nearest that is taken, or what stands for it. */
function fitEffort(draft: Draft, takes: Takes, place: ReasoningPlace): void {
  const word = draft.at(place.effort);
  if (!isEffort(word)) return;
  const { forms, always } = takes;
  const taken = forms.includes("effort") ? nearestEffort(word, takes.efforts) : undefined;
  if (taken === word) return;
  const said = draft.at("thinking") !== undefined;
  if (word === "none" && hasSwitch(takes) && !always) {
    // Nothing is lost: the model is told in the way it knows.
    switchOff(draft, takes, place.effort);
    draft.name(place.effort);
    return;
  }
  draft.set(place.effort, taken);
  if (taken !== undefined || said || word === "none") draft.name(place.effort, neutral);
  else expressEffort(draft, word, takes, place);
}

/** A word for a model that takes none: its budget, or only that the model is to reason. */
function expressEffort(draft: Draft, word: EffortWord, takes: Takes, place: ReasoningPlace): void {
  const { forms, budget_tokens } = takes;
  const held = forms.includes("budget")
    ? heldBudget(budgetOfEffort(word), budget_tokens, place.maximum)
    : undefined;
  // A budget says what the word said. A switch does not say how much.
  draft.name(place.effort, held === undefined ? neutral : undefined);
  if (held !== undefined) draft.set("thinking", { type: "enabled", budget_tokens: held });
  else if (forms.includes("switch") || forms.includes("adaptive")) {
    draft.set("thinking", { type: typeOf("enabled", takes) });
  }
}
