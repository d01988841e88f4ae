/**
 * Streams of each chat protocol that stop in the middle, written from the documentation of the vendors
 * (protocols.md §1–3). Each has a thought, a text that is long enough for a strict call to need its next step, and
 * a tool call that has only begun. Gemini gives calls whole, so its stream ends with the text.
 */
import { setImmediate as turn } from "node:timers/promises";
import { limits } from "#shared/base/limits.ts";
import type { Extension } from "#shared/books/meters/admission.ts";
import { framesOf, modelOf, type Speech, speeches } from "./crossed.ts";
import type { Memory } from "./memory.ts";
import { sse } from "./scenario.ts";
import type { Upstream } from "./upstream.ts";

type Json = Record<string, unknown>;

export const thought = "Hm.";
/** More than the part of a step after which the next one is asked for, by the estimate of 3 bytes a token. */
export const text = `${"x".repeat(limits.strictStepTokens * 3 * 0.85)} END`;
export const begun = '{"city":"Par';

const chunk = (delta: Json, index = 0): Json => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "upstream",
  choices: [{ index, delta, finish_reason: null }],
});
const block = (index: number, content_block: Json, ...deltas: Json[]): Json[] => [
  { type: "content_block_start", index, content_block },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
];
const candidate = (part: Json, index = 0): Json => ({
  candidates: [{ index, content: { role: "model", parts: [part] } }],
  modelVersion: "upstream",
  responseId: "r1",
});

const message = { id: "msg_1", type: "message", role: "assistant", model: "upstream", content: [] };
const response = { id: "resp_1", object: "response", created_at: 1, model: "upstream", tools: [] };
const inProgress = { ...response, status: "in_progress", incomplete_details: null, output: [], usage: null };
const summary = { item_id: "rs_1", output_index: 0, summary_index: 0 };
const content = { item_id: "msg_1", output_index: 1, content_index: 0 };
const call = { id: "fc_1", type: "function_call", call_id: "call_1", name: "weather", arguments: "" };
const saying = { id: "msg_1", type: "message", role: "assistant", status: "in_progress", content: [] };
const said = { type: "output_text", text, annotations: [], logprobs: [] };
const summaryText = (told: string) => ({ type: "summary_text", text: told });

export const unfinished: Record<Speech, Json[]> = {
  openai: [
    chunk({ role: "assistant", content: "" }),
    chunk({ reasoning_content: thought }),
    chunk({ content: text }),
    chunk({
      tool_calls: [
        { index: 0, id: "call_1", type: "function", function: { name: "weather", arguments: begun } },
      ],
    }),
  ],
  anthropic: [
    {
      type: "message_start",
      message: { ...message, stop_reason: null, usage: { input_tokens: 9, output_tokens: 1 } },
    },
    ...block(
      0,
      { type: "thinking", thinking: "", signature: "" },
      { type: "thinking_delta", thinking: thought },
      { type: "signature_delta", signature: "c2ln" },
    ),
    { type: "content_block_stop", index: 0 },
    ...block(1, { type: "text", text: "" }, { type: "text_delta", text }),
    { type: "content_block_stop", index: 1 },
    ...block(
      2,
      { type: "tool_use", id: "toolu_1", name: "weather", input: {} },
      { type: "input_json_delta", partial_json: begun },
    ),
  ],
  gemini: [candidate({ text: thought, thought: true }), candidate({ text })],
  responses: [
    { type: "response.created", response: inProgress },
    { type: "response.in_progress", response: inProgress },
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { id: "rs_1", type: "reasoning", summary: [] },
    },
    { type: "response.reasoning_summary_part.added", ...summary, part: summaryText("") },
    { type: "response.reasoning_summary_text.delta", ...summary, delta: thought },
    { type: "response.reasoning_summary_text.done", ...summary, text: thought },
    { type: "response.reasoning_summary_part.done", ...summary, part: summaryText(thought) },
    {
      type: "response.output_item.done",
      output_index: 0,
      item: { id: "rs_1", type: "reasoning", summary: [summaryText(thought)] },
    },
    { type: "response.output_item.added", output_index: 1, item: saying },
    {
      type: "response.content_part.added",
      ...content,
      part: { type: "output_text", text: "", annotations: [], logprobs: [] },
    },
    { type: "response.output_text.delta", ...content, delta: text },
    { type: "response.output_text.done", ...content, text, logprobs: [] },
    { type: "response.content_part.done", ...content, part: said },
    {
      type: "response.output_item.done",
      output_index: 1,
      item: { ...saying, status: "completed", content: [said] },
    },
    { type: "response.output_item.added", output_index: 2, item: { ...call, status: "in_progress" } },
    { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 2, delta: begun },
  ].map((event, sequence_number) => ({ ...event, sequence_number })),
};

/** The same, without what follows the text: that is still open. */
export function untilText(speech: Speech): Json[] {
  const items = unfinished[speech];
  return items.slice(0, items.findIndex((item) => JSON.stringify(item).includes(text)) + 1);
}

/** Two answers side by side, the first of which comes to its own end. */
export const twoAnswers = {
  openai: [
    chunk({ role: "assistant", content: "One" }),
    chunk({ role: "assistant", content: "Two" }, 1),
    { ...chunk({}), choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    chunk({ content: text }, 1),
  ],
  gemini: [
    candidate({ text: "One" }),
    candidate({ text: "Two" }, 1),
    {
      ...candidate({}),
      candidates: [{ index: 0, content: { parts: [{ text: "" }] }, finishReason: "STOP" }],
    },
    candidate({ text }, 1),
  ],
};

/**
 * Lets the provider begin such a stream and then fall silent. The meter refuses the next step, but only after the
 * client has received `last`: the caller reports that by `onChunk`.
 */
export function stopAfter(
  { upstream, memory }: { upstream: Upstream; memory: Memory },
  speech: Speech,
  items: Json[],
  last: string,
  message?: string,
): { frames: string; onChunk: (chunk: Buffer) => void } {
  const frames = framesOf(speech, items).join("");
  const told = Promise.withResolvers<void>();
  let seen = "";
  const { catalog } = memory.deps;
  for (const id of ["test/model-1", ...speeches.map(modelOf)]) {
    Object.assign(catalog.find(id) ?? {}, { strict: true });
  }
  upstream.on((_, response) => response.writeHead(200, sse).write(frames));
  memory.extension = async (): Promise<Extension> => {
    await told.promise;
    await turn();
    return { extended: false, error: "insufficient_balance", ...(message !== undefined && { message }) };
  };
  return {
    frames,
    onChunk(chunk) {
      seen += chunk.toString();
      if (seen.includes(last)) told.resolve();
    },
  };
}
