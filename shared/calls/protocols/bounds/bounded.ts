/** A request in the neutral form as the vendors of a protocol take its names, ids, texts and schemas (crossings.md "Bounds"). */
import { hash } from "node:crypto";
import { GatewayError } from "../../../base/errors.ts";
import { mapItems } from "../../../base/json/map-items.ts";
import type { Traits } from "../../../books/catalog/traits.ts";
import { withKnownType } from "../../chat/media.ts";
import type {
  AssistantPart,
  ChatMessage,
  ChatRequest,
  OutputFormat,
  Tool,
  UserPart,
} from "../../chat/request.ts";
import { wordless } from "../../chat/wordless.ts";
import type { Back } from "./answers.ts";
import { type CallIds, callIdsOf, withCalledTools } from "./calls.ts";
import { withWords } from "./files.ts";
import { type BoundedNames, nameIn, namesIn } from "./names.ts";
import { closed, schemaIn, strictened } from "./schemas.ts";
import type { ProtocolBounds } from "./table.ts";

export interface BoundedRequest {
  request: ChatRequest;
  /** Names of what was lost. */
  dropped: string[];
  /** How the answer finds back to what the client asked. */
  back: Back;
}

/** The request within the bounds. Throws `invalid_request` for an answer's schema that the protocol has no form for. */
export function bounded(given: ChatRequest, bounds: ProtocolBounds, traits: Traits): BoundedRequest {
  const dropped = new Set<string>();
  const request = whole(given, bounds, traits);
  const names = namesIn(bounds.name, namesOf(request));
  const stop = stopsTaken(given.stop, bounds, traits);
  const cut = stop.length < given.stop.length ? given.stop : [];
  const back: Back = { names, optional: new Map(), answer: new Set(), stops: cut };
  const tools = onceEach(request.tools, bounds, dropped).map((tool) => {
    const shaped = shapedTool(tool, bounds, back.optional, dropped);
    return names.changed ? { ...shaped, name: names.there(tool.name) } : shaped;
  });
  const next: ChatRequest = {
    ...request,
    stop,
    tools,
    messages: boundedTurns(request.messages, names, callIdsOf(bounds, traits), bounds.pdf_files === true),
  };
  const { user, format, tool_choice: choice } = request;
  if (choice?.type === "tool") next.tool_choice = { ...choice, name: names.there(choice.name) };
  if (user !== undefined) next.user = shortUser(user, bounds.user_chars);
  if (format?.type === "json_schema") {
    const { optional, ...shaped } = shapedFormat(format, bounds, dropped);
    if (optional) back.answer = optional;
    next.format = shaped;
  }
  return { request: next, dropped: [...dropped], back };
}

/** The conversation as the vendor wants the whole of it. */
function whole(given: ChatRequest, bounds: ProtocolBounds, { prefill }: Traits): ChatRequest {
  const request = bounds.spoken_texts ? spoken(given) : given;
  const last = request.messages.findLast(({ parts }) => parts.length > 0);
  const isBegun = prefill === false && last?.role === "assistant";
  const followed = isBegun ? { ...request, messages: [...request.messages, wordless] } : request;
  return bounds.called_tools ? withCalledTools(followed) : followed;
}

function namesOf({ tools, messages, tool_choice: choice }: ChatRequest): string[] {
  const names = tools.map(({ name }) => name);
  if (choice?.type === "tool") names.push(choice.name);
  for (const { parts } of messages) {
    for (const part of parts) {
      const isNamed = part.type === "tool_call" || part.type === "tool_result";
      if (isNamed && part.name !== undefined) names.push(part.name);
    }
  }
  return names;
}

/** The first tool of each name, where a vendor takes a name once. Two that are alike are one. */
function onceEach(tools: Tool[], { unique_tools }: ProtocolBounds, dropped: Set<string>): Tool[] {
  if (!unique_tools) return tools;
  if (new Set(tools.map(({ name }) => name)).size === tools.length) return tools;
  const first = new Map<string, Tool>();
  for (const tool of tools) {
    const known = first.get(tool.name);
    if (!known) first.set(tool.name, tool);
    else if (JSON.stringify(known) !== JSON.stringify(tool)) dropped.add(`tools.${tool.name}`);
  }
  return [...first.values()];
}

/**
 * A tool with a schema that is taken. A strictness that is lost is named. Members that become nullable go into
 * `optional`, by the name of their tool.
 */
function shapedTool(
  tool: Tool,
  { schema: form, strict }: ProtocolBounds,
  optional: Map<string, ReadonlySet<string>>,
  dropped: Set<string>,
): Tool {
  const isStrict = tool.strict === true && strict !== undefined;
  if (!tool.parameters && !isStrict) return tool;
  const given = tool.parameters ?? { type: "object", properties: {} };
  const parameters = schemaIn(form, given, dropped);
  if (!isStrict) return parameters === tool.parameters ? tool : { ...tool, parameters };
  if (strict === "closed") return { ...tool, parameters: closed(parameters) };
  const held = strictened(parameters, dropped);
  if (held) {
    if (held.optional.size > 0) optional.set(tool.name, held.optional);
    return { ...tool, parameters: held.schema };
  }
  dropped.add("tools.strict");
  return { ...tool, parameters, strict: false };
}

type SchemaFormat = Extract<OutputFormat, { type: "json_schema" }>;
type Optional = { optional?: ReadonlySet<string> };

function shapedFormat(
  format: SchemaFormat,
  bounds: ProtocolBounds,
  dropped: Set<string>,
): SchemaFormat & Optional {
  const named = { ...format, name: nameIn(bounds.name, format.name) };
  if (bounds.strict !== "all_required") return named;
  if (format.schema.type !== "object") throw notAnObject();
  if (format.strict !== true) return named;
  const held = strictened(format.schema, dropped);
  if (held) return { ...named, schema: held.schema, optional: held.optional };
  dropped.add("format.strict");
  return { ...named, strict: false };
}

function notAnObject(): GatewayError {
  const message = "This model answers by a schema only if the root of the schema has the type `object`.";
  return new GatewayError("invalid_request", { message, param: "format.schema.type" });
}

function boundedTurns(
  messages: ChatMessage[],
  names: BoundedNames,
  ids: CallIds,
  hasPdfsAlone: boolean,
): ChatMessage[] {
  const known = <Part extends UserPart>(part: Part) =>
    hasPdfsAlone ? withWords(withKnownType(part)) : withKnownType(part);
  const call = (part: AssistantPart): AssistantPart => {
    if (part.type !== "tool_call") return part;
    const [id, name] = [ids.called(part.id), names.there(part.name)];
    return id === part.id && name === part.name ? part : { ...part, id, name };
  };
  const told = (part: UserPart): UserPart => {
    if (part.type !== "tool_result") return known(part);
    const call_id = ids.answered(part.call_id);
    const name = part.name === undefined ? undefined : names.there(part.name);
    const content = mapItems(part.content, known);
    const isSame = call_id === part.call_id && name === part.name && content === part.content;
    return isSame ? part : { ...part, call_id, content, ...(name !== undefined && { name }) };
  };
  const withParts = <Message extends ChatMessage>(message: Message, parts: Message["parts"]) =>
    parts === message.parts ? message : { ...message, parts };
  return mapItems(messages, (message): ChatMessage => {
    if (message.role === "system") return message;
    if (message.role === "user") return withParts(message, mapItems(message.parts, told));
    return withParts(message, mapItems(message.parts, call));
  });
}

const hasWords = (text: string) => text.trim() !== "";
const isWordless = (part: UserPart | AssistantPart) => part.type === "text" && !hasWords(part.text);

/** A turn without texts that say nothing. Undefined where nothing else was in it. */
function spokenTurn(message: ChatMessage): ChatMessage | undefined {
  const given: (UserPart | AssistantPart)[] = message.parts;
  if (!given.some(isWordless)) return message;
  const parts = given.filter((part) => !isWordless(part));
  return parts.length > 0 ? ({ ...message, parts } as ChatMessage) : undefined;
}

/** The request without empty texts, and without the space at the end of a last turn that begins the answer. */
function spoken(request: ChatRequest): ChatRequest {
  const messages = request.messages.flatMap((message) => spokenTurn(message) ?? []);
  const last = messages.at(-1);
  const end = last?.parts.at(-1);
  if (last?.role === "assistant" && end?.type === "text") {
    const parts = [...last.parts.slice(0, -1), { ...end, text: end.text.trimEnd() }];
    messages.splice(-1, 1, { ...last, parts });
  }
  const system = request.system.filter(({ text }) => hasWords(text));
  return { ...request, system, messages };
}

/** The stop sequences that the model takes. Where it does not take all, the gateway cuts the answer at them. */
function stopsTaken(
  stops: string[],
  { stops_most, spoken_texts }: ProtocolBounds,
  { stop_max }: Traits,
): string[] {
  const written = spoken_texts ? stops.filter(hasWords) : stops;
  return written.slice(0, stops_most === 0 ? 0 : (stop_max ?? stops_most));
}

/** The end user in at most so many characters. A longer name becomes its digest, so that vendors tell users apart. */
function shortUser(user: string, most = Number.POSITIVE_INFINITY): string {
  return [...user].length <= most ? user : `user_${hash("sha256", user, "base64url")}`;
}
