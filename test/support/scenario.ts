/** A pipeline over in-memory ports with a provider of its own, and the bodies and frames its tests speak in. */
import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline, type Pipeline } from "#shared/calls/gateway/pipeline.ts";
import { type Answer, type CallOptions, call } from "./call.ts";
import { createMemory, type Memory, testCatalog } from "./memory.ts";
import { startUpstream, type Upstream } from "./upstream.ts";

export interface Scenario {
  upstream: Upstream;
  memory: Memory;
  serve: Pipeline;
  /** The secret of a pay-as-you-go key. */
  key: string;
  /** Headers that authenticate with it. */
  bearer(): Record<string, string>;
  /** A chat call, authenticated. */
  chat(options?: CallOptions): Promise<Answer>;
  /** A messages call, authenticated. */
  message(options?: CallOptions): Promise<Answer>;
}

/** Registers a fresh scenario for each test of the file. Its members are there once a test runs. */
export function useScenario(): Scenario {
  const send = (path: string, body: object, options: CallOptions) =>
    call(scenario.serve, path, { headers: scenario.bearer(), body, ...options });
  const scenario = {
    bearer: () => ({ authorization: `Bearer ${scenario.key}` }),
    chat: (options: CallOptions = {}) => send(chatPath, chatBody, options),
    message: (options: CallOptions = {}) => send("/v1/messages", messagesBody, options),
  } as unknown as Scenario;
  beforeAll(async () => {
    scenario.upstream = await startUpstream();
  });
  afterAll(() => scenario.upstream.stop());
  beforeEach(() => {
    scenario.upstream.reset();
    scenario.memory = createMemory(testCatalog(scenario.upstream.url));
    scenario.key = scenario.memory.addKey();
    scenario.serve = createPipeline({} as LocalAnswers, scenario.memory.deps);
  });
  return scenario;
}

export const chatPath = "/v1/chat/completions";
export const messages = [{ role: "user", content: "Hello" }];
export const chatBody = { model: "test/model-1", messages };
export const messagesBody = { ...chatBody, max_tokens: 100 };
export const usage = { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 };
export const completion = {
  id: "c",
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
  usage,
};
export const frame = (data: object | string) =>
  `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
export const delta = (content: string) =>
  frame({ id: "c", choices: [{ index: 0, delta: { content }, finish_reason: null }] });
export const usageFrame = frame({ id: "c", choices: [], usage });
export const done = frame("[DONE]");
export const namedFrame = (event: { type: string }) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
export const messageFrames = [
  namedFrame({
    type: "message_start",
    message: { id: "m", content: [], usage: { input_tokens: 10, output_tokens: 1 } },
  } as never),
  namedFrame({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } } as never),
  namedFrame({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } } as never),
];

/** Text that does not compress: 44 characters for each of its lines. */
export const noise = (lines: number) =>
  Array.from({ length: lines }, (_, i) => createHash("sha256").update(String(i)).digest("base64")).join("");

export const sse = { "content-type": "text/event-stream" };
export const streamOf =
  (...frames: string[]) =>
  (_: unknown, response: ServerResponse) => {
    response.writeHead(200, sse);
    for (const text of frames) response.write(text);
    response.end();
  };
