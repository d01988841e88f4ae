/**
 * Tools that Responses has in forms of its own: namespaces of functions, and tools that take any text in place of
 * arguments. Codex sends both. Other protocols get them as functions, and calls find back to the client's form.
 */
import { omitUndefined } from "../../../chat/omit-undefined.ts";
import type { Tool, ToolCallPart } from "../../../chat/request.ts";
import {
  asText,
  type Fields,
  invalidField,
  isObject,
  objectsOf,
  optionalString,
} from "../../../json/fields.ts";

/** A tool as its client names it. */
interface OwnTool {
  name: string;
  namespace?: string;
  /** It takes any text. */
  takes_text: boolean;
}

/** The tools of one request. */
export interface OwnTools {
  /** As functions, under one name each. */
  functions: Tool[];
  /** By that name. */
  owns: ReadonlyMap<string, OwnTool>;
}

const portableTypes = new Set<unknown>(["function", "custom"]);

/** Whether other protocols can have a tool as functions. */
export function isPortable({ type, tools }: Fields): boolean {
  return type === "namespace"
    ? objectsOf(tools).every((tool) => portableTypes.has(tool.type))
    : portableTypes.has(type);
}

/** The tools of a request without native ones. Throws `invalid_request` for one without a name. */
export function readOwnTools(tools: readonly unknown[]): OwnTools {
  const functions: Tool[] = [];
  const owns = new Map<string, OwnTool>();
  const add = (tool: Fields, at: string, namespace?: string): void => {
    if (!portableTypes.has(tool.type)) throw invalidField(`${at}.type`, "a type of tool");
    if (typeof tool.name !== "string") throw invalidField(`${at}.name`, "a string");
    const own = omitUndefined({ name: tool.name, namespace, takes_text: tool.type === "custom" });
    let name = functionName(own);
    // Somebody may have chosen a name that looks like one in a namespace.
    while (owns.has(name) && namespace !== undefined) name += "_";
    owns.set(name, own);
    functions.push(own.takes_text ? functionOfText(tool, name) : functionOf(tool, name));
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
  return { functions, owns };
}

/** The name of a function for a tool, in or out of a namespace. */
function functionName({ name, namespace }: Pick<OwnTool, "name" | "namespace">): string {
  if (namespace === undefined) return name;
  return namespace.endsWith("__") ? namespace + name : `${namespace}__${name}`;
}

/** The function that a call of the client's history, or its choice, speaks of. */
export function calledName(item: Fields, { owns }: OwnTools): string {
  const name = asText(item.name);
  const namespace = typeof item.namespace === "string" ? item.namespace : undefined;
  const known = [...owns].find(([, own]) => own.name === name && own.namespace === namespace);
  return known?.[0] ?? functionName({ name, ...(namespace !== undefined && { namespace }) });
}

function functionOf(tool: Fields, name: string): Tool {
  return omitUndefined({
    name,
    description: optionalString(tool, "description"),
    parameters: isObject(tool.parameters) ? tool.parameters : undefined,
    strict: tool.strict === true ? true : undefined,
  });
}

/** The member that holds the whole text. */
const textMember = "input";

/** A function with one text. Nobody holds the model to a grammar there, so it is told. */
function functionOfText(tool: Fields, name: string): Tool {
  const { definition, syntax } = isObject(tool.format) ? tool.format : ({} as Fields);
  const grammar =
    typeof definition === "string" ? `The text follows this ${asText(syntax)} grammar:\n${definition}` : "";
  const description = [optionalString(tool, "description"), grammar].filter(Boolean).join("\n\n");
  return {
    name,
    ...(description !== "" && { description }),
    parameters: {
      type: "object",
      properties: { [textMember]: { type: "string", description: "The whole text, as it is." } },
      required: [textMember],
      additionalProperties: false,
    },
  };
}

/** The arguments of a function for a text. */
export function argumentsOfText(text: unknown): string {
  return JSON.stringify({ [textMember]: asText(text) });
}

/** The text in such arguments. A model that writes the text alone is taken at its word. */
export function textOfArguments(written: string): string {
  try {
    const given: unknown = JSON.parse(written);
    return isObject(given) && typeof given[textMember] === "string" ? given[textMember] : written;
  } catch {
    return written;
  }
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
