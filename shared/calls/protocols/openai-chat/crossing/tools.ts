/** Tools, tool choice and tool calls in OpenAI chat form, both ways (protocols.md §6.2). */

import {
  type Fields,
  invalidField,
  isAbsent,
  isObject,
  optionalArray,
} from "../../../../base/json/fields.ts";
import { omitUndefined } from "../../../chat/omit-undefined.ts";
import type { Tool, ToolCallPart, ToolChoice } from "../../../chat/request.ts";
import { googleSignature, signedMembers } from "../../openai-tools.ts";
import {
  addTool,
  argumentsOfText,
  calledName,
  functionOfText,
  noTools,
  type OwnTool,
  type OwnTools,
  textOfArguments,
} from "../../own-tools.ts";

/** Members whose JSON belongs to the client or the model, and the seed. A few vendors send arguments as an object. */
export const exactMembers: ReadonlySet<string> = new Set(["parameters", "schema", "arguments", "seed"]);

/** Whether other protocols can have a tool, or a call of it: functions, and tools that take any text. */
export function isPortable({ type }: Fields): boolean {
  return type === "function" || type === "custom";
}

/** A request's tools as functions. Throws `invalid_request` on tools of other kinds, and on one without a name. */
export function readTools(tools: readonly unknown[]): OwnTools {
  const own = noTools();
  for (const [index, tool] of tools.entries()) {
    const path = `tools[${index}]`;
    if (!isObject(tool)) throw invalidField(path, "an object");
    if (!isPortable(tool)) throw invalidField(`${path}.type`, "`function` or `custom` with this model");
    addTool(own, namedTool(tool, path), (name) => ({
      ...(tool.type === "custom" ? decodeText(tool, name) : decodeFunction(tool, name, path)),
      ...(isObject(tool.cache_control) && { cache: true as const }),
    }));
  }
  return own;
}

function decodeFunction(tool: Fields, name: string, path: string): Tool {
  const { description, parameters, strict } = formOf(tool, path);
  if (!isAbsent(parameters) && !isObject(parameters)) {
    throw invalidField(`${path}.function.parameters`, "an object");
  }
  return omitUndefined({
    name,
    description: typeof description === "string" ? description : undefined,
    parameters: parameters ?? undefined,
    strict: typeof strict === "boolean" ? strict : undefined,
  });
}

function decodeText(tool: Fields, name: string): Tool {
  const { description, format } = tool.custom as Fields;
  return functionOfText(name, {
    description: typeof description === "string" ? description : undefined,
    grammar: isObject(format) && isObject(format.grammar) ? format.grammar : undefined,
  });
}

/** The `function` of a tool, a choice or a call, or its `custom`. The name is there. */
function formOf(holder: Fields, path: string): Fields & { name: string } {
  const member = holder.type === "custom" ? "custom" : "function";
  const named = holder[member];
  if (!isObject(named)) throw invalidField(`${path}.${member}`, "an object");
  const { name } = named;
  if (typeof name !== "string" || name === "") {
    throw invalidField(`${path}.${member}.name`, "a non-empty string");
  }
  return { ...named, name };
}

function namedTool(holder: Fields, path: string): OwnTool {
  return { name: formOf(holder, path).name, takes_text: holder.type === "custom" };
}

/** The request's tools and its choice among them. Throws `invalid_request`. */
export function decodeTools(
  choice: unknown,
  own: OwnTools,
): { tools: Tool[]; tool_choice: ToolChoice | undefined } {
  const tools = own.functions;
  if (isAbsent(choice)) return { tools, tool_choice: undefined };
  if (isObject(choice) && choice.type === "allowed_tools") return decodeAllowed(own, choice);
  return { tools, tool_choice: decodeToolChoice(choice, "tool_choice", own) };
}

function decodeToolChoice(choice: unknown, path: string, own: OwnTools): ToolChoice {
  if (choice === "auto" || choice === "none" || choice === "required") return { type: choice };
  if (isObject(choice) && isPortable(choice)) {
    return { type: "tool", name: calledName(namedTool(choice, path), own) };
  }
  throw invalidField(path, "auto, none, required or a tool with this model");
}

/** `allowed_tools` means the same as offering those tools only. */
function decodeAllowed(own: OwnTools, choice: Fields): { tools: Tool[]; tool_choice: ToolChoice } {
  const allowed = choice.allowed_tools;
  if (!isObject(allowed) || !Array.isArray(allowed.tools)) {
    throw invalidField("tool_choice.allowed_tools", "an object with tools");
  }
  const path = "tool_choice.allowed_tools.tools";
  const names = allowed.tools.map((tool, index) => {
    const chosen = decodeToolChoice(tool, `${path}[${index}]`, own);
    return chosen.type === "tool" ? chosen.name : undefined;
  });
  const mode = decodeToolChoice(allowed.mode ?? "auto", "tool_choice.allowed_tools.mode", own);
  return { tools: own.functions.filter(({ name }) => names.includes(name)), tool_choice: mode };
}

export function encodeTool({ cache: _, ...tool }: Tool): Fields {
  return { type: "function", function: tool };
}

export function encodeToolChoice(choice: ToolChoice): string | Fields {
  return choice.type === "tool" ? { type: "function", function: { name: choice.name } } : choice.type;
}

/** The calls of a history message. Throws `invalid_request` on one without id or name. */
export function decodeToolCalls(message: Fields, path: string, own: OwnTools): ToolCallPart[] {
  return (optionalArray(message, "tool_calls") ?? []).map((call, index) => {
    const at = `${path}.tool_calls[${index}]`;
    if (!isObject(call)) throw invalidField(at, "an object");
    if (typeof call.id !== "string" || call.id === "") {
      throw invalidField(`${at}.id`, "a non-empty string");
    }
    const form = formOf(call, at);
    const given = call.type === "custom" ? { arguments: argumentsOfText(form.input) } : form;
    return toolCall(call.id, { ...given, name: calledName(namedTool(call, at), own) }, signatureOf(call));
  });
}

/** One call. Its arguments stay as text; empty ones become `{}`, or they would spoil the history (pitfall 14). */
export function toolCall(id: string, named: Fields, signature: string | undefined): ToolCallPart {
  const text = argumentsOf(named);
  return omitUndefined({
    type: "tool_call" as const,
    id,
    name: named.name as string,
    arguments: text.trim() === "" ? "{}" : text,
    signature,
  });
}

/** A call's arguments as text, or a piece of it; a few vendors send the object itself. */
export function argumentsOf(named: Fields): string {
  const value = named.arguments;
  if (typeof value === "string") return value;
  return isObject(value) ? JSON.stringify(value) : "";
}

/** Gemini's signature of a call, where its own OpenAI form carries it (protocols.md pitfall 10). */
export function signatureOf(call: Fields): string | undefined {
  const signature = googleSignature(call);
  return typeof signature === "string" && signature !== "" ? signature : undefined;
}

/** The tools of the client's own request, by which its calls are written. Undefined where all are functions. */
export function textToolsOf({ tools }: Fields): OwnTools | undefined {
  if (!Array.isArray(tools) || !tools.some((tool) => isObject(tool) && tool.type === "custom"))
    return undefined;
  return readTools(tools.filter((tool) => isObject(tool) && isPortable(tool)));
}

type CallStart = Pick<ToolCallPart, "id" | "name" | "arguments" | "signature">;

/** A call, in the client's own form where `own` tells that it takes any text. */
export function encodeToolCall(call: CallStart, own?: OwnTools): Fields {
  const { id, name, arguments: text, signature } = call;
  const known = own?.owns.get(name);
  const named = { name: known?.name ?? name };
  const form = known?.takes_text
    ? { type: "custom", custom: { ...named, input: text === "" ? "" : textOfArguments(text) } }
    : { type: "function", function: { ...named, arguments: text } };
  return { id, ...form, ...signedMembers(signature) };
}
