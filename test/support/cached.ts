/** A pipeline with a key whose plan has a cache, and plain answers of each protocol's provider. */
import { beforeEach } from "vitest";
import type { KeyRecord, Organization } from "#shared/books/accounts/account.ts";
import type { Answer } from "./call.ts";
import { call } from "./call.ts";
import {
  type Crossed,
  crossedCatalog,
  framesOf,
  least,
  modelOf,
  pathOf,
  type Speech,
  useCrossed,
} from "./crossed.ts";
import { sse } from "./scenario.ts";

type Json = Record<string, unknown>;

/** What a test changes of a call. */
export interface Asked {
  /** The provider's protocol; by default the client's own. */
  provider?: Speech;
  stream?: boolean;
  body?: Json;
  headers?: Record<string, string>;
  model?: string;
  path?: string;
  /** The id of the call. */
  id?: string;
}

export interface Cached extends Crossed {
  /** Asks "Hello" at temperature 0, as a client of this protocol. The provider answers unless the cache does. */
  cached(client: Speech, asked?: Asked): Promise<Answer>;
  /** Headers of another key whose plan has a cache. */
  keyOf(change?: Partial<KeyRecord>, organization?: Partial<Organization>): Record<string, string>;
  /** How many calls the provider has got. */
  asked(): number;
}

/** The test catalog with a plan that has a cache, and includes searches of the provider. */
export function cachedCatalog(url: string): unknown {
  const catalog = crossedCatalog(url) as { plans: Record<string, object> };
  const pro = { ...catalog.plans.pro, cache: true, tools: { web_search: 10 } };
  return { ...catalog, plans: { ...catalog.plans, pro } };
}

/** The settings of each protocol that ask for sameness. */
export const same: Record<Speech, Json> = {
  openai: { temperature: 0 },
  anthropic: { temperature: 0 },
  gemini: { generationConfig: { temperature: 0 } },
  responses: { temperature: 0, store: false },
};

/** Registers a fresh scenario for each test of the file. */
export function useCached(catalogAt = cachedCatalog): Cached {
  const crossed = useCrossed(catalogAt);
  beforeEach(() => {
    crossed.headers = keyOf();
  });
  const keyOf: Cached["keyOf"] = (change = {}, organization = {}) => {
    const subscription = {
      plan: "pro",
      period: "monthly" as const,
      meter: "mtr_01KAJ2X5P0000000000000000",
      started_at: 0,
      ends_at: null,
    };
    const secret = crossed.memory.addKey(
      { mode: "subscription", ...change },
      { subscription, ...organization },
    );
    return { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  };
  return Object.assign(crossed, {
    keyOf,
    asked: () => crossed.upstream.requests.length,
    cached: async (client: Speech, asked: Asked = {}) => {
      const {
        provider = client,
        stream = false,
        body = {},
        headers = {},
        model = modelOf(provider),
        path,
        id,
      } = asked;
      crossed.upstream.on((_, response) => {
        const isStream = crossed.upstream.requests.at(-1)?.headers.accept === "text/event-stream";
        if (isStream) response.writeHead(200, sse).end(plainStream(provider));
        else {
          response.writeHead(200, { "content-type": "application/json" });
          response.end(JSON.stringify(plainAnswers[provider]));
        }
      });
      const addressed = client === "gemini" ? {} : { model, ...(stream && { stream }) };
      return await call(crossed.serve, path ?? pathOf(client, model, stream), {
        ...(id !== undefined && { id }),
        // A call is received by the gateway's clock, else its time would be over where a test moves that on.
        at: crossed.memory.deps.now(),
        headers: { ...crossed.headers, ...headers },
        body: { ...addressed, ...least[client], ...same[client], ...body },
      });
    },
  });
}

const usage = { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 };
const chunk = (delta: Json, finish_reason: string | null = null): Json => ({
  id: "c",
  object: "chat.completion.chunk",
  created: 1,
  model: "upstream",
  choices: [{ index: 0, delta, finish_reason }],
});
const message = { id: "msg_1", type: "message", role: "assistant", model: "upstream" };
const responseUsage = { input_tokens: 10, output_tokens: 4, total_tokens: 14 };
const outputText = { type: "output_text", text: "Hi there", annotations: [] };
const item = { id: "msg_1", type: "message", role: "assistant", status: "completed", content: [outputText] };
const response = (status: string, output: Json[], told: Json = {}): Json => ({
  id: "resp_1",
  object: "response",
  created_at: 1,
  status,
  model: "upstream",
  output,
  error: null,
  incomplete_details: null,
  ...told,
});
const counts = { promptTokenCount: 10, candidatesTokenCount: 4, totalTokenCount: 14 };
const candidate = (text: string, told: Json = {}): Json => ({
  responseId: "r",
  modelVersion: "upstream",
  candidates: [{ index: 0, content: { role: "model", parts: [{ text }] }, ...told }],
  usageMetadata: counts,
});

/** "Hi there" in each protocol: 10 tokens in, 4 out. */
export const plainAnswers: Record<Speech, Json> = {
  openai: {
    id: "c",
    object: "chat.completion",
    created: 1,
    model: "upstream",
    choices: [{ index: 0, message: { role: "assistant", content: "Hi there" }, finish_reason: "stop" }],
    usage,
  },
  anthropic: {
    ...message,
    content: [{ type: "text", text: "Hi there" }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 4 },
  },
  gemini: candidate("Hi there", { finishReason: "STOP" }),
  responses: response("completed", [item], { usage: responseUsage }),
};

const place = { item_id: "msg_1", output_index: 0, content_index: 0 };

/** The same as a stream. */
const plainEvents: Record<Speech, Json[]> = {
  openai: [
    chunk({ role: "assistant", content: "" }),
    chunk({ content: "Hi " }),
    chunk({ content: "there" }),
    chunk({}, "stop"),
    { id: "c", object: "chat.completion.chunk", created: 1, model: "upstream", choices: [], usage },
  ],
  anthropic: [
    {
      type: "message_start",
      message: { ...message, content: [], usage: { input_tokens: 10, output_tokens: 1 } },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi " } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "there" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 4 } },
    { type: "message_stop" },
  ],
  gemini: [candidate("Hi "), candidate("there", { finishReason: "STOP" })],
  responses: [
    { type: "response.created", response: response("in_progress", []) },
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { ...item, status: "in_progress", content: [] },
    },
    { type: "response.content_part.added", ...place, part: { ...outputText, text: "" } },
    { type: "response.output_text.delta", ...place, delta: "Hi " },
    { type: "response.output_text.delta", ...place, delta: "there" },
    { type: "response.output_text.done", ...place, text: "Hi there" },
    { type: "response.content_part.done", ...place, part: outputText },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: response("completed", [item], { usage: responseUsage }) },
  ],
};

/** The frames of that stream. */
export function plainStream(speech: Speech): string {
  return framesOf(speech, plainEvents[speech]).join("") + (speech === "openai" ? "data: [DONE]\n\n" : "");
}
