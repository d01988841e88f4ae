/** Turns in an order that a vendor takes. */

import { type Fields, isObject } from "../../../../base/json/fields.ts";
import type { Traits } from "../../../../books/catalog/traits.ts";
import type { Draft } from "../../fitting/draft.ts";

/** The model's turn between a result and the user's next words. It says as little as can be. */
const between = { role: "assistant", content: "OK" };

export function spellTurns(draft: Draft, turns: Traits["turns"]): void {
  const messages = draft.at("messages");
  if (turns?.user_after_tool !== false || !Array.isArray(messages) || !messages.every(isObject)) return;
  const ordered = separated(messages);
  if (ordered.length !== messages.length) draft.set("messages", ordered);
}

function separated(messages: readonly Fields[]): Fields[] {
  return messages.flatMap((message, at) =>
    message.role === "user" && messages[at - 1]?.role === "tool" ? [between, message] : [message],
  );
}
