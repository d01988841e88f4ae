/** Calls that reach a model over Bedrock's Converse: what it is sent, what is billed, and what its errors mean. */
import { beforeEach, describe, expect, test } from "vitest";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline, type Pipeline } from "#shared/calls/gateway/pipeline.ts";
import { type Answer, call } from "#test/support/call.ts";
import { readGolden } from "#test/support/converse.ts";
import { createMemory, type Memory, testCatalog } from "#test/support/memory.ts";
import { chatBody, completion, messages, sse, useScenario } from "#test/support/scenario.ts";

const scenario = useScenario();
let memory: Memory;
let serve: Pipeline;
let headers: Record<string, string>;

/** A model that is sold on Bedrock, and then by another host in OpenAI's form. */
beforeEach(() => {
  const { url } = scenario.upstream;
  const catalog = testCatalog(url) as {
    providers: Record<string, object>;
    models: { channels: object[]; price: { rates: object } }[];
  };
  catalog.providers.bedrock = { protocols: { converse: `${url}/bedrock` }, secret: "TEST_API_KEY" };
  catalog.providers.other = { protocols: { openai: `${url}/v1` }, secret: "TEST_API_KEY" };
  const [model] = catalog.models;
  if (!model) throw new Error("no model");
  model.channels = [
    { provider: "bedrock", model: "us.amazon.nova-lite-v1:0", priority: 1 },
    { provider: "other", model: "nova-lite", priority: 2 },
  ];
  model.price.rates = {
    ...model.price.rates,
    service_tier: { priority: "2", flex: "0.5" },
    speed: { optimized: "1.5" },
  };
  memory = createMemory(catalog);
  headers = { authorization: `Bearer ${memory.addKey()}` };
  serve = createPipeline({} as LocalAnswers, memory.deps);
});

const chat = (more: object = {}): Promise<Answer> =>
  call(serve, "/v1/chat/completions", { headers, body: { ...chatBody, ...more } });
const answers = (golden: string) =>
  scenario.upstream.on((_, response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(readGolden(golden)),
  );
const streams = (bytes: Buffer | string) =>
  scenario.upstream.on((_, response) => response.writeHead(200, sse).end(bytes));
const paths = () => scenario.upstream.requests.map(({ path }) => path);

describe("a call", () => {
  test("is asked under the model's name in the path, and answered in the client's protocol", async () => {
    answers("replies/text.json");
    const answer = await chat({ max_tokens: 50 });
    expect([answer.status, answer.json().choices]).toMatchObject([
      200,
      [{ message: { content: "Hello there" } }],
    ]);
    expect(paths()).toEqual(["/bedrock/model/us.amazon.nova-lite-v1%3A0/converse"]);
    expect(JSON.parse(scenario.upstream.requests[0]?.body.toString() ?? "")).toEqual({
      messages: [{ role: "user", content: [{ text: "Hello" }] }],
      inferenceConfig: { maxTokens: 50 },
    });
    expect(memory.events[0]).toMatchObject({
      evidence: "reported",
      usage: { input_tokens: 12, output_tokens: 3, cache_read_tokens: 0, cache_write_tokens: 0 },
    });
  });

  test("is billed by its tier, its latency and what is kept for an hour", async () => {
    answers("replies/thinking-tool-cached.json");
    await chat();
    expect(memory.events[0]).toMatchObject({
      usage: {
        input_tokens: 20,
        output_tokens: 40,
        cache_read_tokens: 1_000,
        cache_write_tokens: 140,
        details: { service_tier: "priority", speed: "optimized", tokens: { cache_write_1h: 100 } },
      },
    });
  });

  test.each([
    ["/v1/chat/completions", chatBody],
    ["/v1/messages", { ...chatBody, max_tokens: 100 }],
    ["/v1/responses", { model: chatBody.model, input: "Hello", store: false }],
    [
      "/api/v1beta/models/test/model-1:streamGenerateContent?alt=sse",
      { contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
    ],
  ])("streams to %s, and is billed by the last event", async (path, body) => {
    streams(readGolden("streams/thinking-tools-cached.sse"));
    const answer = await call(serve, path, { headers, body: { ...body, stream: true } });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain("I look.");
    expect(paths()).toEqual(["/bedrock/model/us.amazon.nova-lite-v1%3A0/converse-stream"]);
    expect(memory.events[0]).toMatchObject({
      outcome: "completed",
      evidence: "reported",
      usage: {
        input_tokens: 20,
        output_tokens: 40,
        cache_read_tokens: 1_000,
        details: { service_tier: "flex" },
      },
    });
  });

  test("that no form of Converse can carry goes to the next host", async () => {
    scenario.upstream.json(completion);
    const image = { type: "image_url", image_url: { url: "https://a.example/x.png" } };
    const answer = await chat({ messages: [{ ...messages[0], content: [image] }] });
    expect([answer.status, paths()]).toEqual([200, ["/v1/chat/completions"]]);
  });
});

describe("an error of AWS's", () => {
  const refuses = (status: number, name: string, message: string) =>
    scenario.upstream.on(({ url: path = "" }, response) => {
      if (path.startsWith("/v1"))
        return response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify(completion));
      return response
        .writeHead(status, {
          "content-type": "application/json",
          "x-amzn-errortype": `${name}:http://internal.amazon.com/`,
        })
        .end(JSON.stringify({ message }));
    });

  test.each([
    [429, "ThrottlingException", "Too many requests"],
    [403, "AccessDeniedException", "You don't have access to the model with the specified model ID."],
    [404, "ResourceNotFoundException", "This model version has reached the end of its life."],
    [408, "ModelTimeoutException", "Too slow."],
    [424, "ModelErrorException", "It broke."],
    [429, "ModelNotReadyException", "Wait."],
    [400, "ServiceQuotaExceededException", "Your quota."],
    [400, "ValidationException", "The provided model identifier is invalid."],
    [500, "InternalServerException", "It broke."],
    [503, "ServiceUnavailableException", "Down."],
  ])("%i %s: %s is not the request's, so the next host is asked", async (status, name, message) => {
    refuses(status, name, message);
    const answer = await chat();
    expect([answer.status, paths().length]).toEqual([200, 2]);
    expect(memory.logs.find(({ event }) => event === "upstream_failed")).toMatchObject({
      fields: { upstream_status: status, upstream_code: name },
    });
  });

  test("that blames the request is told to its client, and no other host is asked", async () => {
    refuses(
      400,
      "ValidationException",
      "The model returned the following errors: prompt is too long: 9 tokens > 8 maximum",
    );
    const answer = await chat();
    expect([answer.status, paths().length]).toEqual([400, 1]);
    expect(answer.json().error).toMatchObject({
      code: "context_length_exceeded",
      type: "invalid_request_error",
      message:
        "This model's maximum context length is 8 tokens. However, your messages resulted in 9 tokens. The provider says: prompt is too long: 9 tokens > 8 maximum",
    });
  });

  test("that comes before any output has the next host asked", async () => {
    scenario.upstream.on(({ url: path = "" }, response) => {
      if (path.startsWith("/v1")) return response.writeHead(503).end("{}");
      return response
        .writeHead(200, sse)
        .end('event: throttlingException\ndata: {"message":"Too many."}\n\n');
    });
    await chat({ stream: true });
    expect(paths()).toHaveLength(2);
  });

  test("that comes after output ends the stream in the client's own form, and bills what came", async () => {
    const golden = readGolden("streams/exception.sse").toString();
    const at = golden.indexOf("event: modelStream");
    let fail: (() => void) | undefined;
    scenario.upstream.on((_, response) => {
      response.writeHead(200, sse).write(golden.slice(0, at));
      fail = () => response.end(golden.slice(at));
    });
    const body = { ...chatBody, stream: true };
    const answer = await call(serve, "/v1/chat/completions", { headers, body, onChunk: () => fail?.() });
    expect(answer.text).toContain('"content":"Hel"');
    expect(answer.text).toContain('"code":"50001"');
    expect(answer.text).not.toContain("The model broke");
    expect(memory.events[0]).toMatchObject({ outcome: "truncated", evidence: "estimated" });
  });

  test("that blames the request in a stream is told as a 400", async () => {
    streams('event: validationException\ndata: {"message":"Input is too long for requested model."}\n\n');
    const answer = await chat({ stream: true });
    expect([answer.status, answer.json().error]).toMatchObject([400, { code: "context_length_exceeded" }]);
  });
});
