/**
 * What the SDKs throw where a provider refuses the request inside of a 200, against one local gateway. At the first frame
 * they throw as for any 400. At a later one their error has the names that applications branch on.
 */

import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { crossedCatalog, framesOf, modelOf, type Speech, speeches } from "#test/support/crossed.ts";
import { type LocalGateway, startLocal } from "#test/support/local.ts";
import { begun, refusals } from "#test/support/refusals-inside.ts";
import { sse } from "#test/support/scenario.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

let upstream: Upstream;
let gateway: LocalGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startLocal({
    catalog: crossedCatalog(upstream.url) as object,
    env: { TEST_API_KEY: "upstream-secret" },
  });
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
});

/** Reads a stream to its end, and tells when its first event has come. */
async function drain(stream: AsyncIterable<unknown>, begins: () => void): Promise<void> {
  for await (const _ of stream) begins();
}

const content = "Hello";
/** Streams a call with the SDK of a protocol. */
const clients: Record<Speech, (model: string, begins: () => void) => Promise<void>> = {
  async openai(model, begins) {
    const messages = [{ role: "user" as const, content }];
    const { chat } = new OpenAI({ apiKey: gateway.keys.payg, baseURL: `${gateway.url}/v1` });
    await drain(await chat.completions.create({ model, messages, stream: true }), begins);
  },
  async responses(model, begins) {
    const { responses } = new OpenAI({ apiKey: gateway.keys.payg, baseURL: `${gateway.url}/v1` });
    await drain(await responses.create({ model, input: content, stream: true }), begins);
  },
  async anthropic(model, begins) {
    const client = new Anthropic({ apiKey: gateway.keys.payg, baseURL: gateway.url });
    const messages = [{ role: "user" as const, content }];
    await drain(await client.messages.create({ model, max_tokens: 10, messages, stream: true }), begins);
  },
  async gemini(model, begins) {
    const httpOptions = { baseUrl: `${gateway.url}/api` };
    const { models } = new GoogleGenAI({ apiKey: gateway.keys.payg, httpOptions });
    await drain(await models.generateContentStream({ model, contents: content }), begins);
  },
};

const lengthCode = { code: "context_length_exceeded" };
/** What is thrown for a context that is too long. Google's SDK shows the error's JSON as its message. */
const thrown: Record<Speech, object> = {
  openai: lengthCode,
  responses: lengthCode,
  anthropic: { message: expect.stringContaining("prompt is too long") as unknown },
  gemini: { message: expect.stringContaining("exceeds the maximum number of tokens allowed") as unknown },
};

const pairs = speeches.flatMap((client) => speeches.map((provider) => [client, provider] as const));

describe.each(pairs)("%s ← %s: a context that is too long", (client, provider) => {
  const frames = framesOf(provider, [refusals[provider][0]?.event ?? {}]).join("");

  test("in the first frame is a 400, and asked once", async () => {
    upstream.reset();
    upstream.on((_, response) => response.writeHead(200, sse).end(frames));
    const error: unknown = await clients[client](modelOf(provider), () => {}).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ status: 400, ...thrown[client] });
    expect(upstream.requests).toHaveLength(1);
  });

  test("in a later frame is an error with the same names", async () => {
    upstream.reset();
    const { promise: hasBegun, resolve: begins } = Promise.withResolvers<void>();
    upstream.on(async (_, response) => {
      response.writeHead(200, sse).write(framesOf(provider, begun[provider]).join(""));
      // Google's clients read no beginning that has no words, so there is nothing to wait for.
      await Promise.race([hasBegun, new Promise((resolve) => setTimeout(resolve, 300))]);
      response.end(frames);
    });
    const error: unknown = await clients[client](modelOf(provider), begins).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject(thrown[client]);
    expect(upstream.requests).toHaveLength(1);
  });
});
