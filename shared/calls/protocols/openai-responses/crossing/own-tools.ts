/** Tools in the forms of Responses: functions, texts, and namespaces of both, as Codex sends them. */

import {
  asText,
  type Fields,
  invalidField,
  isObject,
  objectsOf,
  optionalString,
} from "../../../../base/json/fields.ts";
import { omitUndefined } from "../../../chat/omit-undefined.ts";
import type { Tool, ToolCallPart } from "../../../chat/request.ts";
import {
  addTool,
  functionOfText,
  noTools,
  type OwnTool,
  type OwnTools,
  textOfArguments,
} from "../../own-tools.ts";

const portableTypes = new Set<unknown>(["function", "custom"]);

/** Whether other protocols can have a tool as functions. */
export function isPortable({ type, tools }: Fields): boolean {
  return type === "namespace"
    ? objectsOf(tools).every((tool) => portableTypes.has(tool.type))
    : portableTypes.has(type);
}

/** The tools of a request without native ones. Throws `invalid_request` for one without a name. */
export function readOwnTools(tools: readonly unknown[]): OwnTools {
  const own = noTools();
  const add = (tool: Fields, at: string, namespace?: string): void => {
    if (!portableTypes.has(tool.type)) throw invalidField(`${at}.type`, "a type of tool");
    if (typeof tool.name !== "string") throw invalidField(`${at}.name`, "a string");
    const { format } = tool;
    const description = optionalString(tool, "description");
    const text = { description, grammar: isObject(format) ? format : undefined };
    const named = omitUndefined({ name: tool.name, namespace, takes_text: tool.type === "custom" });
    addTool(own, named, (name) => (named.takes_text ? functionOfText(name, text) : functionOf(tool, name)));
  };
  for (const [index, tool] of tools.entries()) {
    const at = `tools[${index}]`;
    if (!isObject(tool)) throw invalidField(at, "an object");
    if (tool.type !== "namespace") add(tool, at);
    else {
      for (const [place, inner] of objectsOf(tool.tools).entries())
        add(inner, `${at}.tools[${place}]`, asText(tool.name));
    }
  }
  return own;
}

/** The tool that a call of the history, or a choice, names. */
export function namedTool({ type, name, namespace }: Fields): OwnTool {
  return omitUndefined({
    name: asText(name),
    namespace: typeof namespace === "string" ? namespace : undefined,
    takes_text: type === "custom" || type === "custom_tool_call",
  });
}

function functionOf(tool: Fields, name: string): Tool {
  return omitUndefined({
    name,
    description: optionalString(tool, "description"),
    parameters: isObject(tool.parameters) ? tool.parameters : undefined,
    strict: tool.strict === true ? true : undefined,
  });
}

/** The functions, the first of each namespace with its description: the model is told it once, as at OpenAI. */
export function withNamespaces(functions: Tool[], { owns }: OwnTools, tools: readonly unknown[]): Tool[] {
  const told = new Map<string, string>();
  for (const { type, name, description } of objectsOf(tools)) {
    if (type === "namespace" && asText(description) !== "") told.set(asText(name), asText(description));
  }
  return functions.map((tool) => {
    const namespace = owns.get(tool.name)?.namespace ?? "";
    const of = told.get(namespace);
    told.delete(namespace);
    if (of === undefined) return tool;
    const description = [`All tools of \`${namespace}\`: ${of}`, tool.description]
      .filter(Boolean)
      .join("\n\n");
    return { ...tool, description };
  });
}

/** A call as the client's item has it: its type, its name, and what it is called with. */
export function callMembers(
  { name, arguments: text }: Pick<ToolCallPart, "name" | "arguments">,
  { owns }: OwnTools,
): Fields {
  const own = owns.get(name);
  const named = omitUndefined({ name: own?.name ?? name, namespace: own?.namespace });
  return own?.takes_text
    ? { type: "custom_tool_call", ...named, input: textOfArguments(text) }
    : { type: "function_call", ...named, arguments: text };
}
