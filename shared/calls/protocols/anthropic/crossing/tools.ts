/** Tools and the choice among them (protocols.md §6.2). */

import {
  entryOf,
  type Fields,
  invalidField,
  isAbsent,
  isObject,
  optionalBoolean,
  optionalString,
  stringAt,
} from "../../../../base/json/fields.ts";
import { omitUndefined } from "../../../chat/omit-undefined.ts";
import type { ChatRequest, Tool, ToolChoice } from "../../../chat/request.ts";
import { nameUncarried } from "../../dropped.ts";
import { fields } from "../fields.ts";
import { marked } from "./cache-points.ts";

/** The client's own tools: `portable` has taken out the others. */
export function decodeTools(body: Fields, dropped: Set<string>): Tool[] {
  return (fields.read(body, "tools") ?? []).map((tool, index) => {
    const at = `tools[${index}]`;
    if (!isObject(tool)) throw invalidField(at, "an object");
    if (!isAbsent(tool.type) && tool.type !== "custom") {
      throw invalidField(`${at}.type`, "a string");
    }
    nameUncarried(tool, fields.rows.tools.members, at, dropped);
    return {
      name: stringAt(tool, "name", at),
      ...omitUndefined({
        description: optionalString(tool, "description"),
        parameters: decodeSchema(tool.input_schema, `${at}.input_schema`),
        strict: optionalBoolean(tool, "strict"),
      }),
    };
  });
}

/** A schema, or undefined for the one that says "no arguments", which Anthropic cannot leave out. */
function decodeSchema(schema: unknown, at: string): Fields | undefined {
  if (isAbsent(schema)) return undefined;
  if (!isObject(schema)) throw invalidField(at, "an object");
  const { type, properties, ...rest } = schema;
  const empty = isAbsent(properties) || (isObject(properties) && Object.keys(properties).length === 0);
  return type === "object" && empty && Object.keys(rest).length === 0 ? undefined : schema;
}

/** Tools as Anthropic takes them: `input_schema` is required and of type `object`. */
export function encodeTools(tools: Tool[]): Fields[] {
  return tools.map(({ name, description, parameters, strict, cache }) => {
    const input_schema = { type: "object", ...(parameters ?? { properties: {} }) };
    return marked({ name, ...omitUndefined({ description, strict }), input_schema }, cache);
  });
}

const choices: Record<string, ToolChoice> = {
  auto: { type: "auto" },
  any: { type: "required" },
  none: { type: "none" },
};

/** The choice and whether calls may be parallel, which Anthropic says in one object. */
export function decodeToolChoice(body: Fields): Pick<ChatRequest, "tool_choice" | "parallel_tool_calls"> {
  const choice = body.tool_choice;
  if (isAbsent(choice)) return {};
  if (!isObject(choice)) throw invalidField("tool_choice", "an object");
  const single = optionalBoolean(choice, "disable_parallel_tool_use");
  const parallel = single === undefined ? {} : { parallel_tool_calls: !single };
  const type = stringAt(choice, "type", "tool_choice");
  if (type === "tool") {
    return { tool_choice: { type: "tool", name: stringAt(choice, "name", "tool_choice") }, ...parallel };
  }
  const known = entryOf(choices, type);
  if (!known) throw invalidField("tool_choice.type", "auto, any, tool or none");
  return { tool_choice: known, ...parallel };
}

const choiceTypes = { auto: "auto", required: "any", none: "none", tool: "tool" } as const;

/** `tool_choice`, or undefined without a choice. Anthropic refuses a choice without tools. */
export function encodeToolChoice(request: ChatRequest, dropped: Set<string>): Fields | undefined {
  const { tools, tool_choice: choice, parallel_tool_calls: parallel } = request;
  if (choice === undefined && parallel === undefined) return undefined;
  if (tools.length === 0) {
    if (choice !== undefined) dropped.add("tool_choice");
    if (parallel !== undefined) dropped.add("parallel_tool_calls");
    return undefined;
  }
  const type = choiceTypes[choice?.type ?? "auto"];
  // Where no call may be made, none can be parallel.
  const single = parallel === undefined || type === "none" ? {} : { disable_parallel_tool_use: !parallel };
  return choice?.type === "tool" ? { type, name: choice.name, ...single } : { type, ...single };
}
