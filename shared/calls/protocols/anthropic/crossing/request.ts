/** Anthropic requests as neutral requests and back (protocols.md §2.2, §6.1 and §6.2). */

import { type Fields, invalidField, isObject, optionalString } from "../../../../base/json/fields.ts";
import { asUserText, instruct } from "../../../chat/instructions.ts";
import { omitUndefined } from "../../../chat/omit-undefined.ts";
import type {
  ChatMessage,
  ChatRequest,
  DecodedRequest,
  EncodedRequest,
  UserPart,
} from "../../../chat/request.ts";
import { waysIn } from "../../../chat/ways.ts";
import { wordless } from "../../../chat/wordless.ts";
import type { RequestTarget } from "../../crossing.ts";
import { nameUncarried } from "../../dropped.ts";
import { waySwitch } from "../../switches.ts";
import { fields } from "../fields.ts";
import {
  decodeAssistantContent,
  decodeSystemContent,
  decodeUserContent,
  encodeText,
  encodeThinking,
  encodeToolUse,
  encodeUserPart,
} from "./blocks.ts";
import { withCachePoints } from "./cache-points.ts";
import { compacted } from "./compaction.ts";
import { portable } from "./native.ts";
import { decodeFormat, decodeReasoning, encodeFormat, encodeReasoning } from "./thinking.ts";
import { encodeToolId } from "./tool-calls.ts";
import { decodeToolChoice, decodeTools, encodeToolChoice, encodeTools } from "./tools.ts";

/** A client's body as a neutral request. Throws `invalid_request` where a loss would change what it means. */
export function decodeRequest(given: Fields): DecodedRequest {
  const { body, native, dropped: left } = portable(given);
  fields.refuse(body);
  const dropped = new Set<string>(left);
  fields.drop(body, dropped);
  const request: ChatRequest = {
    ...decodeConversation(body, dropped),
    tools: decodeTools(body, dropped),
    ...decodeToolChoice(body),
    stop: fields.read(body, "stop_sequences"),
    stream: body.stream === true,
    ...omitUndefined({
      max_output_tokens: fields.read(body, "max_tokens"),
      temperature: fields.read(body, "temperature"),
      top_p: fields.read(body, "top_p"),
      top_k: fields.read(body, "top_k"),
      format: decodeFormat(body, dropped),
      reasoning: decodeReasoning(body, dropped),
      user: decodeUser(body.metadata, dropped),
      ways: waysIn([...waySwitch(body, "service_tier"), ...waySwitch(body, "speed")]),
    }),
  };
  return { request, dropped: [...dropped], ...(native.length > 0 && { native }) };
}

/** The system instructions, and the turns that are not empty. Instructions between turns stay in place. */
function decodeConversation(body: Fields, dropped: Set<string>): Pick<ChatRequest, "system" | "messages"> {
  const system = decodeSystemContent(body.system ?? [], "system", dropped);
  const messages: ChatMessage[] = [];
  const turns = fields.read(body, "messages");
  const left = compacted(turns);
  const gone = turns.length - left.length;
  if (left !== turns) dropped.add("messages.content.compaction");
  for (const [index, message] of left.entries()) {
    const at = `messages[${index + gone}]`;
    if (!isObject(message)) throw invalidField(at, "an object");
    const content = message.content;
    const where = `${at}.content`;
    switch (message.role) {
      case "user":
        messages.push({ role: "user", parts: decodeUserContent(content, where, dropped) });
        break;
      case "assistant":
        messages.push({ role: "assistant", parts: decodeAssistantContent(content, where, dropped) });
        break;
      case "system":
        instruct({ system, messages }, decodeSystemContent(content, where, dropped));
        break;
      default:
        throw invalidField(`${at}.role`, "user, assistant or system");
    }
  }
  return { system, messages: messages.filter(({ parts }) => parts.length > 0) };
}

function decodeUser(metadata: unknown, dropped: Set<string>): string | undefined {
  if (!isObject(metadata)) return undefined;
  nameUncarried(metadata, fields.rows.metadata.members, "metadata", dropped);
  return optionalString(metadata, "user_id");
}

/** A neutral request as a body. `max_tokens` is required: the client's maximum, or the model's if lower or alone. */
export function encodeRequest(request: ChatRequest, target: RequestTarget): EncodedRequest {
  const dropped = new Set<string>();
  const max_tokens = Math.min(request.max_output_tokens ?? target.output_tokens, target.output_tokens);
  const { thinking, effort } = encodeReasoning(request, max_tokens, dropped, target.traits);
  const config = omitUndefined({ effort, format: encodeFormat(request.format, dropped) });
  const system = request.system.flatMap(encodeText);
  const body = {
    model: target.model,
    max_tokens,
    ...(system.length > 0 ? { system } : {}),
    messages: encodeMessages(request.messages, target.traits?.system_turns === true, dropped),
    ...(request.tools.length > 0 ? { tools: encodeTools(request.tools) } : {}),
    ...(request.stop.length > 0 ? { stop_sequences: request.stop } : {}),
    ...(Object.keys(config).length > 0 ? { output_config: config } : {}),
    ...(request.user === undefined ? {} : { metadata: { user_id: request.user } }),
    ...omitUndefined({ tool_choice: encodeToolChoice(request, dropped), thinking }),
    ...encodeSampling(request, thinking !== undefined && thinking.type !== "disabled", target, dropped),
    stream: request.stream,
  };
  if (request.seed !== undefined) dropped.add("seed");
  return { body: withCachePoints(body, target.places_points), dropped: [...dropped] };
}

/** A temperature above 1 becomes 1. A model that thinks takes no sampling, unless its traits say more (`fit.ts`). */
function encodeSampling(
  request: ChatRequest,
  thinks: boolean,
  { traits }: RequestTarget,
  dropped: Set<string>,
): Fields {
  const { temperature, top_p, top_k } = request;
  const sampling = omitUndefined({ temperature, top_p, top_k });
  if (thinks && !traits?.sampling && traits?.reasoning?.forms.length !== 0) {
    for (const name of Object.keys(sampling)) dropped.add(name);
    return {};
  }
  if (temperature === undefined || temperature <= 1) return sampling;
  dropped.add("temperature");
  return { ...sampling, temperature: 1 };
}

interface Turn {
  role: ChatMessage["role"];
  content: Fields[];
}

/** Turns, merged by role: all results of one in one message (pitfall 15). `takesSystem`: instructions may be one. */
function encodeMessages(messages: ChatMessage[], takesSystem: boolean, dropped: Set<string>): Fields[] {
  const turns: Turn[] = [];
  for (const [at, message] of messages.entries()) {
    const next = messages[at + 1]?.role ?? "assistant";
    const isOwn = takesSystem && turns.at(-1)?.role === "user" && next === "assistant";
    const role = message.role === "system" && !isOwn ? "user" : message.role;
    const content = encodeContent(message, role, dropped);
    const last = turns.at(-1);
    if (content.length === 0) continue;
    if (last?.role === role) last.content.push(...content);
    else turns.push({ role, content });
  }
  const merged = turns.map(({ role, content }) => ({ role, content: resultsFirst(content) }));
  // Anthropic wants the first turn to be the user's.
  if (merged[0]?.role !== "user")
    merged.unshift({ role: "user", content: wordless.parts.flatMap(encodeText) });
  return merged;
}

function encodeContent(message: ChatMessage, role: ChatMessage["role"], dropped: Set<string>): Fields[] {
  if (message.role === "user") {
    return message.parts.flatMap((part: UserPart) => encodeUserPart(part, dropped));
  }
  if (message.role === "system") {
    return (role === "system" ? message.parts : [asUserText(message.parts)]).flatMap(encodeText);
  }
  return message.parts.flatMap((part) => {
    switch (part.type) {
      case "text":
        return encodeText(part);
      case "reasoning":
        // Anthropic takes back only reasoning that it has signed.
        if (part.signature) return [encodeThinking(part)];
        dropped.add("messages.parts.reasoning");
        return [];
      case "tool_call":
        if (part.signature !== undefined) dropped.add("messages.parts.signature");
        return [encodeToolUse(part, encodeToolId(part.id))];
      default:
        return part satisfies never;
    }
  });
}

/** Results answer the calls of the turn before and must come before anything else is said. */
function resultsFirst(content: Fields[]): Fields[] {
  const isResult = (block: Fields) => block.type === "tool_result";
  return [...content.filter(isResult), ...content.filter((block) => !isResult(block))];
}
