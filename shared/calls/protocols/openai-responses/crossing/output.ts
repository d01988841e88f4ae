/** Output items and the response object around them, as whole replies and streams write them (protocols.md §1.6). */

import { type Fields, isObject } from "../../../../base/json/fields.ts";
import { omitUndefined } from "../../../chat/omit-undefined.ts";
import type { ChatReply, ReplyUsage } from "../../../chat/reply.ts";
import type { ReasoningPart, ToolCallPart } from "../../../chat/request.ts";
import type { ReplyTarget } from "../../crossing.ts";
import { signedMembers } from "../../openai-tools.ts";
import type { OwnTools } from "../../own-tools.ts";
import { gatherTools } from "../given-tools.ts";
import { encodeReasoning } from "./items.ts";
import { callMembers, isPortable, readOwnTools } from "./own-tools.ts";

export type ItemStatus = "in_progress" | "completed" | "incomplete";
export type ContentType = "output_text" | "refusal";

/** An item's id: stable through the stream, and the same in the whole reply. */
export function itemId(prefix: "msg" | "fc" | "rs", reply: string, index: number): string {
  return `${prefix}_${reply}_${index}`;
}

export function contentPart(type: ContentType, text: string): Fields {
  return type === "refusal" ? { type, refusal: text } : { type, text, annotations: [], logprobs: [] };
}

/** Where an item stands; every event about it repeats this. */
export interface ItemPlace {
  item_id: string;
  output_index: number;
}

export function summaryPart(text: string): Fields {
  return { type: "summary_text", text };
}

export function summaryPlace({ item_id, output_index }: ItemPlace): Fields {
  return { item_id, output_index, summary_index: 0 };
}

export function messageItem(id: string, content: Fields[], status: ItemStatus): Fields {
  return { id, type: "message", status, role: "assistant", content };
}

export function callItem(
  id: string,
  call: Pick<ToolCallPart, "id" | "name" | "arguments" | "signature">,
  status: ItemStatus,
  own: OwnTools,
): Fields {
  return { id, status, call_id: call.id, ...callMembers(call, own), ...signedMembers(call.signature) };
}

/** The tools of the client's own request, by which its calls are written. */
export function toolsOf({ request }: ReplyTarget): OwnTools {
  const { tools } = gatherTools(request).body;
  return readOwnTools(Array.isArray(tools) ? tools.filter((tool) => isObject(tool) && isPortable(tool)) : []);
}

/** A reasoning item for a client. Where nothing is encrypted, `unsigned` stands in its place. */
export function reasoningItem(id: string, part: ReasoningPart, unsigned: string | undefined): Fields {
  return { id, ...encodeReasoning(omitUndefined({ ...part, signature: part.signature ?? unsigned })) };
}

/** Usage as the protocol counts: the cache is part of the input. Null where none was reported. */
export function encodeUsage(usage: ReplyUsage | undefined): Fields | null {
  if (!usage) return null;
  const input_tokens = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
  return {
    input_tokens,
    input_tokens_details: {
      cached_tokens: usage.cache_read_tokens,
      cache_write_tokens: usage.cache_write_tokens,
    },
    output_tokens: usage.output_tokens,
    output_tokens_details: { reasoning_tokens: usage.reasoning_tokens ?? 0 },
    total_tokens: input_tokens + usage.output_tokens,
  };
}

/** What a response repeats of its request, with what stands there when the request is silent. */
const repeated: Fields = {
  instructions: null,
  max_output_tokens: null,
  metadata: {},
  parallel_tool_calls: true,
  reasoning: { effort: null, summary: null },
  temperature: null,
  text: { format: { type: "text" } },
  tool_choice: "auto",
  tools: [],
  top_p: null,
  user: null,
};

/** A response object; `changing` is what differs between its states. */
export function responseObject(
  { id, created }: Pick<ChatReply, "id" | "created">,
  { model, request }: ReplyTarget,
  changing: { status: string; output: Fields[] } & Fields,
): Fields {
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: created,
    error: null,
    incomplete_details: null,
    model,
    ...Object.fromEntries(Object.entries(repeated).map(([name, silent]) => [name, request[name] ?? silent])),
    background: false,
    previous_response_id: null,
    store: false,
    truncation: "disabled",
    usage: null,
    ...changing,
  };
}
