/**
 * What a provider of each protocol says, written from the vendors' documentation (protocols.md §1–3) and importing
 * nothing of the product: whole, or as the frames of a stream.
 */
import { issueSignature } from "#infra/local/demo/strictness/signatures.ts";

export type Json = Record<string, unknown>;

const events = (items: Json[]) =>
  items.map((item) => `event: ${item.type}\ndata: ${JSON.stringify(item)}\n\n`);
const data = (items: Json[]) => items.map((item) => `data: ${JSON.stringify(item)}\n\n`);

/** What a provider reports that it used. A protocol that counts them together adds them up. */
export interface Used {
  /** New input: neither read from the cache nor written to it. */
  input: number;
  cached: number;
  /** At least the three tokens of reasoning that the protocols report which can. */
  output: number;
}

/** The tokens of reasoning in every output, where the protocol counts them. */
const reasoned = 3;

/** What a provider says: the pieces of its text, and the tool that it calls, with its arguments as JSON. */
export interface Said {
  texts: readonly string[];
  call?: {
    name: string;
    /** Only in Responses. */
    namespace?: string;
    arguments: string;
    /** The arguments are any text, which only Responses has. */
    isText?: boolean;
  };
  used: Used;
  stream: boolean;
  /** Tells its ids from those of other answers of one conversation. */
  number?: number;
}

function openaiChat({ call, texts, used, stream, number = 1 }: Said): Json | string[] {
  const prompt = used.input + used.cached;
  const usage = {
    prompt_tokens: prompt,
    completion_tokens: used.output,
    total_tokens: prompt + used.output,
    prompt_tokens_details: { cached_tokens: used.cached },
  };
  const head = { id: `chatcmpl-${number}`, created: 1, model: "upstream" };
  const own = { id: `call_${number}`, type: "function" };
  const finish_reason = call ? "tool_calls" : "stop";
  if (!stream) {
    const called = call && { name: call.name, arguments: call.arguments };
    const tool_calls = called ? [{ ...own, function: called }] : undefined;
    const message = { role: "assistant", content: texts.join(""), ...(tool_calls && { tool_calls }) };
    return { ...head, object: "chat.completion", choices: [{ index: 0, message, finish_reason }], usage };
  }
  const chunk = (delta: Json, reason: string | null = null) => ({
    ...head,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const last = { ...head, object: "chat.completion.chunk", choices: [], usage };
  const calls = call
    ? [
        chunk({ tool_calls: [{ index: 0, ...own, function: { name: call.name, arguments: "" } }] }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: call.arguments } }] }),
      ]
    : [];
  const chunks = [
    chunk({ role: "assistant", content: "" }),
    ...texts.map((content) => chunk({ content })),
    ...calls,
    chunk({}, finish_reason),
    last,
  ];
  return [...data(chunks), "data: [DONE]\n\n"];
}

function anthropic({ call, texts, used, stream, number = 1 }: Said): Json | string[] {
  const usage = {
    input_tokens: used.input,
    cache_read_input_tokens: used.cached,
    cache_creation_input_tokens: 0,
    output_tokens: used.output,
  };
  const head = {
    id: `msg_${number}`,
    type: "message",
    role: "assistant",
    model: "upstream",
    stop_sequence: null,
  };
  const stop_reason = call ? "tool_use" : "end_turn";
  const use = (input: unknown) => ({ type: "tool_use", id: `toolu_${number}`, name: call?.name, input });
  if (!stream) {
    const uses = call ? [use(JSON.parse(call.arguments))] : [];
    const content = [{ type: "text", text: texts.join("") }, ...uses];
    return { ...head, content, stop_reason, usage };
  }
  const block = (index: number, content_block: Json, deltas: Json[]) => [
    { type: "content_block_start", index, content_block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
  return events([
    {
      type: "message_start",
      message: { ...head, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    },
    ...block(
      0,
      { type: "text", text: "" },
      texts.map((text) => ({ type: "text_delta", text })),
    ),
    ...(call ? block(1, use({}), [{ type: "input_json_delta", partial_json: call.arguments }]) : []),
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
    { type: "message_stop" },
  ]);
}

function gemini({ call, texts, used, stream, number = 1 }: Said): Json | string[] {
  const prompt = used.input + used.cached;
  const usageMetadata = {
    promptTokenCount: prompt,
    cachedContentTokenCount: used.cached,
    candidatesTokenCount: used.output - reasoned,
    thoughtsTokenCount: reasoned,
    totalTokenCount: prompt + used.output,
  };
  const head = { modelVersion: "upstream", responseId: `r${number}` };
  const calls = call
    ? [
        {
          functionCall: { name: call.name, args: JSON.parse(call.arguments) as Json },
          thoughtSignature: issueSignature("gemini", call.arguments),
        },
      ]
    : [];
  const candidate = (parts: Json[], finishReason?: string) => ({
    ...head,
    candidates: [{ index: 0, content: { role: "model", parts }, ...(finishReason ? { finishReason } : {}) }],
    usageMetadata,
  });
  const parts = texts.map((text) => ({ text }));
  if (!stream) return candidate([{ text: texts.join("") }, ...calls], "STOP");
  return data([
    ...parts.map((part) => candidate([part])),
    ...calls.map((part) => candidate([part])),
    candidate([{ text: "" }], "STOP"),
  ]);
}

function callItem(call: Said["call"], number: number): Json {
  const { name, namespace, arguments: text, isText } = call ?? {};
  const named = { call_id: `call_${number}`, name, ...(namespace !== undefined && { namespace }) };
  return isText
    ? { id: `ctc_${number}`, type: "custom_tool_call", ...named, input: text }
    : { id: `fc_${number}`, type: "function_call", ...named, arguments: text };
}

function responses(said: Said): Json | string[] {
  const { call, texts, used, stream, number = 1 } = said;
  const prompt = used.input + used.cached;
  const usage = {
    input_tokens: prompt,
    input_tokens_details: { cached_tokens: used.cached },
    output_tokens: used.output,
    output_tokens_details: { reasoning_tokens: reasoned },
    total_tokens: prompt + used.output,
  };
  const text = { type: "output_text", text: texts.join(""), annotations: [] };
  const messageId = `msg_${number}`;
  const message = { id: messageId, type: "message", role: "assistant", status: "completed", content: [text] };
  const item = callItem(call, number);
  const called = { ...item, status: "completed" };
  const response = (status: string, output: Json[]) => ({
    id: `resp_${number}`,
    object: "response",
    created_at: 1,
    status,
    model: "upstream",
    output,
    error: null,
    incomplete_details: null,
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
  });
  const output = [message, ...(call ? [called] : [])];
  const done = { ...response("completed", output), usage };
  if (!stream) return done;
  const at = { item_id: messageId, output_index: 0, content_index: 0 };
  const ladder: Json[] = [
    { type: "response.created", response: response("in_progress", []) },
    { type: "response.in_progress", response: response("in_progress", []) },
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { ...message, status: "in_progress", content: [] },
    },
    { type: "response.content_part.added", ...at, part: { ...text, text: "" } },
    ...texts.map((delta) => ({ type: "response.output_text.delta", ...at, delta })),
    { type: "response.output_text.done", ...at, text: texts.join("") },
    { type: "response.content_part.done", ...at, part: text },
    { type: "response.output_item.done", output_index: 0, item: message },
  ];
  if (call) {
    const place = { item_id: item.id, output_index: 1 };
    const member = call.isText ? "input" : "arguments";
    const event = call.isText ? "custom_tool_call_input" : "function_call_arguments";
    const added = { ...item, [member]: "", status: "in_progress" };
    ladder.push(
      { type: "response.output_item.added", output_index: 1, item: added },
      { type: `response.${event}.delta`, ...place, delta: call.arguments },
      { type: `response.${event}.done`, ...place, [member]: call.arguments },
      { type: "response.output_item.done", output_index: 1, item: called },
    );
  }
  ladder.push({ type: "response.completed", response: done });
  return events(ladder.map((event, sequence_number) => ({ ...event, sequence_number })));
}

/**
 * What a provider answers at a path of its protocol: a body, or the frames of a stream. Undefined where no chat is asked.
 */
export function answerAt(path: string, said: Said): Json | string[] | undefined {
  if (path.endsWith("/chat/completions")) return openaiChat(said);
  if (path.endsWith("/v1/messages")) return anthropic(said);
  if (path.endsWith("/responses")) return responses(said);
  if (path.includes(":generateContent") || path.includes(":streamGenerateContent")) return gemini(said);
  return undefined;
}

/** Whether a request wants its answer as a stream. */
export function isStreamed(path: string, body: Json): boolean {
  return body.stream === true || path.includes(":streamGenerateContent");
}
