/** A wish for reasoning as a vendor reads it. The wish itself is made to fit before (`fitting/openai-reasoning.ts`). */
import type { ReasoningSwitch, Traits } from "../../../../books/catalog/traits.ts";
import type { Draft } from "../../fitting/draft.ts";

/** What a body asks for by OpenAI's word and by `thinking`. */
interface Wish {
  effort: unknown;
  /** Whether reasoning is turned on or off; undefined where nothing is said. */
  isOn: boolean | undefined;
  budget: unknown;
}

/** The members that say it, and whether they stand for the word too. */
const spellings: Record<
  ReasoningSwitch,
  (wish: Wish) => { set: Record<string, unknown>; says_effort?: true }
> = {
  enable_thinking: ({ isOn, budget }) => ({ set: { enable_thinking: isOn, thinking_budget: budget } }),
  reasoning_enabled: ({ isOn }) => ({ set: { "reasoning.enabled": isOn } }),
  // One of the three, the most exact first.
  reasoning({ effort, isOn, budget }) {
    if (typeof budget === "number") return { set: { "reasoning.max_tokens": budget }, says_effort: true };
    if (effort !== undefined) return { set: { "reasoning.effort": effort }, says_effort: true };
    return { set: { "reasoning.enabled": isOn } };
  },
};

/** Writes the wish in the vendor's way, if the body does not speak so. A word that nobody takes becomes on or off. */
export function spellAsking(draft: Draft, { asking, reasoning }: Traits): void {
  if (!asking) return;
  const effort = draft.at("reasoning_effort");
  const type = draft.at("thinking.type");
  const isWord = effort !== undefined && type === undefined && !reasoning?.forms.includes("effort");
  const wish: Wish = {
    effort,
    isOn: type !== undefined ? type !== "disabled" : isWord ? effort !== "none" : undefined,
    budget: draft.at("thinking.budget_tokens"),
  };
  const { set, says_effort } = spellings[asking](wish);
  for (const [name, value] of Object.entries(set)) {
    if (value !== undefined && draft.at(name) === undefined) draft.set(name, value);
  }
  if (type !== undefined) take(draft, "thinking");
  if (effort !== undefined && says_effort) take(draft, "reasoning_effort");
  else if (isWord) take(draft, "reasoning_effort", effort === "none" ? undefined : "reasoning.effort");
}

/** Takes out what is said elsewhere now. */
function take(draft: Draft, name: string, lost?: string): void {
  draft.set(name, undefined);
  draft.name(name, lost);
}
