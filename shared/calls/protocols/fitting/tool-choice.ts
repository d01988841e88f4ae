/** Choices among tools that a model does not take, at all or while it reasons. */
import type { ReasoningForm, ToolChoiceForm, Traits } from "../../../books/catalog/traits.ts";
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
 * Whether the model refuses a choice while it reasons, takes it otherwise, and can do without reasoning. Then the
 * reasoning is dropped: the choice matters more, because it says what the answer must be.
 */
export function givesWay(form: ToolChoiceForm | undefined, traits: Traits, way: ReasoningForm): boolean {
  if (traits.reasoning?.always) return false;
  return takesChoice(form, traits, undefined) && !takesChoice(form, traits, way);
}

/**
 * Takes out a choice that the model does not take, and names it. A forced call becomes the model's own choice. If the
 * choice was `none`, the tools go too, because the model could call one.
 */
export function dropChoice(draft: Draft, path: string, form: ToolChoiceForm | undefined): void {
  draft.drop(path, "tool_choice");
  if (form === "none") draft.drop("tools", "tools");
}
