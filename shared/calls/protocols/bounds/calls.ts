/** Calls of tools in a conversation, as vendors want them that look at the whole of it. */
import type { Traits } from "../../../books/catalog/traits.ts";
import type { AssistantPart, ChatRequest, Tool, UserPart } from "../../chat/request.ts";
import { nameIn } from "./names.ts";
import { callIds, type ProtocolBounds } from "./table.ts";

/** The ids of a conversation's calls and results, asked for in their order. */
export interface CallIds {
  /** The id of a call. */
  called(id: string): string;
  /** The id that a result names. */
  answered(id: string): string;
}

/** Ids as the vendor takes them: in its own form, or else the protocol's, and each for one call where it wants that. */
export function callIdsOf({ unique_calls, call_id }: ProtocolBounds, { call_ids }: Traits): CallIds {
  const form = call_ids ? callIds[call_ids] : call_id;
  const formed = (id: string) => (form ? nameIn(form, id) : id);
  if (!unique_calls) return { called: formed, answered: formed };
  const { called, answered } = ownIds();
  return { called: (id) => formed(called(id)), answered: (id) => formed(answered(id)) };
}

/** An id of its own for each call, the same on every turn. A result belongs to the oldest call of its id that waits. */
function ownIds(): CallIds {
  const given = new Set<string>();
  const waiting = new Map<string, string[]>();
  const last = new Map<string, string>();
  return {
    called(id) {
      let own = id;
      for (let count = 2; given.has(own); count++) own = `${id}_${count}`;
      given.add(own);
      waiting.set(id, [...(waiting.get(id) ?? []), own]);
      return own;
    },
    answered(id) {
      // A second result of one call names it too.
      const [own = last.get(id) ?? id, ...others] = waiting.get(id) ?? [];
      waiting.set(id, others);
      last.set(id, own);
      return own;
    },
  };
}

/** Adds the called tools where a request has none, and forbids calls. Agents ask so for a summary of a conversation. */
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
