/** Input items and neutral turns, both ways (protocols.md §6.1). */

import { GatewayError } from "../../../../base/errors.ts";
import { asText, entryOf, type Fields, invalidField, objectsOf } from "../../../../base/json/fields.ts";
import { instruct } from "../../../chat/instructions.ts";
import { omitUndefined } from "../../../chat/omit-undefined.ts";
import type {
  AssistantPart,
  ChatMessage,
  ContentPart,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  UserPart,
} from "../../../chat/request.ts";
import { googleSignature } from "../../openai-tools.ts";
import { argumentsOfText, calledName, type OwnTools } from "../../own-tools.ts";
import { decodeContent, encodePart } from "./content.ts";
import { namedTool } from "./own-tools.ts";

/** The conversation, as far as its items have been read. */
interface Conversation {
  system: TextPart[];
  messages: ChatMessage[];
  /** Names of the tools called, by call id: outputs do not repeat them. */
  tools: Map<string, string>;
  own: OwnTools;
}

type ItemReader = (item: Fields, name: string, conversation: Conversation) => void;

/** Items by type. Those of tools that only this protocol has are taken out before (native.ts). */
const readers: Record<string, ItemReader> = {
  message: readMessage,
  function_call: (item, name, conversation) => readCall(item, name, conversation),
  custom_tool_call: (item, name, conversation) =>
    readCall({ ...item, arguments: argumentsOfText(item.input) }, name, conversation),
  custom_tool_call_output: (item, name, conversation) =>
    say(conversation, [decodeOutput(item, name, conversation)]),
  function_call_output: (item, name, conversation) =>
    say(conversation, [decodeOutput(item, name, conversation)]),
  reasoning: (item, _, conversation) => answer(conversation, decodeReasoning(item)),
  item_reference: (_, name) => {
    const message =
      `\`${name}\` refers to an item of an earlier answer, and this model's answers are not stored: ` +
      "send the item itself. SDKs do so with `store: false`.";
    throw new GatewayError("invalid_request", { message, param: `${name}.type` });
  },
};

/** The request's `input` as instructions and turns, in which items of one role join. Throws `invalid_request`. */
export function decodeInput(input: unknown, own: OwnTools): Pick<Conversation, "system" | "messages"> {
  const conversation: Conversation = { system: [], messages: [], tools: new Map(), own };
  if (typeof input === "string") say(conversation, decodeContent(input, "input"));
  else {
    for (const [index, item] of objectsOf(input).entries()) {
      const type = item.type ?? (item.role === undefined ? undefined : "message");
      const read = entryOf(readers, type);
      if (!read) throw invalidField(`input[${index}].type`, "a type of item this model takes");
      read(item, `input[${index}]`, conversation);
    }
  }
  return conversation;
}

function readCall(item: Fields, name: string, conversation: Conversation): void {
  const call = { ...decodeCall(item, name), name: calledName(namedTool(item), conversation.own) };
  conversation.tools.set(call.id, call.name);
  answer(conversation, [call]);
}

function readMessage(item: Fields, name: string, conversation: Conversation): void {
  const content = decodeContent(item.content, `${name}.content`);
  switch (item.role) {
    case "user":
      say(conversation, content);
      break;
    case "assistant":
      answer(conversation, textOnly(content, name));
      break;
    case "system":
    case "developer":
      instruct(conversation, textOnly(content, name));
      break;
    default:
      throw invalidField(`${name}.role`, "one of user, assistant, system and developer");
  }
}

function textOnly(content: ContentPart[], name: string): TextPart[] {
  return content.map((part) => {
    if (part.type !== "text") throw invalidField(`${name}.content`, "text in this role");
    return part;
  });
}

function say({ messages }: Conversation, parts: UserPart[]): void {
  const last = messages.at(-1);
  if (last?.role === "user") last.parts.push(...parts);
  else if (parts.length > 0) messages.push({ role: "user", parts });
}

function answer({ messages }: Conversation, parts: AssistantPart[]): void {
  const last = messages.at(-1);
  if (last?.role === "assistant") last.parts.push(...parts);
  else if (parts.length > 0) messages.push({ role: "assistant", parts });
}

function decodeOutput(item: Fields, name: string, { tools }: Conversation): ToolResultPart {
  const call_id = item.call_id;
  if (typeof call_id !== "string") throw invalidField(`${name}.call_id`, "a string");
  const content = decodeContent(item.output, `${name}.output`);
  return omitUndefined({ type: "tool_result" as const, call_id, name: tools.get(call_id), content });
}

/** A `function_call`, empty arguments as `{}` (pitfall 14). Its signature stands in `extra_content`, as in chat. */
export function decodeCall(item: Fields, name: string): ToolCallPart {
  const { call_id, arguments: text = "" } = item;
  if (typeof call_id !== "string") throw invalidField(`${name}.call_id`, "a string");
  if (typeof item.name !== "string") throw invalidField(`${name}.name`, "a string");
  if (typeof text !== "string") throw invalidField(`${name}.arguments`, "a string");
  return omitUndefined({
    type: "tool_call" as const,
    id: call_id,
    name: item.name,
    arguments: text || "{}",
    signature: callSignature(item),
  });
}

/** The signature of a call that the gateway gave to the client. */
export function callSignature(item: Fields): string | undefined {
  const signature = googleSignature(item);
  return typeof signature === "string" ? signature : undefined;
}

/** A reasoning item: its texts, and what is encrypted. One without both only refers to the provider's storage. */
export function decodeReasoning(item: Fields): ReasoningPart[] {
  const parts = [...objectsOf(item.summary), ...objectsOf(item.content)];
  const text = parts.map((part) => asText(part.text)).join("\n\n");
  const ending = decodeSignature(item);
  return text || ending.signature ? [{ type: "reasoning", text, ...ending }] : [];
}

/** How a reasoning item ends: signed, redacted, or without a signature. */
export function decodeSignature(item: Fields): Pick<ReasoningPart, "signature" | "redacted"> {
  const signature = item.encrypted_content;
  if (typeof signature !== "string" || signature === "") return {};
  const hidden = objectsOf(item.summary).length === 0 && objectsOf(item.content).length === 0;
  return hidden ? { signature, redacted: true } : { signature };
}

/** Turns as input items. What an item has no place for is added to `dropped`. */
export function encodeMessages(messages: ChatMessage[], dropped: Set<string>): Fields[] {
  return messages.flatMap(({ role, parts }) => {
    const items: Fields[] = [];
    const speaker = role === "system" ? "developer" : role;
    for (const part of parts) {
      if (part.type === "tool_result") items.push(encodeResult(part, dropped));
      else if (part.type === "tool_call") items.push(encodeCall(part, dropped));
      else if (part.type === "reasoning") items.push(...encodeOwnReasoning(part, dropped));
      else addContent(items, speaker, part);
    }
    return items;
  });
}

function addContent(items: Fields[], role: "user" | "assistant" | "developer", part: ContentPart): void {
  const content =
    role === "assistant" && part.type === "text"
      ? { type: "output_text", text: part.text }
      : encodePart(part);
  const last = items.at(-1);
  if (last?.type === "message") (last.content as Fields[]).push(content);
  else items.push({ type: "message", role, content: [content] });
}

function encodeResult({ call_id, content, is_error }: ToolResultPart, dropped: Set<string>): Fields {
  if (is_error) dropped.add("messages.tool_result.is_error");
  const [only] = content.length === 1 ? content : [];
  const plain = content.length === 0 ? "" : only?.type === "text" ? only.text : undefined;
  const output = plain ?? content.map(encodePart);
  return { type: "function_call_output", call_id, output };
}

function encodeCall({ id, name, arguments: text, signature }: ToolCallPart, dropped: Set<string>): Fields {
  if (signature !== undefined) dropped.add("messages.parts.signature");
  return { type: "function_call", call_id: id, name, arguments: text };
}

/** Reasoning that the provider encrypted. An item without encrypted content would refer to nothing stored. */
function encodeOwnReasoning(part: ReasoningPart, dropped: Set<string>): Fields[] {
  if (part.signature) return [encodeReasoning(part)];
  dropped.add("messages.parts.reasoning");
  return [];
}

/** A reasoning item without an id. The provider would look an id up in its storage, and find nothing. */
export function encodeReasoning({ text, signature, redacted }: ReasoningPart): Fields {
  const summary = redacted ? [] : [{ type: "summary_text", text }];
  return omitUndefined({ type: "reasoning", summary, encrypted_content: signature });
}
