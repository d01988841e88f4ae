/** A pipeline whose models each have a provider of one chat protocol only, so that any client can be crossed to any. */
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline, type Pipeline } from "#shared/calls/gateway/pipeline.ts";
import { wholeAnswers } from "./answers.ts";
import { type Answer, type CallOptions, call } from "./call.ts";
import { createMemory, type Memory, testCatalog } from "./memory.ts";
import { sse } from "./scenario.ts";
import { startUpstream, type Upstream } from "./upstream.ts";

type Json = Record<string, unknown>;

/** The chat protocols by the catalog's names. */
export const speeches = ["openai", "anthropic", "gemini", "responses"] as const;
export type Speech = (typeof speeches)[number];

export const modelOf = (speech: Speech): string => `${speech}/model-1`;

/** The test catalog with a model per protocol, besides its own of all four, and the plans a local start needs. */
export function crossedCatalog(url: string): unknown {
  const catalog = testCatalog(url) as { providers: Json; models: Json[]; plans: Json };
  const { protocols, ...provider } = catalog.providers.test as { protocols: Record<Speech, string> };
  const [chat] = catalog.models;
  const single = speeches.map((speech) => [
    speech,
    { ...provider, protocols: { [speech]: protocols[speech] } },
  ]);
  return {
    ...catalog,
    providers: { ...catalog.providers, ...Object.fromEntries(single) },
    plans: { ...catalog.plans, lite: catalog.plans.free, pro: catalog.plans.free },
    models: [
      ...catalog.models,
      ...speeches.map((speech) => ({
        ...chat,
        id: modelOf(speech),
        aliases: [],
        channels: [{ provider: speech, model: "upstream-model" }],
      })),
    ],
  };
}

/** Where a client of a protocol sends a call of this model, streamed or not. */
export function pathOf(client: Speech, model: string, stream: boolean): string {
  switch (client) {
    case "openai":
      return "/v1/chat/completions";
    case "anthropic":
      return "/v1/messages";
    case "responses":
      return "/v1/responses";
    case "gemini":
      return `/api/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`;
  }
}

/** The least that a client of each protocol sends, besides the model. */
export const least: Record<Speech, Json> = {
  openai: { messages: [{ role: "user", content: "Hello" }] },
  anthropic: { max_tokens: 100, messages: [{ role: "user", content: "Hello" }] },
  gemini: { contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
  responses: { input: "Hello" },
};

export interface Crossed {
  upstream: Upstream;
  memory: Memory;
  serve: Pipeline;
  /** Headers of an authenticated JSON body. */
  headers: Record<string, string>;
  /** Sends `body` as a client of one protocol to the model whose provider speaks the other. */
  ask(
    client: Speech,
    provider: Speech,
    body?: Json,
    stream?: boolean,
    onChunk?: CallOptions["onChunk"],
  ): Promise<Answer>;
  /** The body the provider was sent last. */
  sent(): Json;
  /** Forgets what was held, published, settled, logged and received. */
  forget(): void;
}

/** Registers a fresh scenario for each test of the file. Its members are there once a test runs. */
export function useCrossed(catalogAt: (url: string) => unknown = crossedCatalog): Crossed {
  const crossed = {
    ask(client, provider, body = {}, stream = false, onChunk = undefined) {
      const model = modelOf(provider);
      const addressed = client === "gemini" ? {} : { model, ...(stream ? { stream } : {}) };
      return call(crossed.serve, pathOf(client, model, stream), {
        headers: crossed.headers,
        body: { ...addressed, ...least[client], ...body },
        ...(onChunk ? { onChunk } : {}),
      });
    },
    sent: () => JSON.parse(crossed.upstream.requests.at(-1)?.body.toString() ?? "null") as Json,
    forget() {
      const { holds, intents, events, settled, logs } = crossed.memory;
      for (const list of [holds, intents, events, settled, logs, crossed.upstream.requests]) list.length = 0;
    },
  } as Crossed;
  beforeAll(async () => {
    crossed.upstream = await startUpstream();
  });
  afterAll(() => crossed.upstream.stop());
  beforeEach(() => {
    crossed.upstream.reset();
    crossed.memory = createMemory(catalogAt(crossed.upstream.url));
    crossed.headers = {
      authorization: `Bearer ${crossed.memory.addKey()}`,
      "content-type": "application/json",
    };
    crossed.serve = createPipeline({} as LocalAnswers, crossed.memory.deps);
  });
  return crossed;
}

/** A scenario whose providers answer each call with a whole reply, and what asks them. */
interface Answering extends Crossed {
  /**
   * Sends `body` as a client of one protocol to the first provider of another. `allowed` is what the client allows to
   * be dropped, for this call and those after it.
   */
  askOther(client: Speech, body: Json, allowed?: string): Promise<Answer>;
}

/** As `useCrossed`, with providers that answer. */
export function useAnswering(): Answering {
  const crossed = useCrossed();
  let asked: Speech;
  beforeEach(() => {
    crossed.upstream.on((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(wholeAnswers[asked]));
    });
  });
  const { ask } = crossed;
  const answering: Answering = Object.assign(crossed, {
    ask(client, provider, ...more) {
      asked = provider;
      return ask(client, provider, ...more);
    },
    askOther(client, body, allowed) {
      if (allowed !== undefined) crossed.headers["x-gateway-allow-drop"] = allowed;
      const other = speeches.find((speech) => speech !== client) as Speech;
      return answering.ask(client, other, body);
    },
  } satisfies Pick<Answering, "ask" | "askOther">);
  return answering;
}

/** The names that an answer's header gives of what was dropped. */
export function droppedOf({ headers }: Pick<Answer, "headers">): string[] {
  return headers["x-gateway-dropped"]?.split(", ") ?? [];
}

/** A provider's frames for these values, as its protocol has them. */
export function framesOf(speech: Speech, items: (Json | null)[]): string[] {
  const named = speech === "anthropic" || speech === "responses";
  return items.map(
    (item) => `${named ? `event: ${String(item?.type)}\n` : ""}data: ${JSON.stringify(item)}\n\n`,
  );
}

/** A provider that answers with a stream of these values. */
export function streamed(
  speech: Speech,
  items: Json[],
  end = "",
): (_: unknown, response: ServerResponse) => void {
  return (_, response) => {
    response.writeHead(200, sse).end(framesOf(speech, items).join("") + end);
  };
}

/** The values of a stream's frames as a client reads them, without `[DONE]`. */
export function framesIn(text: string): Json[] {
  return text
    .split("\n\n")
    .map((frame) => /^data: (\{.*\})$/m.exec(frame)?.[1])
    .filter((data) => data !== undefined)
    .map((data) => JSON.parse(data) as Json);
}
