/**
 * One rich answer of each chat protocol, whole and as a stream: reasoning, text, a call, a cached prompt
 * (protocols.md §1–3).
 */
import type { Speech } from "./crossed.ts";

type Json = Record<string, unknown>;

const toolCall = { id: "call_1", type: "function", function: { name: "now", arguments: '{"zone":"utc"}' } };
const chatUsage = {
  prompt_tokens: 30,
  completion_tokens: 7,
  total_tokens: 37,
  prompt_tokens_details: { cached_tokens: 10 },
  completion_tokens_details: { reasoning_tokens: 3 },
};
const choice = (part: Json, finish_reason: string | null = null) => [{ index: 0, ...part, finish_reason }];
const chunk = (delta: Json, finish_reason: string | null = null): Json => ({
  id: "c",
  object: "chat.completion.chunk",
  created: 1,
  model: "upstream",
  choices: choice({ delta }, finish_reason),
});

const messageUsage = {
  input_tokens: 20,
  cache_read_input_tokens: 10,
  cache_creation_input_tokens: 0,
  output_tokens: 7,
};
const message = { id: "msg_1", type: "message", role: "assistant", model: "upstream", stop_sequence: null };
const blocks: { block: Json; opened: Json; deltas: Json[] }[] = [
  {
    block: { type: "thinking", thinking: "Hm.", signature: "c2ln" },
    opened: { type: "thinking", thinking: "", signature: "" },
    deltas: [
      { type: "thinking_delta", thinking: "Hm." },
      { type: "signature_delta", signature: "c2ln" },
    ],
  },
  {
    block: { type: "text", text: "Hello" },
    opened: { type: "text", text: "" },
    deltas: [{ type: "text_delta", text: "Hello" }],
  },
  {
    block: { type: "tool_use", id: "toolu_1", name: "now", input: { zone: "utc" } },
    opened: { type: "tool_use", id: "toolu_1", name: "now", input: {} },
    deltas: [{ type: "input_json_delta", partial_json: '{"zone":"utc"}' }],
  },
];

const candidate = (parts: Json[], finishReason?: string): Json => ({
  responseId: "r",
  modelVersion: "upstream",
  candidates: [{ index: 0, content: { role: "model", parts }, ...(finishReason ? { finishReason } : {}) }],
  usageMetadata: {
    promptTokenCount: 30,
    cachedContentTokenCount: 10,
    candidatesTokenCount: 4,
    thoughtsTokenCount: 3,
    totalTokenCount: 37,
  },
});
const geminiParts: Json[] = [
  { text: "Hm.", thought: true },
  { text: "Hello" },
  { functionCall: { id: "f1", name: "now", args: { zone: "utc" } }, thoughtSignature: "c2ln" },
];

const text = { type: "output_text", text: "Hello", annotations: [] };
const output: Json[] = [
  { id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }] },
  { id: "msg_1", type: "message", role: "assistant", status: "completed", content: [text] },
  {
    id: "fc_1",
    type: "function_call",
    call_id: "call_1",
    name: "now",
    arguments: '{"zone":"utc"}',
    status: "completed",
  },
];
const [reasoningItem, messageItem, callItem] = output;
const response = (status: string, items: Json[]): Json => ({
  id: "resp_1",
  object: "response",
  created_at: 1,
  status,
  model: "upstream",
  output: items,
  error: null,
  incomplete_details: null,
});
const completed: Json = {
  ...response("completed", output),
  usage: {
    input_tokens: 30,
    input_tokens_details: { cached_tokens: 10 },
    output_tokens: 7,
    output_tokens_details: { reasoning_tokens: 3 },
    total_tokens: 37,
  },
};
const part = { item_id: "msg_1", output_index: 1, content_index: 0 };
const summary = { item_id: "rs_1", output_index: 0, summary_index: 0 };

export const wholeAnswers: Record<Speech, Json> = {
  openai: {
    id: "c",
    object: "chat.completion",
    created: 1,
    model: "upstream",
    choices: choice(
      {
        message: {
          role: "assistant",
          content: "Hello",
          reasoning_content: "Hm.",
          tool_calls: [toolCall],
        },
      },
      "tool_calls",
    ),
    usage: chatUsage,
  },
  anthropic: {
    ...message,
    content: blocks.map(({ block }) => block),
    stop_reason: "tool_use",
    usage: messageUsage,
  },
  gemini: candidate(geminiParts, "STOP"),
  responses: completed,
};

export const streamAnswers: Record<Speech, Json[]> = {
  openai: [
    chunk({ role: "assistant", content: "" }),
    chunk({ reasoning_content: "Hm." }),
    chunk({ content: "Hello" }),
    chunk({ tool_calls: [{ index: 0, ...toolCall }] }),
    chunk({}, "tool_calls"),
    { ...chunk({}), choices: [], usage: chatUsage },
  ],
  anthropic: [
    {
      type: "message_start",
      message: { ...message, content: [], stop_reason: null, usage: { ...messageUsage, output_tokens: 1 } },
    },
    ...blocks.flatMap(({ opened, deltas }, index): Json[] => [
      { type: "content_block_start", index, content_block: opened },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    {
      type: "message_delta",
      delta: { stop_reason: "tool_use", stop_sequence: null },
      usage: { output_tokens: 7 },
    },
    { type: "message_stop" },
  ],
  gemini: [...geminiParts.map((each) => candidate([each])), candidate([{ text: "" }], "STOP")],
  responses: [
    { type: "response.created", response: response("in_progress", []) },
    { type: "response.output_item.added", output_index: 0, item: { ...reasoningItem, summary: [] } },
    { type: "response.reasoning_summary_text.delta", ...summary, delta: "Hm." },
    { type: "response.output_item.done", output_index: 0, item: reasoningItem },
    { type: "response.output_item.added", output_index: 1, item: { ...messageItem, content: [] } },
    { type: "response.content_part.added", ...part, part: { ...text, text: "" } },
    { type: "response.output_text.delta", ...part, delta: "Hello" },
    { type: "response.output_text.done", ...part, text: "Hello" },
    { type: "response.content_part.done", ...part, part: text },
    { type: "response.output_item.done", output_index: 1, item: messageItem },
    { type: "response.output_item.added", output_index: 2, item: { ...callItem, arguments: "" } },
    {
      type: "response.function_call_arguments.delta",
      item_id: "fc_1",
      output_index: 2,
      delta: '{"zone":"utc"}',
    },
    { type: "response.output_item.done", output_index: 2, item: callItem },
    { type: "response.completed", response: completed },
  ].map((event, sequence_number) => ({ ...event, sequence_number })),
};

/** What stands behind a stream's last value. */
export const streamEnd: Record<Speech, string> = {
  openai: "data: [DONE]\n\n",
  anthropic: "",
  gemini: "",
  responses: "",
};

/** The protocol that a path of a provider speaks. */
export function speechAt(path: string): Speech | undefined {
  if (path.endsWith("/chat/completions")) return "openai";
  if (path.endsWith("/messages")) return "anthropic";
  if (path.endsWith("/responses")) return "responses";
  return path.includes("enerateContent") ? "gemini" : undefined;
}
