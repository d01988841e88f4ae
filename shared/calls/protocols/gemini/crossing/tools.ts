/** Gemini's tools and how they may be used, both ways (protocols.md §6.2). */

import { asText, type Fields, invalidField, isAbsent, isObject } from "../../../../base/json/fields.ts";
import { omitUndefined } from "../../../chat/omit-undefined.ts";
import type { ChatRequest, Tool, ToolChoice } from "../../../chat/request.ts";
import { nameGiven } from "../../dropped.ts";
import { camelKeys } from "../names.ts";
import { toJsonSchema } from "./schema.ts";

/** The functions of `tools`: `portable` has taken out Google's own. Throws `invalid_request`. */
export function decodeTools(value: unknown, dropped: Set<string>): Tool[] {
  const tools = Array.isArray(value) ? value : [];
  return tools.flatMap((tool, index) => {
    if (!isObject(tool)) throw invalidField(`tools[${index}]`, "an object");
    const declarations = camelKeys(tool).functionDeclarations ?? [];
    if (!Array.isArray(declarations)) throw invalidField(`tools[${index}].functionDeclarations`, "an array");
    return declarations.map((declaration) => decodeDeclaration(declaration, index, dropped));
  });
}

function decodeDeclaration(value: unknown, index: number, dropped: Set<string>): Tool {
  const name = `tools[${index}].functionDeclarations`;
  if (!isObject(value)) throw invalidField(name, "an array of objects");
  const fields = camelKeys(value);
  if (typeof fields.name !== "string" || fields.name === "") throw invalidField(`${name}.name`, "a string");
  nameGiven(fields, ["response", "responseJsonSchema", "behavior"], "tools.functionDeclarations", dropped);
  const { description, parametersJsonSchema, parameters } = fields;
  const schema = parametersJsonSchema ?? (isAbsent(parameters) ? undefined : toJsonSchema(parameters));
  return omitUndefined({
    name: fields.name,
    description: typeof description === "string" ? description : undefined,
    parameters: isObject(schema) ? schema : undefined,
  });
}

/** The tool choice of `toolConfig`, and the tools it leaves: no other protocol has a choice of several names. */
export function decodeToolConfig(
  value: unknown,
  tools: Tool[],
  dropped: Set<string>,
): Pick<ChatRequest, "tools" | "tool_choice"> {
  const config = isObject(value) ? camelKeys(value) : {};
  nameGiven(config, ["retrievalConfig"], "toolConfig", dropped);
  const calling = isObject(config.functionCallingConfig) ? camelKeys(config.functionCallingConfig) : {};
  const mode = asText(calling.mode).toUpperCase();
  const names = Array.isArray(calling.allowedFunctionNames) ? calling.allowedFunctionNames : [];
  const [only] = names;
  if (mode === "ANY" && names.length === 1 && typeof only === "string") {
    return { tools, tool_choice: { type: "tool", name: only } };
  }
  // VALIDATED is AUTO with a promise about the form of arguments. Like ANY, it may name the tools.
  if (mode === "VALIDATED") dropped.add("toolConfig.functionCallingConfig.mode");
  const named = names.length > 0 && (mode === "ANY" || mode === "VALIDATED");
  const left = named ? tools.filter(({ name }) => names.includes(name)) : tools;
  const type = choices[mode];
  return { tools: left, ...(type ? { tool_choice: { type } } : {}) };
}

const choices: Record<string, Exclude<ToolChoice["type"], "tool">> = {
  AUTO: "auto",
  VALIDATED: "auto",
  ANY: "required",
  NONE: "none",
};

const modes: Record<ToolChoice["type"], string> = {
  auto: "AUTO",
  none: "NONE",
  required: "ANY",
  tool: "ANY",
};

/** `tools` and `toolConfig`. `parametersJsonSchema` takes what `parameters` refuses (protocols.md pitfall 11). */
export function encodeTools(request: ChatRequest, dropped: Set<string>): Fields {
  const { tools, tool_choice: choice } = request;
  if (request.parallel_tool_calls === false) dropped.add("parallel_tool_calls");
  if (tools.some(({ strict }) => strict !== undefined)) dropped.add("tools.strict");
  if (tools.length === 0) {
    if (choice) dropped.add("tool_choice");
    return {};
  }
  const functionDeclarations = tools.map(({ name, description, parameters }) =>
    omitUndefined({ name, description, parametersJsonSchema: parameters }),
  );
  if (!choice) return { tools: [{ functionDeclarations }] };
  const allowed = choice.type === "tool" ? { allowedFunctionNames: [choice.name] } : {};
  const functionCallingConfig = { mode: modes[choice.type], ...allowed };
  return { tools: [{ functionDeclarations }], toolConfig: { functionCallingConfig } };
}
