/** Turns in an order that a vendor takes. */

import { type Fields, isObject } from "../../../../base/json/fields.ts";
import type { Traits } from "../../../../books/catalog/traits.ts";
import { asUserText } from "../../../chat/instructions.ts";
import type { Draft } from "../../fitting/draft.ts";

/** The model's turn between a result and the user's next words. It says as little as can be. */
const between = { role: "assistant", content: "OK" };

export function spellTurns(draft: Draft, turns: Traits["turns"]): void {
  const messages = draft.at("messages");
  if (!turns || !Array.isArray(messages) || !messages.every(isObject)) return;
  const alternating = turns.alternate ? merged(messages) : messages;
  const ordered = turns.user_after_tool === false ? separated(alternating) : alternating;
  if (ordered.length !== messages.length || ordered.some((turn, at) => turn !== messages[at])) {
    draft.set("messages", ordered);
  }
}

/** Turns of the user that follow each other as one, with instructions between turns as the user's text. */
function merged(messages: readonly Fields[]): Fields[] {
  const turns: Fields[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    const isLater = message.role === "system" && turns.some(({ role }) => role !== "system");
    const turn = isLater ? asUser(message) : message;
    if (last?.role === "user" && turn.role === "user") turns.splice(-1, 1, joined(last, turn));
    else turns.push(turn);
  }
  return turns;
}

function asUser({ content }: Fields): Fields {
  const texts = partsOf(content).map(({ text }) => ({ type: "text" as const, text: String(text) }));
  return { role: "user", content: asUserText(texts).text };
}

function joined(one: Fields, other: Fields): Fields {
  if (typeof one.content === "string" && typeof other.content === "string") {
    return { ...one, content: `${one.content}\n\n${other.content}` };
  }
  return { ...one, content: [...partsOf(one.content), ...partsOf(other.content)] };
}

function separated(messages: readonly Fields[]): Fields[] {
  return messages.flatMap((message, at) =>
    message.role === "user" && messages[at - 1]?.role === "tool" ? [between, message] : [message],
  );
}

function partsOf(content: unknown): Fields[] {
  if (Array.isArray(content)) return content.filter(isObject);
  return [{ type: "text", text: content }];
}
