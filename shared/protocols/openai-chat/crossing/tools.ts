/** Tools, tool choice and tool calls in OpenAI chat form, both ways (protocols.md §6.2). */
import { omitUndefined } from "../../../chat/omit-undefined.ts";
import type { Tool, ToolCallPart, ToolChoice } from "../../../chat/request.ts";
import { type Fields, invalidField, isAbsent, isObject, optionalArray } from "../../../json/fields.ts";
import { googleSignature, signedMembers } from "../../openai-tools.ts";
import { fields } from "../fields.ts";

/** Members whose JSON belongs to the client or the model, and the seed. A few vendors send arguments as an object. */
export const exactMembers: ReadonlySet<string> = new Set(["parameters", "schema", "arguments", "seed"]);

/** The request's tools and choice. Throws `invalid_request` on tools other than functions: only OpenAI has them. */
export function decodeTools(body: Fields): { tools: Tool[]; tool_choice: ToolChoice | undefined } {
  const tools = (fields.read(body, "tools") ?? []).map((tool, index) => decodeTool(tool, `tools[${index}]`));
  const choice = body.tool_choice;
  if (isAbsent(choice)) return { tools, tool_choice: undefined };
  if (isObject(choice) && choice.type === "allowed_tools") return decodeAllowed(tools, choice);
  return { tools, tool_choice: decodeToolChoice(choice, "tool_choice") };
}

function decodeTool(tool: unknown, path: string): Tool {
  if (!isObject(tool)) throw invalidField(path, "an object");
  if (tool.type !== "function") throw invalidField(`${path}.type`, "`function` with this model");
  const { name, description, parameters, strict } = functionOf(tool, path);
  if (!isAbsent(parameters) && !isObject(parameters)) {
    throw invalidField(`${path}.function.parameters`, "an object");
  }
  return omitUndefined({
    name: name as string,
    description: typeof description === "string" ? description : undefined,
    parameters: parameters ?? undefined,
    strict: typeof strict === "boolean" ? strict : undefined,
    cache: isObject(tool.cache_control) || undefined,
  }) as Tool;
}

/** The `function` of a tool, a choice or a call; its name is there. */
function functionOf(holder: Fields, path: string): Fields {
  const named = holder.function;
  if (!isObject(named)) throw invalidField(`${path}.function`, "an object");
  if (typeof named.name !== "string" || named.name === "") {
    throw invalidField(`${path}.function.name`, "a non-empty string");
  }
  return named;
}

function decodeToolChoice(choice: unknown, path: string): ToolChoice {
  if (choice === "auto" || choice === "none" || choice === "required") return { type: choice };
  if (isObject(choice) && choice.type === "function") {
    return { type: "tool", name: functionOf(choice, path).name as string };
  }
  throw invalidField(path, "auto, none, required or a function with this model");
}

/** `allowed_tools` means the same as offering those tools only. */
function decodeAllowed(tools: Tool[], choice: Fields): { tools: Tool[]; tool_choice: ToolChoice } {
  const allowed = choice.allowed_tools;
  if (!isObject(allowed) || !Array.isArray(allowed.tools)) {
    throw invalidField("tool_choice.allowed_tools", "an object with tools");
  }
  const path = "tool_choice.allowed_tools.tools";
  const names = allowed.tools.map((tool, index) => {
    const chosen = decodeToolChoice(tool, `${path}[${index}]`);
    return chosen.type === "tool" ? chosen.name : undefined;
  });
  const mode = decodeToolChoice(allowed.mode ?? "auto", "tool_choice.allowed_tools.mode");
  return { tools: tools.filter(({ name }) => names.includes(name)), tool_choice: mode };
}

export function encodeTool({ cache: _, ...tool }: Tool): Fields {
  return { type: "function", function: tool };
}

export function encodeToolChoice(choice: ToolChoice): string | Fields {
  return choice.type === "tool" ? { type: "function", function: { name: choice.name } } : choice.type;
}

/** The calls of a history message. Throws `invalid_request` on one without id or function. */
export function decodeToolCalls(message: Fields, path: string): ToolCallPart[] {
  return (optionalArray(message, "tool_calls") ?? []).map((call, index) => {
    const at = `${path}.tool_calls[${index}]`;
    if (!isObject(call)) throw invalidField(at, "an object");
    if (typeof call.id !== "string" || call.id === "") {
      throw invalidField(`${at}.id`, "a non-empty string");
    }
    return toolCall(call.id, functionOf(call, at), signatureOf(call));
  });
}

/**
 * One call. Its arguments stay text as they came. Empty ones become `{}`, or they would spoil the history (pitfall
 * 14).
 */
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

type CallStart = Pick<ToolCallPart, "id" | "name" | "arguments" | "signature">;

export function encodeToolCall({ id, name, arguments: text, signature }: CallStart): Fields {
  return { id, type: "function", function: { name, arguments: text }, ...signedMembers(signature) };
}
