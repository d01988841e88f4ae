/** Responses requests and the neutral form, both ways (protocols.md §6.1 and §6.2). */

import {
  type Fields,
  invalidField,
  isAbsent,
  isObject,
  objectsOf,
  optionalBoolean,
  optionalString,
} from "../../../../base/json/fields.ts";
import { limits } from "../../../../base/limits.ts";
import { effortOfBudget, effortWords, isEffort, plainEffort } from "../../../../books/catalog/effort.ts";
import { omitUndefined } from "../../../chat/omit-undefined.ts";
import type {
  ChatRequest,
  DecodedRequest,
  EncodedRequest,
  OutputFormat,
  Tool,
  ToolChoice,
} from "../../../chat/request.ts";
import { waysIn } from "../../../chat/ways.ts";
import { wordless } from "../../../chat/wordless.ts";
import type { RequestTarget } from "../../crossing.ts";
import { members, nameUncarried } from "../../dropped.ts";
import { calledName, type OwnTools } from "../../own-tools.ts";
import { waySwitch } from "../../switches.ts";
import { unsupported } from "../../unsupported.ts";
import { fields } from "../fields.ts";
import { decodeText, encodePart } from "./content.ts";
import { decodeInput, encodeMessages } from "./items.ts";
import { portable } from "./native.ts";
import { isPortable, namedTool, readOwnTools, withNamespaces } from "./own-tools.ts";

/** Members whose JSON belongs to the client. Arguments and results are text in this protocol. */
export const exactMembers: ReadonlySet<string> = new Set(["parameters", "schema"]);

const encrypted = "reasoning.encrypted_content";

/** A client's request as a neutral request. Throws `invalid_request` where a loss would change what it means. */
export function decodeRequest(given: Fields): DecodedRequest {
  const { body, native, dropped: left } = portable(given);
  const dropped = new Set<string>(left);
  fields.refuse(body, Object.keys(body));
  fields.drop(body, dropped);
  checkInclude(body, dropped);
  const tools = fields.read(body, "tools") ?? [];
  nameUncarried(tools, fields.rows.tools.members, "tools", dropped);
  const own = readOwnTools(tools);
  const { system, messages } = decodeInput(body.input, own);
  const chosen = decodeToolChoice(body.tool_choice, own);
  const user = fields.read(body, "user");
  const safety = fields.read(body, "safety_identifier");
  if (user !== undefined && safety !== undefined) dropped.add("safety_identifier");
  const request: ChatRequest = omitUndefined({
    system: [...decodeText(body.instructions), ...system],
    messages,
    ...chosen,
    tools: withNamespaces(chosen.tools, own, tools),
    parallel_tool_calls: fields.read(body, "parallel_tool_calls"),
    max_output_tokens: fields.read(body, "max_output_tokens"),
    temperature: fields.read(body, "temperature"),
    top_p: fields.read(body, "top_p"),
    stop: [],
    format: decodeFormat(body.text, dropped),
    reasoning: decodeReasoningFields(body.reasoning, dropped),
    user: user ?? safety,
    ways: waysIn(waySwitch(body, "service_tier")),
    stream: fields.read(body, "stream") ?? false,
  });
  return { request, dropped: [...dropped], ...(native.length > 0 && { native }) };
}

/** Encrypted reasoning comes by itself; the rest belongs to tools of the provider. */
function checkInclude(body: Fields, dropped: Set<string>): void {
  const include = fields.read(body, "include") ?? [];
  if (include.includes("message.output_text.logprobs")) throw unsupported("include");
  if (include.some((name) => name !== encrypted)) dropped.add("include");
}

/** The tools and the choice among them. `allowed_tools` becomes a choice of the same mode among fewer tools. */
function decodeToolChoice(
  choice: unknown,
  own: OwnTools,
): { tools: Tool[]; tool_choice: ToolChoice | undefined } {
  const tools = own.functions;
  if (isAbsent(choice)) return { tools, tool_choice: undefined };
  if (choice === "auto" || choice === "none" || choice === "required") {
    return { tools, tool_choice: { type: choice } };
  }
  if (isObject(choice) && isPortable(choice) && typeof choice.name === "string") {
    return { tools, tool_choice: { type: "tool", name: calledName(namedTool(choice), own) } };
  }
  if (isObject(choice) && choice.type === "allowed_tools") {
    const allowed = objectsOf(choice.tools).map((tool) => calledName(namedTool(tool), own));
    return {
      tools: tools.filter(({ name }) => allowed.includes(name)),
      tool_choice: { type: choice.mode === "required" ? "required" : "auto" },
    };
  }
  throw invalidField("tool_choice", "auto, none, required, or a choice among functions");
}

const formatMembers = members("type", "name", "schema", "strict");

function decodeFormat(text: unknown, dropped: Set<string>): OutputFormat | undefined {
  if (isAbsent(text)) return undefined;
  if (!isObject(text)) throw invalidField("text", "an object");
  nameUncarried(text, fields.rows.text.members, "text", dropped);
  const format = text.format;
  if (isAbsent(format)) return undefined;
  if (!isObject(format)) throw invalidField("text.format", "an object");
  if (format.type === "text") return { type: "text" };
  if (format.type === "json_object") return { type: "json" };
  const { name, schema } = format;
  if (format.type !== "json_schema" || typeof name !== "string" || !isObject(schema)) {
    throw invalidField("text.format", "text, json_object, or a json_schema with `name` and `schema`");
  }
  nameUncarried(format, formatMembers, "text.format", dropped);
  return omitUndefined({
    type: "json_schema" as const,
    name,
    schema,
    strict: optionalBoolean(format, "strict"),
  });
}

function decodeReasoningFields(value: unknown, dropped: Set<string>): ChatRequest["reasoning"] | undefined {
  if (isAbsent(value)) return undefined;
  if (!isObject(value)) throw invalidField("reasoning", "an object");
  nameUncarried(value, fields.rows.reasoning.members, "reasoning", dropped);
  const asked = optionalString(value, "effort");
  const effort = isEffort(asked) ? asked : undefined;
  if (asked !== undefined && !effort) {
    throw invalidField("reasoning.effort", `one of ${effortWords.join(", ")}`);
  }
  const include = isAbsent(value.summary) ? undefined : true;
  return effort || include ? omitUndefined({ effort, include }) : undefined;
}

/** Neutral fields the protocol has no place for. */
const placeless = ["top_k", "seed"] as const;

/** A neutral request for a provider of this protocol, which stores nothing: the client asked for no storage. */
export function encodeRequest(request: ChatRequest, { model, traits }: RequestTarget): EncodedRequest {
  const dropped = new Set<string>(placeless.filter((name) => request[name] !== undefined));
  const { tools, tool_choice, reasoning, format } = request;
  const body = omitUndefined({
    model,
    ...encodeInput(request, dropped),
    tools: tools.length > 0 ? tools.map(encodeTool) : undefined,
    tool_choice:
      tool_choice?.type === "tool" ? { type: "function", name: tool_choice.name } : tool_choice?.type,
    parallel_tool_calls: request.parallel_tool_calls,
    max_output_tokens:
      request.max_output_tokens && Math.max(request.max_output_tokens, limits.responsesOutputMin),
    temperature: request.temperature,
    top_p: request.top_p,
    text: format && { format: format.type === "json" ? { type: "json_object" } : format },
    reasoning: encodeReasoningFields(reasoning, traits?.reasoning !== undefined, dropped),
    // Nothing is stored, so reasoning can only come back encrypted. Models that do not reason refuse this.
    include: asksToReason(reasoning) ? [encrypted] : undefined,
    user: request.user,
    store: false,
    stream: request.stream,
  });
  return { body, dropped: [...dropped] };
}

function asksToReason(reasoning: ChatRequest["reasoning"]): boolean {
  return reasoning !== undefined && reasoning.effort !== "none" && reasoning.budget_tokens !== 0;
}

/** A budget becomes the nearest effort, and is named: its number is lost. `isKnown`: traits say the model's words. */
function encodeReasoningFields(
  reasoning: ChatRequest["reasoning"],
  isKnown: boolean,
  dropped: Set<string>,
): Fields | undefined {
  const budget = reasoning?.budget_tokens;
  if (budget !== undefined) dropped.add("reasoning.budget_tokens");
  const asked = reasoning?.effort ?? effortOfBudget(budget);
  const effort = asked && !isKnown ? plainEffort(asked) : asked;
  if (effort !== asked) dropped.add("reasoning.effort");
  const summary = reasoning?.include ? "auto" : undefined;
  return effort || summary ? omitUndefined({ effort, summary }) : undefined;
}

/** One instruction goes into `instructions`. Several, or one that stands alone, become an item. */
function encodeInput({ system, messages }: ChatRequest, dropped: Set<string>): Fields {
  const input = encodeMessages(messages, dropped);
  const [first, ...more] = system;
  // OpenAI wants an item.
  if (!first) return { input: input.length > 0 ? input : encodeMessages([wordless], dropped) };
  if (more.length === 0 && input.length > 0) return { instructions: first.text, input };
  return { input: [{ type: "message", role: "developer", content: system.map(encodePart) }, ...input] };
}

/** `strict` is always given. Left out it would be on, and every optional argument would be required. */
function encodeTool({ name, description, parameters, strict }: Tool): Fields {
  return omitUndefined({
    type: "function",
    name,
    description,
    parameters: parameters ?? null,
    strict: strict ?? false,
  });
}
