/** Gemini's generate requests, to and from the neutral form (protocols.md §3.2, §6). */

import type { Fields } from "../../../../base/json/fields.ts";
import { asUserText } from "../../../chat/instructions.ts";
import { omitUndefined } from "../../../chat/omit-undefined.ts";
import type { ChatMessage, ChatRequest, DecodedRequest, EncodedRequest } from "../../../chat/request.ts";
import { waysIn } from "../../../chat/ways.ts";
import { wordless } from "../../../chat/wordless.ts";
import type { RequestTarget } from "../../crossing.ts";
import { fields } from "../fields.ts";
import { camelKeys } from "../names.ts";
import { tierSwitch } from "../switches.ts";
import { decodeConfig, encodeConfig } from "./config.ts";
import { decodeContents, decodeInstruction } from "./contents.ts";
import { portable } from "./native.ts";
import { encodeForProvider, encodeMedia, encodeResult, encodeText } from "./parts.ts";
import { unsigned } from "./signature.ts";
import { decodeToolConfig, decodeTools, encodeTools } from "./tools.ts";

/** A request in the neutral form, but for `stream`. Throws `invalid_request` where a loss changes its meaning. */
export function decodeRequest(given: Fields): DecodedRequest {
  const { body, native, dropped: left } = portable(camelKeys(given));
  const dropped = new Set<string>(left);
  fields.refuse(body);
  fields.drop(body, dropped);
  const request: ChatRequest = {
    system: decodeInstruction(body.systemInstruction, dropped),
    messages: decodeContents(body.contents, dropped),
    ...decodeToolConfig(body.toolConfig, decodeTools(body.tools, dropped), dropped),
    ...decodeConfig(body.generationConfig, dropped),
    ...omitUndefined({ ways: waysIn(tierSwitch(body)) }),
    stream: false,
  };
  return { request, dropped: [...dropped], ...(native.length > 0 && { native }) };
}

/** The body for a provider. `stream` is not in it: the path carries it (`upstreamPath`). */
export function encodeRequest(request: ChatRequest, { traits }: RequestTarget): EncodedRequest {
  const dropped = new Set<string>();
  if (request.user !== undefined) dropped.add("user");
  const system = request.system.flatMap(encodeText);
  const contents = encodeContents(request.messages, traits?.result_media !== false, dropped);
  const config = encodeConfig(request, dropped);
  const body = {
    contents,
    ...(system.length > 0 ? { systemInstruction: { parts: system } } : {}),
    ...encodeTools(request, dropped),
    ...(Object.keys(config).length > 0 ? { generationConfig: config } : {}),
  };
  return { body, dropped: [...dropped] };
}

interface Content {
  role: "user" | "model";
  parts: Fields[];
}

/** Merges turns of one role (protocols.md pitfall 15). Gemini wants a turn, and the first one to be the user's. */
function encodeContents(messages: ChatMessage[], nests: boolean, dropped: Set<string>): Content[] {
  const names = callNames(messages);
  const contents: Content[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "model" : "user";
    const parts = encodeParts(message, names, nests, dropped);
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else if (parts.length > 0) contents.push({ role, parts });
  }
  if (contents[0]?.role !== "user")
    contents.unshift({ role: "user", parts: wordless.parts.flatMap(encodeText) });
  for (const { parts } of contents) signFirstCall(parts);
  return contents.flatMap(resultsAlone);
}

/** A turn's results alone, and behind them a turn with the rest: newer models refuse a turn that has both. */
function resultsAlone(turn: Content): Content[] {
  const results = turn.parts.filter(isResult);
  if (results.length === 0 || results.length === turn.parts.length) return [turn];
  return [
    { ...turn, parts: results },
    { ...turn, parts: turn.parts.filter((part) => !isResult(part)) },
  ];
}

function isResult(part: Fields): boolean {
  return part.functionResponse !== undefined;
}

function encodeParts(
  message: ChatMessage,
  names: Map<string, string>,
  nests: boolean,
  dropped: Set<string>,
): Fields[] {
  if (message.role === "system") return encodeText(asUserText(message.parts));
  if (message.role === "assistant") {
    if (message.parts.some((part) => part.type === "reasoning" && part.redacted)) {
      dropped.add("messages.parts.redacted");
    }
    return message.parts.flatMap(encodeForProvider);
  }
  return message.parts.flatMap((part) => {
    if (part.type === "text") return encodeText(part);
    if (part.type === "tool_result") {
      return encodeResult(part, names.get(part.call_id) ?? part.name ?? part.call_id, nests);
    }
    if (part.name !== undefined) dropped.add("messages.parts.name");
    if (part.detail !== undefined) dropped.add("messages.parts.detail");
    return [encodeMedia(part)];
  });
}

/** The tools' names by the ids of their calls: a result must repeat the name (protocols.md §6.1). */
function callNames(messages: ChatMessage[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const { role, parts } of messages) {
    if (role !== "assistant") continue;
    for (const part of parts) if (part.type === "tool_call") names.set(part.id, part.name);
  }
  return names;
}

/** Gemini signs the first of parallel calls, and wants that signature back. Without one the call gets the sentinel. */
function signFirstCall(parts: Fields[]): void {
  const call = parts.find((part) => part.functionCall !== undefined);
  if (call) call.thoughtSignature ??= unsigned;
}
