/** Choices among tools that a model does not take, at all or while it reasons. */
import type { ReasoningForm, ToolChoiceForm, Traits } from "../../../books/catalog/traits.ts";
import type { Draft } from "./draft.ts";

/** Whether a model takes a choice, or there is none. `way` is how it reasons on this request, if it does. */
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

/** Whether reasoning gives way to a choice that it alone rules out: the choice says what the answer must be. */
export function givesWay(form: ToolChoiceForm | undefined, traits: Traits, way: ReasoningForm): boolean {
  if (traits.reasoning?.always) return false;
  return takesChoice(form, traits, undefined) && !takesChoice(form, traits, way);
}

/** Drops a choice by name, so that the model chooses. With `none` the tools go too, because it could call one. */
export function dropChoice(draft: Draft, path: string, form: ToolChoiceForm | undefined): void {
  draft.drop(path, "tool_choice");
  if (form === "none") draft.drop("tools", "tools");
}
