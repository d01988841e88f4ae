/** Tools in a client's own form: namespaces, and tools that take any text. Others get functions with one name each. */

import { asText, type Fields, isObject } from "../../base/json/fields.ts";
import { omitUndefined } from "../chat/omit-undefined.ts";
import type { Tool } from "../chat/request.ts";

/** A tool as its client names it. */
export interface OwnTool {
  name: string;
  namespace?: string;
  takes_text: boolean;
}

/** The tools of one request. */
export interface OwnTools {
  /** As functions, under one name each. */
  functions: Tool[];
  /** By that name. */
  owns: Map<string, OwnTool>;
}

/** A request's tools before any is read. */
export function noTools(): OwnTools {
  return { functions: [], owns: new Map() };
}

/** Adds a tool. `toolOf` gives its function, under a name that no other tool of the client has. */
export function addTool({ functions, owns }: OwnTools, own: OwnTool, toolOf: (name: string) => Tool): void {
  let name = functionName(own);
  // Somebody may have chosen a name that looks like one in a namespace, or have a text and a function of one name.
  for (let known = owns.get(name); known && !isSame(known, own); known = owns.get(name)) name += "_";
  owns.set(name, own);
  functions.push(toolOf(name));
}

function isSame(one: OwnTool, other: OwnTool): boolean {
  return one.name === other.name && one.namespace === other.namespace && one.takes_text === other.takes_text;
}

/** The name of a function for a tool, in or out of a namespace. */
function functionName({ name, namespace }: OwnTool): string {
  if (namespace === undefined) return name;
  return namespace.endsWith("__") ? namespace + name : `${namespace}__${name}`;
}

/** The function that a call of the client's history, or its choice, speaks of. */
export function calledName(own: OwnTool, { owns }: OwnTools): string {
  const name = functionName(own);
  const first = owns.get(name);
  if (!first || isSame(first, own)) return name;
  return [...owns].find(([, each]) => isSame(each, own))?.[0] ?? name;
}

/** The member that holds the whole text. */
const textMember = "input";

/** A tool that takes any text, with the grammar that the text must follow, if it has one. */
interface TextTool {
  description: string | undefined;
  grammar: Fields | undefined;
}

/** A function with one text. Nobody holds the model to a grammar there, so it is told. */
export function functionOfText(name: string, { description, grammar }: TextTool): Tool {
  const { definition, syntax } = grammar ?? ({} as Fields);
  const told =
    typeof definition === "string" ? `The text follows this ${asText(syntax)} grammar:\n${definition}` : "";
  return omitUndefined({
    name,
    description: [description, told].filter(Boolean).join("\n\n") || undefined,
    parameters: {
      type: "object",
      properties: { [textMember]: { type: "string", description: "The whole text, as it is." } },
      required: [textMember],
      additionalProperties: false,
    },
  });
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
