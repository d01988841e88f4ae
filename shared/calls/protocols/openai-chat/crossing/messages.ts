/** OpenAI chat messages to neutral turns and back (protocols.md §6.1). */

import { type Fields, invalidField, isAbsent } from "../../../../base/json/fields.ts";
import { instruct, resultsBeforeInstructions } from "../../../chat/instructions.ts";
import { omitUndefined } from "../../../chat/omit-undefined.ts";
import type {
  AssistantPart,
  ChatMessage,
  ChatRequest,
  TextPart,
  ToolResultPart,
  UserPart,
} from "../../../chat/request.ts";
import type { OwnTools } from "../../own-tools.ts";
import { decodeContent, decodeTexts, encodeContent, textParts, withMark } from "./content.ts";
import { decodeReasoning, encodeReasoning } from "./reasoning.ts";
import { decodeToolCalls, encodeToolCall } from "./tools.ts";

/** The neutral messages. Those of the system before the first turn become `system`. Throws `invalid_request`. */
export function decodeMessages(
  messages: readonly Fields[],
  own: OwnTools,
): Pick<ChatRequest, "system" | "messages"> {
  const system: TextPart[] = [];
  const turns: ChatMessage[] = [];
  const names = new Map<string, string>();
  for (const [index, message] of messages.entries()) {
    const path = `messages[${index}]`;
    const content = message.content;
    switch (message.role) {
      case "system":
      case "developer":
        instruct({ system, messages: turns }, withMark(message, decodeTexts(content, `${path}.content`)));
        break;
      case "user":
        turns.push({ role: "user", parts: withMark(message, decodeContent(content, `${path}.content`)) });
        break;
      case "assistant": {
        const parts = decodeAssistant(message, path, own);
        for (const part of parts) if (part.type === "tool_call") names.set(part.id, part.name);
        turns.push({ role: "assistant", parts });
        break;
      }
      case "tool":
        turns.push({ role: "user", parts: withMark(message, [decodeResult(message, path, names)]) });
        break;
      default:
        throw invalidField(`${path}.role`, "one of system, developer, user, assistant, tool and function");
    }
  }
  return { system, messages: turns.filter(({ parts }) => parts.length > 0) };
}

function decodeAssistant(message: Fields, path: string, own: OwnTools): AssistantPart[] {
  if (!isAbsent(message.audio)) throw invalidField(`${path}.audio`, "absent with this model");
  const refusal = message.refusal;
  return [
    ...decodeReasoning(message),
    ...decodeTexts(message.content, `${path}.content`),
    ...(typeof refusal === "string" ? textParts(refusal) : []),
    ...decodeToolCalls(message, path, own),
  ];
}

function decodeResult(message: Fields, path: string, names: Map<string, string>): ToolResultPart {
  const id = message.tool_call_id;
  if (typeof id !== "string" || id === "") throw invalidField(`${path}.tool_call_id`, "a non-empty string");
  const content = decodeContent(message.content, `${path}.content`);
  return omitUndefined({ type: "tool_result" as const, call_id: id, name: names.get(id), content });
}

/**
 * One system message first, then every turn. Later instructions stay in place, but never between calls and their
 * results. Throws `invalid_request` on media OpenAI chat has no form for.
 */
export function encodeMessages({ system, messages }: ChatRequest): Fields[] {
  return [...encodeSystem(system), ...resultsBeforeInstructions(messages).flatMap(encodeMessage)];
}

function encodeMessage(message: ChatMessage): Fields[] {
  switch (message.role) {
    case "user":
      return encodeUser(message.parts);
    case "assistant":
      return encodeAssistant(message.parts);
    case "system":
      return encodeSystem(message.parts);
    default:
      return message satisfies never;
  }
}

function encodeSystem(parts: readonly TextPart[]): Fields[] {
  const content = encodeContent(parts);
  return content === "" ? [] : [{ role: "system", content }];
}

/** Results first: they must follow their calls (protocols.md pitfall 15). Their media go into the user message. */
function encodeUser(parts: readonly UserPart[]): Fields[] {
  const results = parts.filter((part) => part.type === "tool_result");
  const said = [
    ...results.flatMap(({ content }) => content.filter((part) => part.type !== "text")),
    ...parts.filter((part) => part.type !== "tool_result"),
  ];
  const content = encodeContent(said);
  return [
    ...results.map((result) => ({
      role: "tool",
      tool_call_id: result.call_id,
      content: encodeContent(result.content.filter((part) => part.type === "text")),
    })),
    ...(content === "" ? [] : [{ role: "user", content }]),
  ];
}

/** Signatures are written as the provider gave them. A crossing has taken out those of other models (pitfall 10). */
function encodeAssistant(parts: readonly AssistantPart[]): Fields[] {
  const content = encodeContent(parts.filter((part) => part.type === "text"));
  const calls = parts.filter((part) => part.type === "tool_call").map((call) => encodeToolCall(call));
  const reasoning = encodeReasoning(parts);
  if (content === "" && calls.length === 0 && Object.keys(reasoning).length === 0) return [];
  return [
    omitUndefined({
      role: "assistant",
      content: content === "" && calls.length > 0 ? null : content,
      ...reasoning,
      tool_calls: calls.length > 0 ? calls : undefined,
    }),
  ];
}
