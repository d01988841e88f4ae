/** Earlier reasoning where a vendor reads it in the turns of its model. */

import { asText, type Fields, isObject, objectsOf } from "../../../../base/json/fields.ts";
import type { ReplayPlace, Traits } from "../../../../books/catalog/traits.ts";
import type { Draft } from "../../fitting/draft.ts";

/** What a turn is given where it must have reasoning and has none. A vendor wants it not to be empty. */
const none = " ";

const writers: Record<ReplayPlace, (turn: Fields, text: string) => Fields> = {
  reasoning_content: (turn, text) => ({ ...turn, reasoning_content: text }),
  reasoning: (turn, text) => ({ ...turn, reasoning: text }),
  thinking_parts: ({ content, ...turn }, text) => ({
    ...turn,
    content: [{ type: "thinking", thinking: [{ type: "text", text }] }, ...partsOf(content)],
  }),
};

/** The messages with the reasoning of the model's turns in its place. Names what a model that does not reason loses. */
export function spellReplay(draft: Draft, { replay, reasoning }: Traits): void {
  const messages = draft.at("messages");
  if (!replay || !Array.isArray(messages)) return;
  const reasons = reasoning ? reasoning.forms.length > 0 || reasoning.always === true : undefined;
  const isOff = draft.at("thinking.type") === "disabled" || draft.at("reasoning_effort") === "none";
  // Parts of this kind are refused by models that do not reason, so they go to those alone that are said to.
  const isTaken = replay.as === "thinking_parts" ? reasons === true : reasons !== false;
  const wanted = isOff || !isTaken ? undefined : replay.wanted;
  const spelled = messages.map((turn: unknown) => {
    if (!isObject(turn) || turn.role !== "assistant") return turn;
    const isDue = wanted === "turns" || (wanted === "calls" && objectsOf(turn.tool_calls).length > 0);
    const text = (isTaken ? textOf(turn) : "") || (isDue ? none : "");
    if (text !== "") return text === turn[replay.as] ? turn : writers[replay.as](bare(turn), text);
    return textOf(turn) === "" ? turn : bare(turn);
  });
  if (spelled.every((turn, at) => turn === messages[at])) return;
  draft.set("messages", spelled);
  if (!isTaken) draft.name("messages.reasoning_content", "messages.parts.reasoning");
}

function textOf({ reasoning_content, reasoning }: Fields): string {
  return asText(reasoning_content) || asText(reasoning);
}

function bare(turn: Fields): Fields {
  const { reasoning_content: _, reasoning: __, ...rest } = turn;
  return rest;
}

function partsOf(content: unknown): unknown[] {
  if (Array.isArray(content)) return content;
  return typeof content === "string" && content !== "" ? [{ type: "text", text: content }] : [];
}
