/** The gateway on a port, before four providers that sign, each of one protocol. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropicHistoryRules } from "#infra/local/demo/strictness/anthropic-history.ts";
import { geminiHistoryRules } from "#infra/local/demo/strictness/gemini-history.ts";
import { responsesRules } from "#infra/local/demo/strictness/responses.ts";
import type { Rule } from "#infra/local/demo/strictness/rule.ts";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline, type Pipeline } from "#shared/calls/gateway/pipeline.ts";
import { readBody } from "#test/support/body.ts";
import { open } from "#test/support/call.ts";
import { crossedCatalog } from "#test/support/crossed.ts";
import { createMemory } from "#test/support/memory.ts";
import { createAnthropic } from "./anthropic.ts";
import { createGemini } from "./gemini.ts";
import type { Family, Json, Vendor } from "./issuer.ts";
import { createOpenai } from "./openai.ts";
import { createResponses } from "./responses.ts";

/** A request as its provider got it. */
interface Received {
  family: Family;
  body: Json;
  text: string;
  /** Why the provider refused it. */
  refusal: string | undefined;
  /** The provider's signatures of this conversation until then, and those of them that the request brings. */
  issued: string[];
  brought: string[];
}

export interface Served {
  url: string;
  key: string;
  received: Received[];
  /** What the last answer of the gateway named as dropped. */
  dropped(): string[];
  /** Begins another conversation. */
  forget(): void;
  stop(): Promise<void>;
}

export async function startServed(): Promise<Served> {
  const vendors: Record<Family, Vendor> = {
    openai: createOpenai(),
    anthropic: createAnthropic(),
    gemini: createGemini(),
    responses: createResponses(),
  };
  const received: Received[] = [];
  const providers = await listen(async (path, text, _, response) => {
    const family = familyOf(path);
    const { issuer, refuses, answer } = vendors[family];
    const body = JSON.parse(text) as Json;
    const refusal = refuses(body) ?? refusesHistory(family, body);
    const issued = issuer.issued();
    received.push({
      family,
      body,
      text,
      refusal,
      issued,
      brought: issued.filter((each) => text.includes(each)),
    });
    if (refusal) {
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: refusal } }));
      return;
    }
    const stream = body.stream === true || path.includes(":stream");
    const answered = answer(body, stream);
    response.writeHead(200, { "content-type": stream ? "text/event-stream" : "application/json" });
    response.end(Array.isArray(answered) ? answered.join("") : JSON.stringify(answered));
  });
  const memory = createMemory(crossedCatalog(providers.url));
  const serve = createPipeline({} as LocalAnswers, memory.deps);
  let dropped: string[] = [];
  const gateway = await listen(async (path, body, headers, response) => {
    const names = await answerBy(serve, path, body, headers, response);
    dropped = names === undefined ? [] : names.split(", ");
  });
  return {
    url: gateway.url,
    key: memory.addKey(),
    received,
    dropped: () => dropped,
    forget() {
      received.length = 0;
      for (const { issuer } of Object.values(vendors)) issuer.forget();
    },
    async stop() {
      await gateway.stop();
      await providers.stop();
    },
  };
}

/** What the vendor of a real model refuses of a conversation, beyond what is asked of signatures here. */
const historyRules: Partial<Record<Family, readonly Rule[]>> = {
  anthropic: anthropicHistoryRules,
  // Google's SDK keeps each chunk of a stream as a content, and an empty one stands between a call and its result.
  gemini: geminiHistoryRules.filter(({ name }) => name !== "calls without results"),
  responses: responsesRules,
};
const realModels: Partial<Record<Family, string>> = {
  anthropic: "claude-haiku-4-5",
  gemini: "gemini-3.5-flash",
  responses: "gpt-5.6-sol",
};

function refusesHistory(family: Family, body: Json): string | undefined {
  const model = realModels[family] ?? "";
  for (const { refuses, models } of historyRules[family] ?? []) {
    const told = models.test(model) && refuses(body, {}, model);
    if (told) return typeof told === "string" ? told : told.message;
  }
  return undefined;
}

function familyOf(path: string): Family {
  if (path.endsWith("/chat/completions")) return "openai";
  if (path.endsWith("/v1/messages")) return "anthropic";
  return path.endsWith("/responses") ? "responses" : "gemini";
}

async function answerBy(
  serve: Pipeline,
  path: string,
  body: string,
  headers: Record<string, string>,
  response: ServerResponse,
): Promise<string | undefined> {
  const { reply } = await open(serve, path, { headers, body });
  response.writeHead(reply.status, reply.headers);
  await readBody(reply, (piece) => void response.write(piece));
  response.end();
  await reply.after?.();
  return reply.headers["x-gateway-dropped"];
}

type Handler = (
  path: string,
  body: string,
  headers: Record<string, string>,
  response: ServerResponse,
) => Promise<void>;

async function listen(handle: Handler): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const headers = request.headers as Record<string, string>;
    await handle(request.url ?? "", Buffer.concat(chunks).toString(), headers, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
