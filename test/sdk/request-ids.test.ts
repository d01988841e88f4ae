/** The request id that each vendor's SDK shows is ours: of answers, of streams and of errors. */
import Anthropic from "@anthropic-ai/sdk";
import { ApiError, GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { crossedCatalog, speeches } from "#test/support/crossed.ts";
import { type LocalGateway, startLocal } from "#test/support/local.ts";
import { startVendors, type Vendors } from "#test/support/vendors.ts";

let vendors: Vendors;
let gateway: LocalGateway;
beforeAll(async () => {
  vendors = await startVendors();
  gateway = await startLocal({
    catalog: crossedCatalog(vendors.url),
    env: { TEST_API_KEY: "upstream-secret" },
  });
});
afterAll(async () => {
  await gateway?.stop();
  await vendors?.stop();
});

/** What the gateway sent, header by header, of each answer. */
let answers: Headers[] = [];
beforeEach(() => {
  answers = [];
  const platform = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (...input) => {
    const response = await platform(...input);
    answers.push(response.headers);
    return response;
  });
  return () => vi.restoreAllMocks();
});

/** Whether an id is ours, of the last answer; and in the ledger, if it was a call. */
async function expectOurs(id: string | null | undefined, called: boolean): Promise<void> {
  expect(id).toMatch(/^req_/);
  expect(answers.at(-1)?.get("x-request-id")).toBe(id);
  if (!called) return;
  const receipt = () =>
    fetch(`${gateway.url}/api/v1/requests/${id}`, {
      headers: { authorization: `Bearer ${gateway.keys.payg}` },
    }).then(({ status }) => status);
  await expect.poll(receipt).toBe(200);
}

const messages = [{ role: "user" as const, content: "Say hello." }];
const thrown = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );
const key = (good: boolean) => (good ? gateway.keys.payg : "sk-payg-wrong");

describe.each(speeches)("with a model of %s", (speech) => {
  const model = `${speech}/model-1`;

  test("OpenAI's SDK", async () => {
    const client = (good = true) =>
      new OpenAI({ apiKey: key(good), baseURL: `${gateway.url}/v1`, maxRetries: 0 });
    const chat = await client().chat.completions.create({ model, messages });
    await expectOurs(chat._request_id, true);
    const response = await client().responses.create({ model, input: "Hi", store: false });
    await expectOurs(response._request_id, true);
    const stream = await client().chat.completions.create({ model, messages, stream: true }).withResponse();
    for await (const _ of stream.data);
    await expectOurs(stream.request_id, true);
    const error = await thrown(client(false).chat.completions.create({ model, messages }));
    await expectOurs((error as InstanceType<typeof OpenAI.APIError>).requestID, false);
  });

  test("Anthropic's SDK, and its errors name it in their body too", async () => {
    const client = (good = true) => new Anthropic({ apiKey: key(good), baseURL: gateway.url, maxRetries: 0 });
    const asked = { model, max_tokens: 100, messages };
    const message = await client().messages.create(asked);
    await expectOurs(message._request_id, true);
    const stream = client().messages.stream(asked);
    await stream.finalMessage();
    await expectOurs(stream.request_id, true);
    const error = (await thrown(client(false).messages.create(asked))) as InstanceType<
      typeof Anthropic.APIError
    >;
    await expectOurs(error.requestID, false);
    expect(error.error).toMatchObject({ type: "error", request_id: error.requestID });
  });

  test("Google's SDK", async () => {
    const client = (good = true) =>
      new GoogleGenAI({ apiKey: key(good), httpOptions: { baseUrl: `${gateway.url}/api` } });
    const whole = await client().models.generateContent({ model, contents: "Hi" });
    await expectOurs(whole.sdkHttpResponse?.headers?.["x-request-id"], true);
    const chunks = await Array.fromAsync(
      await client().models.generateContentStream({ model, contents: "Hi" }),
    );
    await expectOurs(chunks[0]?.sdkHttpResponse?.headers?.["x-request-id"], true);
    // Its errors do not show headers: the id stands in the answer all the same.
    expect(await thrown(client(false).models.generateContent({ model, contents: "Hi" }))).toBeInstanceOf(
      ApiError,
    );
    await expectOurs(answers.at(-1)?.get("x-request-id"), false);
  });
});

test("every kind of error of a messages route names its request", async () => {
  const ask = async (method: string, path: string, body?: string) => {
    const headers = { "x-api-key": gateway.keys.payg };
    const response = await fetch(gateway.url + path, { method, headers, ...(body && { body }) });
    const id = response.headers.get("request-id");
    expect(id).toBe(response.headers.get("x-request-id"));
    expect(await response.json()).toMatchObject({ type: "error", request_id: id });
    return response.status;
  };
  const body = JSON.stringify({ model: "openai/none", max_tokens: 1, messages });
  expect(await ask("POST", "/v1/messages", "{")).toBe(400);
  expect(await ask("POST", "/v1/messages", body)).toBe(404);
  expect(await ask("POST", "/api/v1/messages", body)).toBe(404);
  expect(await ask("PUT", "/api/anthropic/v1/messages", body)).toBe(405);
  expect(await ask("GET", "/v1/messages/batches")).toBe(404);
});

test("Ark's SDK finds it in its own header", async () => {
  for (const [method, path] of [
    ["GET", "/api/v3/models"],
    ["POST", "/api/v3/chat/completions"],
    ["GET", "/api/v3/contents/generations/tasks"],
  ] as const) {
    const headers = { authorization: `Bearer ${gateway.keys.payg}` };
    const response = await fetch(gateway.url + path, {
      method,
      headers,
      ...(method === "POST" && { body: "{" }),
    });
    expect(response.headers.get("x-client-request-id")).toBe(response.headers.get("x-request-id"));
    await response.body?.cancel();
  }
});
