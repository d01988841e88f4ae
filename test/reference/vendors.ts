/**
 * One provider that speaks all four chat protocols, whole and streamed, and reports whatever a call's text asks it to:
 * `[reference 5 7 0 0 …]` names the counts. Written from the vendors' documentation; it imports nothing of the product.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Counted } from "./bill.ts";

type Json = Record<string, unknown>;

export const speeches = ["openai", "anthropic", "gemini", "responses"] as const;
export type Speech = (typeof speeches)[number];

/** What a vendor can count. */
export const counts: Record<Speech, (keyof Counted)[]> = {
  openai: ["input", "output", "cache_read", "audio_input", "audio_output", "tier"],
  anthropic: ["input", "output", "cache_read", "cache_write", "cache_write_1h", "web_searches", "tier"],
  gemini: ["input", "output", "cache_read"],
  responses: ["input", "output", "cache_read", "tier"],
};

/** The counts as words of a prompt. */
export const prompt = (counted: Counted) => `[reference ${btoa(JSON.stringify(counted))}]`;
/** The counts out of any body that carries the prompt. */
export const countedIn = (body: string): Counted => {
  const [, words = ""] = /\[reference ([\w+/=]+)\]/.exec(body.replaceAll("\\/", "/")) ?? [];
  return JSON.parse(atob(words)) as Counted;
};

/** Each vendor's usage. OpenAI and Google count what came from the cache among the input, Anthropic beside it. */
const usages: Record<Speech, (counted: Counted) => Json> = {
  openai: ({ input, output, cache_read, audio_input = 0, audio_output = 0 }) => ({
    prompt_tokens: input + cache_read,
    completion_tokens: output,
    total_tokens: input + cache_read + output,
    prompt_tokens_details: { cached_tokens: cache_read, audio_tokens: audio_input },
    completion_tokens_details: { audio_tokens: audio_output },
  }),
  anthropic: ({ input, output, cache_read, cache_write, cache_write_1h = 0, web_searches, tier }) => ({
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: cache_read,
    cache_creation_input_tokens: cache_write,
    cache_creation: {
      ephemeral_5m_input_tokens: cache_write - cache_write_1h,
      ephemeral_1h_input_tokens: cache_write_1h,
    },
    ...(web_searches ? { server_tool_use: { web_search_requests: web_searches } } : {}),
    ...(tier ? { service_tier: tier } : {}),
  }),
  gemini: ({ input, output, cache_read }) => ({
    promptTokenCount: input + cache_read,
    cachedContentTokenCount: cache_read,
    candidatesTokenCount: output - Math.floor(output / 3),
    thoughtsTokenCount: Math.floor(output / 3),
    totalTokenCount: input + cache_read + output,
  }),
  responses: ({ input, output, cache_read }) => ({
    input_tokens: input + cache_read,
    input_tokens_details: { cached_tokens: cache_read },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + cache_read + output,
  }),
};

const data = (item: Json) => `data: ${JSON.stringify(item)}\n\n`;
const event = (item: Json) => `event: ${item.type}\n${data(item)}`;

function openai(usage: Json, tier: Json, stream: boolean): Json | string[] {
  const head = { id: "c", object: "chat.completion", created: 1, model: "upstream", ...tier };
  const message = { role: "assistant", content: "Hi" };
  if (!stream) return { ...head, choices: [{ index: 0, message, finish_reason: "stop" }], usage };
  const chunk = { ...head, object: "chat.completion.chunk" };
  return [
    data({ ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] }),
    data({ ...chunk, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
    data({ ...chunk, choices: [], usage }),
    "data: [DONE]\n\n",
  ];
}

function anthropic(usage: Json, _tier: Json, stream: boolean): Json | string[] {
  const head = { id: "m", type: "message", role: "assistant", model: "upstream", stop_sequence: null };
  const text = { type: "text", text: "Hi" };
  if (!stream) return { ...head, content: [text], stop_reason: "end_turn", usage };
  return [
    {
      type: "message_start",
      message: { ...head, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: {
        output_tokens: usage.output_tokens,
        ...(usage.server_tool_use ? { server_tool_use: usage.server_tool_use } : {}),
      },
    },
    { type: "message_stop" },
  ].map(event);
}

function gemini(usageMetadata: Json, _tier: Json, stream: boolean): Json | string[] {
  const content = { role: "model", parts: [{ text: "Hi" }] };
  const answer = {
    responseId: "r",
    modelVersion: "upstream",
    candidates: [{ index: 0, content, finishReason: "STOP" }],
    usageMetadata,
  };
  return stream ? [data({ ...answer, candidates: [{ index: 0, content }] }), data(answer)] : answer;
}

function responses(usage: Json, tier: Json, stream: boolean): Json | string[] {
  const text = { type: "output_text", text: "Hi", annotations: [] };
  const item = { id: "i", type: "message", role: "assistant", status: "completed", content: [text] };
  const head = {
    id: "resp",
    object: "response",
    created_at: 1,
    model: "upstream",
    error: null,
    incomplete_details: null,
  };
  const done = { ...head, ...tier, status: "completed", output: [item], usage };
  if (!stream) return done;
  const at = { item_id: "i", output_index: 0, content_index: 0 };
  const created = { ...head, status: "in_progress", output: [], usage: null };
  return [
    { type: "response.created", response: created },
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { ...item, status: "in_progress", content: [] },
    },
    { type: "response.content_part.added", ...at, part: { ...text, text: "" } },
    { type: "response.output_text.delta", ...at, delta: "Hi" },
    { type: "response.output_text.done", ...at, text: "Hi" },
    { type: "response.content_part.done", ...at, part: text },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: done },
  ].map((each, sequence_number) => event({ ...each, sequence_number }));
}

const speakers = { openai, anthropic, gemini, responses };

/** What a vendor of this protocol says that used so much: JSON, or the frames of a stream. */
export function answerOf(speech: Speech, counted: Counted, stream: boolean): Json | string[] {
  const tier = counted.tier === undefined ? {} : { service_tier: counted.tier };
  return speakers[speech](usages[speech](counted), tier, stream);
}

const speechAt = (path: string): Speech => {
  if (path.endsWith("/chat/completions")) return "openai";
  if (path.endsWith("/messages")) return "anthropic";
  return path.endsWith("/responses") ? "responses" : "gemini";
};

/** Answers a request as its path's vendor would. */
export function answerAs(path: string, body: string, response: ServerResponse<IncomingMessage>): void {
  const stream = path.includes(":stream") || (JSON.parse(body) as Json).stream === true;
  const answer = answerOf(speechAt(path), countedIn(body), stream);
  const type = Array.isArray(answer) ? "text/event-stream" : "application/json";
  response.writeHead(200, { "content-type": type });
  response.end(Array.isArray(answer) ? answer.join("") : JSON.stringify(answer));
}
