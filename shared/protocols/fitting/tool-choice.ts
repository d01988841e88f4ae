/** Choices among tools that a model does not take, at all or while it reasons. */
import type { ReasoningForm, ToolChoiceForm, Traits } from "../../catalog/traits.ts";
import type { Draft } from "./draft.ts";

/**
 * Whether a model takes a choice. `way` is how it reasons on this request, if it does. A body without a choice has
 * nothing that could be refused.
 */
export function takesChoice(
  form: ToolChoiceForm | undefined,
  { tool_choice, reasoning }: Traits,
  way: ReasoningForm | undefined,
): boolean {
  if (form === undefined) return true;
  const holds = way && (reasoning?.tool_choice_with?.includes(way) ?? true);
  return [tool_choice, holds ? reasoning?.tool_choice : undefined].every(
    (list) => !list || list.includes(form),
  );
}

/**
 * Whether the model can do without its reasoning, and without it takes a choice that it refuses with it. Then the
 * reasoning gives way: the choice says what the answer is to be, and the reasoning only how it is found.
 */
export function givesWay(form: ToolChoiceForm | undefined, traits: Traits, way: ReasoningForm): boolean {
  if (traits.reasoning?.always) return false;
  return takesChoice(form, traits, undefined) && !takesChoice(form, traits, way);
}

/**
 * Takes out a choice that the model does not take. A forced call becomes the model's own choice, by name. Where no tool
 * may be called the tools go too: without the word for it the model could call one.
 */
export function dropChoice(draft: Draft, path: string, form: ToolChoiceForm | undefined): void {
  draft.drop(path, "tool_choice");
  if (form === "none") draft.drop("tools", "tools");
}
