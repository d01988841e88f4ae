/** Calls of tools in a conversation, as vendors want them that look at the whole of it. */
import type { AssistantPart, ChatRequest, Message, Tool, UserPart } from "../../chat/request.ts";

/**
 * The messages with an id of its own for each call. Vendors that number the calls of an answer begin again in the next
 * answer. A result belongs to the oldest call of its id that waits for one. The same conversation gives the same ids, so
 * the beginning of it stays as it was.
 */
export function withOwnIds(messages: Message[]): Message[] {
  const given = new Set<string>();
  const waiting = new Map<string, string[]>();
  const ownId = (id: string) => {
    let own = id;
    for (let count = 2; given.has(own); count++) own = `${id}_${count}`;
    given.add(own);
    waiting.set(id, [...(waiting.get(id) ?? []), own]);
    return own;
  };
  const last = new Map<string, string>();
  const answered = (id: string) => {
    // A second result of one call names it too.
    const [own = last.get(id) ?? id, ...others] = waiting.get(id) ?? [];
    waiting.set(id, others);
    last.set(id, own);
    return own;
  };
  return messages.map((message): Message => {
    if (message.role === "system") return message;
    const parts = (message.parts as (UserPart | AssistantPart)[]).map((part) => {
      if (part.type === "tool_call") return { ...part, id: ownId(part.id) };
      return part.type === "tool_result" ? { ...part, call_id: answered(part.call_id) } : part;
    });
    return { ...message, parts } as Message;
  });
}

/**
 * The request with the tools that its conversation has called, where it gives none. None of them may be called again.
 * Agents ask so for a summary of a conversation.
 */
export function withCalledTools(request: ChatRequest): ChatRequest {
  if (request.tools.length > 0) return request;
  const called = request.messages.flatMap(({ parts }) =>
    (parts as (UserPart | AssistantPart)[]).flatMap((part) => (part.type === "tool_call" ? [part.name] : [])),
  );
  if (called.length === 0) return request;
  const tools = [...new Set(called)].map(
    (name): Tool => ({ name, parameters: { type: "object", properties: {} } }),
  );
  return { ...request, tools, tool_choice: { type: "none" } };
}
