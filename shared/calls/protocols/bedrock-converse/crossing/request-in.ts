/** A client's body of Converse as a neutral request (protocols.md §8.1). */
import { parseExact } from "../../../../base/json/exact.ts";
import {
  type Fields,
  invalidField,
  isAbsent,
  isObject,
  optionalBoolean,
  optionalString,
  stringAt,
} from "../../../../base/json/fields.ts";
import { omitUndefined } from "../../../chat/omit-undefined.ts";
import type {
  ChatMessage,
  ChatRequest,
  DecodedRequest,
  NativeTool,
  OutputFormat,
  Tool,
  ToolChoice,
} from "../../../chat/request.ts";
import { members, nameUncarried } from "../../dropped.ts";
import { fields, settings } from "../fields.ts";
import { decodeAssistantBlocks, decodeSystemBlocks, decodeUserBlocks, markLast } from "./blocks-in.ts";
import { stopPath } from "./ending.ts";
import { decodeOwn } from "./families-in.ts";
import { textOf } from "./reply.ts";

/** Throws `invalid_request` where leaving something out would change what the request means. */
export function decodeRequest(body: Fields): DecodedRequest {
  const dropped = new Set<string>();
  fields.drop(body, dropped);
  const config = isObject(body.inferenceConfig) ? body.inferenceConfig : {};
  settings.drop(config, dropped);
  const own = decodeOwn(body.additionalModelRequestFields, dropped);
  const native: NativeTool[] = [];
  namePaths(body.additionalModelResponseFieldPaths, dropped);
  const request: ChatRequest = {
    system: decodeSystemBlocks(body.system ?? [], dropped),
    messages: decodeTurns(fields.read(body, "messages"), dropped),
    ...decodeTools(body.toolConfig, native, dropped),
    stop: settings.read(config, "stopSequences"),
    stream: false,
    ...omitUndefined({
      max_output_tokens: settings.read(config, "maxTokens"),
      temperature: settings.read(config, "temperature"),
      top_p: settings.read(config, "topP"),
      format: decodeFormat(body.outputConfig, dropped) ?? own.format,
      top_k: own.top_k,
      reasoning: own.reasoning,
    }),
  };
  return { request, dropped: [...dropped], ...(native.length > 0 && { native }) };
}

function decodeTurns(turns: unknown[], dropped: Set<string>): ChatMessage[] {
  const messages = turns.map((turn, index): ChatMessage => {
    const { role, content } = turn as Fields;
    const at = `messages[${index}].content`;
    return role === "assistant"
      ? { role, parts: decodeAssistantBlocks(content, at, dropped) }
      : { role: "user", parts: decodeUserBlocks(content, at, dropped) };
  });
  return messages.filter(({ parts }) => parts.length > 0);
}

/** Of an answer's own fields a client is told one: which stop sequence was met. */
function namePaths(paths: unknown, dropped: Set<string>): void {
  if (Array.isArray(paths) && paths.some((path) => path !== stopPath))
    dropped.add("additionalModelResponseFieldPaths");
}

/** The client's own tools, and the choice among them. A tool that Amazon runs is `native`. */
function decodeTools(
  config: unknown,
  native: NativeTool[],
  dropped: Set<string>,
): Pick<ChatRequest, "tools" | "tool_choice"> {
  if (!isObject(config)) return { tools: [] };
  nameUncarried(config, members("tools", "toolChoice"), "toolConfig", dropped);
  const tools: Tool[] = [];
  for (const [index, item] of (config.tools as Fields[]).entries()) {
    const at = `toolConfig.tools[${index}]`;
    const { toolSpec, systemTool, cachePoint } = item;
    if (isObject(toolSpec)) tools.push(decodeTool(toolSpec, `${at}.toolSpec`, dropped));
    else if (isObject(systemTool))
      native.push({ name: textOf(systemTool.name) || "systemTool", at, hosted: true });
    else if (isAbsent(cachePoint)) throw invalidField(at, "a toolSpec");
    else markLast(tools, cachePoint, at, dropped);
  }
  const tool_choice = decodeChoice(config.toolChoice);
  return { tools, ...(tool_choice && tools.length > 0 && { tool_choice }) };
}

function decodeTool(spec: Fields, at: string, dropped: Set<string>): Tool {
  nameUncarried(spec, members("name", "description", "inputSchema", "strict"), at, dropped);
  const { inputSchema } = spec;
  const schema = isObject(inputSchema) ? inputSchema.json : inputSchema;
  if (!isAbsent(schema) && !isObject(schema)) throw invalidField(`${at}.inputSchema`, "a schema as `json`");
  return {
    name: stringAt(spec, "name", at),
    ...omitUndefined({
      description: optionalString(spec, "description"),
      parameters: isObject(schema) && !takesNothing(schema) ? schema : undefined,
      strict: optionalBoolean(spec, "strict"),
    }),
  };
}

/** The schema that says "no arguments", which Converse cannot leave out. */
function takesNothing({ type, properties, ...more }: Fields): boolean {
  const isEmpty = isAbsent(properties) || (isObject(properties) && Object.keys(properties).length === 0);
  return type === "object" && isEmpty && Object.keys(more).length === 0;
}

function decodeChoice(choice: unknown): ToolChoice | undefined {
  if (isAbsent(choice)) return undefined;
  const { auto, any, tool } = isObject(choice) ? choice : {};
  if (isObject(tool)) return { type: "tool", name: stringAt(tool, "name", "toolConfig.toolChoice.tool") };
  if (isObject(any)) return { type: "required" };
  if (isObject(auto)) return { type: "auto" };
  throw invalidField("toolConfig.toolChoice", "auto, any or tool");
}

/** The form of the answer. Its schema is a text, and always binds. */
function decodeFormat(config: unknown, dropped: Set<string>): OutputFormat | undefined {
  if (!isObject(config)) return undefined;
  nameUncarried(config, formatMembers, "outputConfig", dropped);
  const { textFormat } = config;
  if (isAbsent(textFormat)) return undefined;
  const { type, structure } = isObject(textFormat) ? textFormat : {};
  const { name, schema } = isObject(structure) && isObject(structure.jsonSchema) ? structure.jsonSchema : {};
  const parsed = type === "json_schema" ? schemaIn(schema) : undefined;
  if (!parsed) throw invalidField("outputConfig.textFormat", "of type json_schema with a schema as text");
  return { type: "json_schema", name: textOf(name) || "answer", schema: parsed, strict: true };
}

const formatMembers = {
  textFormat: { type: true, structure: { jsonSchema: members("name", "schema") } },
} as const;

function schemaIn(text: unknown): Fields | undefined {
  try {
    const schema = parseExact(textOf(text));
    return isObject(schema) ? schema : undefined;
  } catch {
    return undefined;
  }
}
