/** Tools of Converse, and the choice among them (protocols.md §8.1). */
import type { Fields } from "../../../../base/json/fields.ts";
import { omitUndefined } from "../../../chat/omit-undefined.ts";
import type { AssistantPart, ChatRequest, Tool, UserPart } from "../../../chat/request.ts";
import type { ConverseBody } from "./body.ts";
import { marked } from "./cache-points.ts";

/** `toolConfig`; undefined where the model shall have no tools. */
export function encodeTools(request: ChatRequest, dropped: Set<string>): ConverseBody["toolConfig"] {
  const { tools, tool_choice: choice, parallel_tool_calls: parallel } = request;
  if (parallel === false) dropped.add("parallel_tool_calls");
  if (tools.length === 0) {
    if (choice) dropped.add("tool_choice");
    return undefined;
  }
  if (choice?.type === "none") {
    // Converse has no such choice. A conversation with calls must give tools, so there the model may call one again.
    const isCalled = hasCalls(request);
    dropped.add(isCalled ? "tool_choice" : "tools");
    return isCalled ? { tools: tools.flatMap(encodeTool) } : undefined;
  }
  return omitUndefined({ tools: tools.flatMap(encodeTool), toolChoice: choiceOf(choice) });
}

function hasCalls({ messages }: ChatRequest): boolean {
  const isCall = ({ type }: AssistantPart | UserPart) => type === "tool_call" || type === "tool_result";
  return messages.some(({ parts }) => (parts as (AssistantPart | UserPart)[]).some(isCall));
}

/** An empty description is refused, and a schema is an object's. */
function encodeTool({ name, description, parameters, strict, cache }: Tool): Fields[] {
  const json = { type: "object", ...(parameters ?? { properties: {} }) };
  const spec = omitUndefined({ name, description: description || undefined, strict });
  return marked({ toolSpec: { ...spec, inputSchema: { json } } }, cache);
}

function choiceOf(choice: ChatRequest["tool_choice"]): Fields | undefined {
  if (choice?.type === "tool") return { tool: { name: choice.name } };
  if (choice === undefined) return undefined;
  return choice.type === "required" ? { any: {} } : { auto: {} };
}
