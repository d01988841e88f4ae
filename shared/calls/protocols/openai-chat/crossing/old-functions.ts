/** Functions as OpenAI chat had them before tools. A call has no id there, and an answer has one call at most. */

import { type Fields, invalidField, isAbsent, isObject } from "../../../../base/json/fields.ts";
import type { ToolCallPart } from "../../../chat/request.ts";
import { signedMembers } from "../../openai-tools.ts";
import { fields } from "../fields.ts";

/** Whether a client asks for calls in the old form. */
export function asksForOldCalls({ functions }: Fields): boolean {
  return !isAbsent(functions);
}

/** The request with tools in place of functions. Throws `invalid_request` for a mixture, or a call without result. */
export function withTools(body: Fields): Fields {
  const { messages, functions, function_call: choice, ...rest } = body;
  const turns = Array.isArray(messages) ? withCalls(messages) : messages;
  if (isAbsent(functions)) {
    if (!isAbsent(choice)) throw invalidField("function_call", "left out, where there are no `functions`");
    return turns === messages ? body : { ...rest, messages: turns };
  }
  for (const name of ["tools", "tool_choice"]) {
    if (!isAbsent(body[name])) throw invalidField(name, "left out, where there are `functions`");
  }
  return {
    // The old form has place for one call.
    parallel_tool_calls: false,
    ...rest,
    messages: turns,
    tools: (fields.read(body, "functions") ?? []).map(toolOf),
    ...(isAbsent(choice) ? {} : { tool_choice: choiceOf(choice) }),
  };
}

function toolOf(given: unknown, index: number): Fields {
  const path = `functions[${index}]`;
  if (!isObject(given)) throw invalidField(path, "an object");
  const { name, parameters } = given;
  if (typeof name !== "string" || name === "") throw invalidField(`${path}.name`, "a non-empty string");
  if (!isAbsent(parameters) && !isObject(parameters)) throw invalidField(`${path}.parameters`, "an object");
  return { type: "function", function: given };
}

function choiceOf(choice: unknown): unknown {
  if (choice === "auto" || choice === "none") return choice;
  if (isObject(choice) && typeof choice.name === "string") return { type: "function", function: choice };
  throw invalidField("function_call", "auto, none or an object with the `name` of a function");
}

/** The conversation with calls that have ids. An id comes from the place of its call, so it is the same on every turn. */
function withCalls(messages: unknown[]): unknown[] {
  let isChanged = false;
  const turns = messages.map((message: unknown, index) => {
    if (!isObject(message)) return message;
    if (message.role === "function") {
      isChanged = true;
      const before = messages[index - 1];
      const call = isObject(before) && before.role === "assistant" ? before.function_call : undefined;
      if (!isObject(call) || call.name !== message.name) {
        throw invalidField(`messages[${index}].name`, "the function that the message before has called");
      }
      const { name: _, ...result } = message;
      return { ...result, role: "tool", tool_call_id: idOf(index - 1) };
    }
    if (message.role !== "assistant" || isAbsent(message.function_call)) return message;
    isChanged = true;
    return withCall(message, index, messages[index + 1]);
  });
  return isChanged ? turns : messages;
}

function withCall(message: Fields, index: number, next: unknown): Fields {
  const { function_call: call, ...rest } = message;
  const path = `messages[${index}]`;
  if (!isObject(call)) throw invalidField(`${path}.function_call`, "an object");
  if (!isAbsent(message.tool_calls)) {
    throw invalidField(`${path}.tool_calls`, "left out, where there is a `function_call`");
  }
  if (!isObject(next) || next.role !== "function") {
    throw invalidField(`${path}.function_call`, "followed by the message of that function");
  }
  const { extra_content, ...named } = call;
  const tool = { id: idOf(index), type: "function", function: named, extra_content };
  return { ...rest, tool_calls: [tool] };
}

const idOf = (index: number): string => `function_call_${index}`;

/** A call in the old form. Its signature stands in it as in a call of today. */
export function oldCall({ name, arguments: text, signature }: Omit<ToolCallPart, "type" | "id">): Fields {
  return { function_call: { name, arguments: text, ...signedMembers(signature) } };
}
