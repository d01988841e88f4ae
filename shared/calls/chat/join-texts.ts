import type { AssistantPart } from "./request.ts";

/** Joins neighbouring texts, as the fold of a stream does. */
export function joinTexts(parts: AssistantPart[]): AssistantPart[] {
  const joined: AssistantPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.type === "text" && last?.type === "text") last.text += part.text;
    else joined.push(part);
  }
  return joined;
}
