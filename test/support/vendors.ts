/**
 * A provider of each protocol, written from the vendors' documentation (protocols.md §1–3) and importing
 * nothing of the product. All say the same: "Hello there", and, when the request has tools, a call of the first
 * one, until its result is there. A schema without tools is answered with `toolArguments`. All report the same usage
 * in their own counting. A model named `too-long` is refused as one whose context the request does not fit.
 * A model that is named as a real one is refused what the real one refuses (`strictness.ts`).
 */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { issueSignature, refusalAt } from "#infra/local/demo/strictness.ts";
import { tooLong } from "./too-long.ts";

type Json = Record<string, unknown>;

/** What every provider of these tests uses: 20 new input tokens, 10 from the cache, 7 of output. */
export const spent = { input_tokens: 20, cache_read_tokens: 10, cache_write_tokens: 0, output_tokens: 7 };
export const words = ["Hello", " there"];
export const toolArguments = '{"city":"Paris"}';

export interface Vendors {
  url: string;
  /** Bodies received, by path. */
  requests: { path: string; headers: Record<string, string | string[] | undefined>; body: Json }[];
  stop(): Promise<void>;
}

const events = (items: Json[]) =>
  items.map((item) => `event: ${item.type}\ndata: ${JSON.stringify(item)}\n\n`);
const data = (items: Json[]) => items.map((item) => `data: ${JSON.stringify(item)}\n\n`);

/** What a provider is asked for: the tool that it is to call, and the pieces of its text. */
interface Asked {
  tool: string | undefined;
  said: string[];
  stream: boolean;
}

function openaiChat({ tool, said, stream }: Asked): Json | string[] {
  const usage = {
    prompt_tokens: 30,
    completion_tokens: 7,
    total_tokens: 37,
    prompt_tokens_details: { cached_tokens: 10 },
  };
  const head = { id: "chatcmpl-1", created: 1, model: "upstream" };
  const call = { id: "call_1", type: "function", function: { name: tool, arguments: toolArguments } };
  const finish_reason = tool ? "tool_calls" : "stop";
  if (!stream) {
    const message = { role: "assistant", content: said.join(""), ...(tool ? { tool_calls: [call] } : {}) };
    return { ...head, object: "chat.completion", choices: [{ index: 0, message, finish_reason }], usage };
  }
  const chunk = (delta: Json, reason: string | null = null) => ({
    ...head,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const last = { ...head, object: "chat.completion.chunk", choices: [], usage };
  const calls = tool
    ? [
        chunk({
          tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: tool, arguments: "" } }],
        }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: toolArguments } }] }),
      ]
    : [];
  const chunks = [
    chunk({ role: "assistant", content: "" }),
    ...said.map((content) => chunk({ content })),
    ...calls,
    chunk({}, finish_reason),
    last,
  ];
  return [...data(chunks), "data: [DONE]\n\n"];
}

function anthropic({ tool, said, stream }: Asked): Json | string[] {
  const usage = {
    input_tokens: 20,
    cache_read_input_tokens: 10,
    cache_creation_input_tokens: 0,
    output_tokens: 7,
  };
  const head = { id: "msg_1", type: "message", role: "assistant", model: "upstream", stop_sequence: null };
  const stop_reason = tool ? "tool_use" : "end_turn";
  const use = { type: "tool_use", id: "toolu_1", name: tool, input: JSON.parse(toolArguments) as Json };
  if (!stream) {
    const content = [{ type: "text", text: said.join("") }, ...(tool ? [use] : [])];
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
      said.map((text) => ({ type: "text_delta", text })),
    ),
    ...(tool
      ? block(1, { ...use, input: {} }, [{ type: "input_json_delta", partial_json: toolArguments }])
      : []),
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
    { type: "message_stop" },
  ]);
}

function gemini({ tool, said, stream }: Asked): Json | string[] {
  const usageMetadata = {
    promptTokenCount: 30,
    cachedContentTokenCount: 10,
    candidatesTokenCount: 4,
    thoughtsTokenCount: 3,
    totalTokenCount: 37,
  };
  const head = { modelVersion: "upstream", responseId: "r1" };
  const call = {
    functionCall: { name: tool, args: JSON.parse(toolArguments) as Json },
    thoughtSignature: issueSignature("gemini", toolArguments),
  };
  const candidate = (parts: Json[], finishReason?: string) => ({
    ...head,
    candidates: [{ index: 0, content: { role: "model", parts }, ...(finishReason ? { finishReason } : {}) }],
    usageMetadata,
  });
  const parts = said.map((text) => ({ text }));
  if (!stream) return candidate([{ text: said.join("") }, ...(tool ? [call] : [])], "STOP");
  return data([
    ...parts.map((part) => candidate([part])),
    ...(tool ? [candidate([call])] : []),
    candidate([{ text: "" }], "STOP"),
  ]);
}

function responses({ tool, said, stream }: Asked): Json | string[] {
  const usage = {
    input_tokens: 30,
    input_tokens_details: { cached_tokens: 10 },
    output_tokens: 7,
    output_tokens_details: { reasoning_tokens: 3 },
    total_tokens: 37,
  };
  const text = { type: "output_text", text: said.join(""), annotations: [] };
  const message = { id: "msg_1", type: "message", role: "assistant", status: "completed", content: [text] };
  const call = {
    id: "fc_1",
    type: "function_call",
    call_id: "call_1",
    name: tool,
    arguments: toolArguments,
    status: "completed",
  };
  const response = (status: string, output: Json[]) => ({
    id: "resp_1",
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
  const output = [message, ...(tool ? [call] : [])];
  const done = { ...response("completed", output), usage };
  if (!stream) return done;
  const at = { item_id: "msg_1", output_index: 0, content_index: 0 };
  const ladder: Json[] = [
    { type: "response.created", response: response("in_progress", []) },
    { type: "response.in_progress", response: response("in_progress", []) },
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { ...message, status: "in_progress", content: [] },
    },
    { type: "response.content_part.added", ...at, part: { ...text, text: "" } },
    ...said.map((delta) => ({ type: "response.output_text.delta", ...at, delta })),
    { type: "response.output_text.done", ...at, text: said.join("") },
    { type: "response.content_part.done", ...at, part: text },
    { type: "response.output_item.done", output_index: 0, item: message },
  ];
  if (tool) {
    ladder.push(
      {
        type: "response.output_item.added",
        output_index: 1,
        item: { ...call, arguments: "", status: "in_progress" },
      },
      {
        type: "response.function_call_arguments.delta",
        item_id: "fc_1",
        output_index: 1,
        delta: toolArguments,
      },
      {
        type: "response.function_call_arguments.done",
        item_id: "fc_1",
        output_index: 1,
        arguments: toolArguments,
      },
      { type: "response.output_item.done", output_index: 1, item: call },
    );
  }
  ladder.push({ type: "response.completed", response: done });
  return events(ladder.map((event, sequence_number) => ({ ...event, sequence_number })));
}

/** The name of the first tool of a request, in any of the four protocols; Gemini takes both spellings of its fields. */
function toolOf(body: Json): string | undefined {
  const [tool] = (body.tools as Json[] | undefined) ?? [];
  const declared = tool?.functionDeclarations ?? tool?.function_declarations;
  const named = tool?.function ?? (declared as Json[] | undefined)?.[0] ?? tool;
  return (named as Json | undefined)?.name as string | undefined;
}

/** Whether the last turn of a request brings the result of a tool. */
function hasResult(body: Json): boolean {
  const turns = (body.messages ?? body.input ?? body.contents) as Json[] | undefined;
  const last = JSON.stringify((Array.isArray(turns) ? turns.at(-1) : undefined) ?? {});
  return /"role":"tool"|"tool_result"|"functionResponse"|"function_response"|"function_call_output"/.test(
    last,
  );
}

/** Whether a request wants its answer by a schema, or as any JSON. */
function hasSchema(body: Json): boolean {
  return /"json_schema"|"json_object"|"responseJsonSchema"|"responseSchema"/.test(JSON.stringify(body));
}

function asked(path: string, body: Json): Asked {
  const tool = hasResult(body) ? undefined : toolOf(body);
  const said = !tool && hasSchema(body) ? [toolArguments] : words;
  return { tool, said, stream: body.stream === true || path.includes(":streamGenerateContent") };
}

function answerTo(path: string, body: Json): Json | string[] | undefined {
  const wanted = asked(path, body);
  if (path.endsWith("/chat/completions")) return openaiChat(wanted);
  if (path.endsWith("/v1/messages")) return anthropic(wanted);
  if (path.endsWith("/responses")) return responses(wanted);
  if (path.includes(":generateContent") || path.includes(":streamGenerateContent")) return gemini(wanted);
  return undefined;
}

/** Starts all four on one port. Without `refuses` they take whatever a model with a real name is asked. */
export async function startVendors({ refuses = true } = {}): Promise<Vendors> {
  const requests: Vendors["requests"] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString() || "{}") as Json;
    const path = request.url ?? "";
    requests.push({ path, headers: request.headers, body });
    const isTooLong = body.model === "too-long" || path.includes("/too-long:");
    const refusal = isTooLong
      ? { status: 400, body: tooLong(path) }
      : refuses && refusalAt(path, body, request.headers);
    if (refusal) response.writeHead(refusal.status, jsonType).end(JSON.stringify(refusal.body));
    else respond(response, answerTo(path, body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const jsonType = { "content-type": "application/json" };

function respond(response: ServerResponse, answer: Json | string[] | undefined): void {
  if (!answer) {
    response.writeHead(404).end("{}");
  } else if (Array.isArray(answer)) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const frame of answer) response.write(frame);
    response.end();
  } else {
    response.writeHead(200, jsonType).end(JSON.stringify(answer));
  }
}
