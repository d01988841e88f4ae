/**
 * The vendors' own SDKs against the running local gateway, with nothing changed but the base URL: the
 * promise of contract §1.2. The provider is the built-in demo provider.
 */
import Anthropic from "@anthropic-ai/sdk";
import AnthropicBefore1 from "anthropic-sdk-0";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LocalGateway, startLocal } from "#test/support/local.ts";

let gateway: LocalGateway;
beforeAll(async () => {
  gateway = await startLocal({ env: { STREAM_WAIT_SCALE: "0.05" } });
});
afterAll(async () => {
  await gateway?.stop();
});

const chatModel = "openai/gpt-5.4-mini";
const messageModel = "anthropic/claude-sonnet-4-6";
const messages = [{ role: "user" as const, content: "Say hello to the world." }];

const openaiPaths = ["/v1", "/api/v1", "/api/v3", "/api/v0", "/api/paas/v4"];
const anthropicPaths = ["", "/api", "/api/anthropic"];
const openai = (path: string, apiKey = gateway.keys.payg) =>
  new OpenAI({ apiKey, baseURL: gateway.url + path, maxRetries: 0 });

describe.each(openaiPaths)("openai on %s", (path) => {
  test("a whole answer", async () => {
    const answer = await openai(path).chat.completions.create({ model: chatModel, messages });
    expect(answer.choices[0]?.message.content).toBeTruthy();
    expect(answer.usage?.total_tokens).toBeGreaterThan(0);
    expect(answer._request_id).toMatch(/^req_/);
  });

  test("a stream, whose last chunk carries the usage", async () => {
    const stream = await openai(path).chat.completions.create({ model: chatModel, messages, stream: true });
    let text = "";
    let last: OpenAI.ChatCompletionChunk | undefined;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      last = chunk;
    }
    expect(text).toBeTruthy();
    expect(last?.usage?.completion_tokens).toBeGreaterThan(0);
  });

  test("the stream helper accepts it", async () => {
    const final = await openai(path)
      .chat.completions.stream({ model: chatModel, messages })
      .finalChatCompletion();
    expect(final.choices[0]?.finish_reason).toBe("stop");
  });

  test("include_usage: false keeps the usage chunk away from the client", async () => {
    const stream = await openai(path).chat.completions.create({
      model: chatModel,
      messages,
      stream: true,
      stream_options: { include_usage: false },
    });
    for await (const chunk of stream) expect(chunk.choices.length).toBe(1);
  });

  test("errors are thrown as the classes of their status", async () => {
    const request = { model: chatModel, messages };
    await expect(openai(path, "sk-payg-wrong").chat.completions.create(request)).rejects.toBeInstanceOf(
      OpenAI.AuthenticationError,
    );
    const unknown = openai(path).chat.completions.create({ ...request, model: "openai/none" });
    await expect(unknown).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    const bad = openai(path).chat.completions.create({ ...request, temperature: 3 });
    await expect(bad).rejects.toBeInstanceOf(OpenAI.BadRequestError);
  });
});

describe("openai models", () => {
  test("list and retrieve, by id and by alias", async () => {
    const page = await openai("/v1").models.list();
    expect(page.data.map(({ id }) => id)).toContain(chatModel);
    expect((await openai("/v1").models.retrieve(chatModel)).id).toBe(chatModel);
    expect((await openai("/v1").models.retrieve(chatModel.toUpperCase())).id).toBe(chatModel);
    await expect(openai("/v1").models.retrieve("openai/none")).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });

  test("the public list serves the SDKs' list calls", async () => {
    const page = await openai("/api/v1").models.list();
    expect(page.data.map(({ id }) => id)).toContain(chatModel);
    const anthropic = new Anthropic({ apiKey: gateway.keys.payg, baseURL: `${gateway.url}/api` });
    const list = await anthropic.models.list();
    expect(list.data.map(({ id }) => id)).toContain(messageModel);
  });
});

const majors = [
  ["@anthropic-ai/sdk 1", Anthropic],
  // Before 1.0 it authenticates with `x-api-key` instead of a bearer token.
  ["@anthropic-ai/sdk 0", AnthropicBefore1 as unknown as typeof Anthropic],
] as const;

describe.each(majors)("%s", (_, Client) => {
  describe.each(anthropicPaths)("on %j", (path) => {
    const client = (apiKey = gateway.keys.payg) =>
      new Client({ apiKey, baseURL: gateway.url + path, maxRetries: 0 });
    const request = { model: messageModel, max_tokens: 200, messages };

    test("a whole message", async () => {
      const message = await client().messages.create(request);
      expect(message.type).toBe("message");
      expect(message.content[0]).toMatchObject({ type: "text" });
      expect(message.usage.output_tokens).toBeGreaterThan(0);
    });

    test("a stream", async () => {
      const stream = client().messages.stream(request);
      let deltas = 0;
      stream.on("text", () => (deltas += 1));
      const message = await stream.finalMessage();
      expect(deltas).toBeGreaterThan(1);
      expect(message.stop_reason).toBe("end_turn");
      expect(message.usage.output_tokens).toBeGreaterThan(0);
    });

    test("errors are thrown as the classes of their status", async () => {
      await expect(client("sk-payg-wrong").messages.create(request)).rejects.toBeInstanceOf(
        Client.AuthenticationError,
      );
      const unknown = client().messages.create({ ...request, model: "anthropic/none" });
      await expect(unknown).rejects.toBeInstanceOf(Client.NotFoundError);
      const bad = client().messages.create({ ...request, max_tokens: 0 });
      await expect(bad).rejects.toBeInstanceOf(Client.BadRequestError);
    });
  });
});

describe("limits as the SDKs see them", () => {
  test("the free plan's fourth call in a minute is a RateLimitError that says when to come back", async () => {
    const client = openai("/v1", gateway.keys.free);
    const call = () =>
      client.chat.completions.create({ model: chatModel, messages, max_tokens: 50 }).withResponse();
    const first = await call();
    expect(first.response.headers.get("x-ratelimit-limit-requests")).toBe("3");
    expect(first.response.headers.get("x-ratelimit-remaining-requests")).toBe("2");
    await call();
    await call();
    const refused = await call().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(OpenAI.RateLimitError);
    const { headers, code } = refused as InstanceType<typeof OpenAI.RateLimitError>;
    expect(code).toBe("42901");
    expect(Number(headers?.get("retry-after"))).toBeGreaterThan(0);
    expect(Number(headers?.get("retry-after"))).toBeLessThanOrEqual(60);
  });
});
