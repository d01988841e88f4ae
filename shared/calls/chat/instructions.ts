/** Instructions of a conversation: those before its first turn, and those between turns. */
import type { ChatMessage, ChatRequest, TextPart } from "./request.ts";

type Conversation = Pick<ChatRequest, "system" | "messages">;

/** Adds instructions where a conversation stands. Before the first turn they are the request's own. */
export function instruct({ system, messages }: Conversation, parts: TextPart[]): void {
  const last = messages.at(-1);
  if (!last) system.push(...parts);
  else if (last.role === "system") last.parts.push(...parts);
  else if (parts.length > 0) messages.push({ role: "system", parts });
}

/** The turns, with instructions behind results that answer the turn before them. Some vendors want results at once. */
export function resultsBeforeInstructions(messages: readonly ChatMessage[]): ChatMessage[] {
  const ordered = [...messages];
  for (const [at, message] of messages.entries()) {
    const next = messages[at + 1];
    const brings = next?.role === "user" && next.parts.some(({ type }) => type === "tool_result");
    if (message.role === "system" && brings) ordered.splice(at, 2, next, message);
  }
  return ordered;
}

/**
 * Instructions as text of the user's turn, for vendors that take none between turns. The marks tell the model whose words
 * they are.
 */
export function asUserText(parts: readonly TextPart[]): TextPart {
  return { type: "text", text: `<system>\n${parts.map(({ text }) => text).join("\n\n")}\n</system>` };
}
