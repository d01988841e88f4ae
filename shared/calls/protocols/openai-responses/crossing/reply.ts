/** Whole Responses replies and the neutral form, both ways (protocols.md §6.3 and §6.4). */

import { type Fields, isObject, objectsOf } from "../../../../base/json/fields.ts";
import { omitUndefined } from "../../../chat/omit-undefined.ts";
import type { ChatReply, ReplyUsage, StopReason } from "../../../chat/reply.ts";
import type { AssistantPart } from "../../../chat/request.ts";
import { counter, isReported } from "../../counters.ts";
import type { ReplyTarget } from "../../crossing.ts";
import { tierOf } from "../../openai-tier.ts";
import { readUsage } from "../pass-through/reply.ts";
import { endings } from "./ending.ts";
import { decodeCall, decodeReasoning } from "./items.ts";
import {
  callItem,
  contentPart,
  encodeUsage,
  itemId,
  messageItem,
  reasoningItem,
  responseObject,
  toolsOf,
} from "./output.ts";

/** The id without the protocol's prefix, and the second it was made in. */
export function decodeIdentity(response: Fields): Pick<ChatReply, "id" | "created"> {
  const id = typeof response.id === "string" ? response.id : "";
  return { id: id.replace(/^resp_/, ""), created: counter(response.created_at) };
}

/** A whole response, texts joined, without items of the provider's tools. Throws `TypeError` where it is none. */
export function decodeReply(response: Fields): ChatReply {
  if (!Array.isArray(response.output)) throw new TypeError("a response without output");
  const parts: AssistantPart[] = [];
  let refusal: string | undefined;
  for (const item of objectsOf(response.output)) {
    if (item.type === "reasoning") parts.push(...decodeReasoning(item));
    else if (item.type === "function_call") parts.push(readCall(item));
    else if (item.type === "message") {
      for (const part of objectsOf(item.content)) {
        if (typeof part.text === "string") addText(parts, part.text);
        if (typeof part.refusal === "string") refusal = (refusal ?? "") + part.refusal;
      }
    }
  }
  const called = parts.some(({ type }) => type === "tool_call");
  return omitUndefined({
    ...decodeIdentity(response),
    parts,
    refusal,
    stop_reason: decodeStop(response, called),
    usage: decodeUsage(response.usage),
  });
}

/** A call of the provider; one without id or name is no reply of the protocol, and not the client's fault. */
function readCall(item: Fields): AssistantPart {
  if (typeof item.call_id !== "string" || typeof item.name !== "string") {
    throw new TypeError("a function call without id or name");
  }
  return decodeCall(item, "output");
}

function addText(parts: AssistantPart[], text: string): void {
  const last = parts.at(-1);
  if (last?.type === "text") last.text += text;
  else if (text !== "") parts.push({ type: "text", text });
}

/** Why a response ended. An incomplete one met a limit, unless it met the content filter. */
export function decodeStop(response: Fields, called: boolean): StopReason {
  if (response.status === "incomplete") {
    const details = response.incomplete_details;
    return isObject(details) && details.reason === "content_filter" ? "refusal" : "length";
  }
  return called ? "tool_calls" : "stop";
}

/** The four counters with the reasoning that is part of the output, or undefined when none is reported. */
export function decodeUsage(value: unknown): ReplyUsage | undefined {
  const usage = readUsage(value);
  const details = isObject(value) ? value.output_tokens_details : undefined;
  if (!usage || !isObject(details) || !isReported(details.reasoning_tokens)) return usage;
  return { ...usage, reasoning_tokens: counter(details.reasoning_tokens) };
}

/** A neutral reply as whole response. Texts beside each other, and the refusal, stand in one message. */
export function encodeReply(reply: ChatReply, target: ReplyTarget): Fields {
  const ending = endings[reply.stop_reason];
  const own = toolsOf(target);
  const output: Fields[] = [];
  const addContent = (content: Fields): void => {
    const last = output.at(-1);
    if (last?.type === "message") (last.content as Fields[]).push(content);
    else output.push(messageItem(itemId("msg", reply.id, output.length), [content], "completed"));
  };
  for (const part of reply.parts) {
    if (part.type === "text") addContent(contentPart("output_text", part.text));
    else if (part.type === "tool_call") {
      output.push(callItem(itemId("fc", reply.id, output.length), part, "completed", own));
    } else output.push(reasoningItem(itemId("rs", reply.id, output.length), part, target.unsigned));
  }
  if (reply.refusal !== undefined) addContent(contentPart("refusal", reply.refusal));
  // A message at the end was cut off with the reply.
  const last = output.at(-1);
  if (last?.type === "message") last.status = ending.status;
  return responseObject(reply, target, {
    ...ending,
    output,
    ...tierOf(reply.usage),
    usage: encodeUsage(reply.usage),
  });
}
