/** Gemini embeddings: passed through to Google's providers, and carried over to those that speak OpenAI's. */
import { beforeEach, describe, expect, test } from "vitest";
import { call } from "#test/support/call.ts";
import { useScenario } from "#test/support/scenario.ts";

const scenario = useScenario();
const model = "/api/v1beta/models/test/embedding-1";
const send = (action: string, body: object | string) =>
  call(scenario.serve, `${model}:${action}`, { headers: scenario.bearer(), body });
const content = (...texts: string[]) => ({ parts: texts.map((text) => ({ text })) });
const sent = () => {
  const request = scenario.upstream.requests[0];
  return { path: request?.path, body: JSON.parse(String(request?.body)) as unknown };
};

describe("a provider that speaks Gemini", () => {
  test("gets one content as it came, and reports what it used", async () => {
    const reply = { embedding: { values: [1, 2] }, usageMetadata: { promptTokenCount: 1000 } };
    scenario.upstream.json(reply);
    const body = `{"content" :{"parts":[{"text":"a"}]}, "taskType":"RETRIEVAL_QUERY","model":"models/x"}`;
    expect((await send("embedContent", body)).json()).toEqual(reply);
    expect(scenario.upstream.requests[0]?.path).toBe("/v1beta/models/upstream-embedding:embedContent");
    expect(String(scenario.upstream.requests[0]?.body)).toBe(
      body.replace("models/x", "models/upstream-embedding"),
    );
    expect(scenario.memory.events[0]).toMatchObject({
      kind: "embedding",
      cost_points: "0.0001",
      evidence: "reported",
      usage: { input_tokens: 1000, output_tokens: 0 },
    });
  });

  test("gets many with its own name for the model in each; without usage the charge is a flagged estimate", async () => {
    const reply = { embeddings: [{ values: [1] }, { values: [2] }] };
    scenario.upstream.json(reply);
    const requests = [
      { model: "models/test/embedding-1", content: content("a"), outputDimensionality: 8 },
      { content: content("b") },
    ];
    const body = { requests };
    expect((await send("batchEmbedContents", body)).json()).toEqual(reply);
    expect(sent()).toEqual({
      path: "/v1beta/models/upstream-embedding:batchEmbedContents",
      body: { requests: requests.map((each) => ({ ...each, model: "models/upstream-embedding" })) },
    });
    expect(scenario.memory.events[0]).toMatchObject({
      evidence: "estimated",
      flags: ["no_usage"],
      usage: { input_tokens: Math.ceil(JSON.stringify(body).length / 3) },
    });
  });

  test("that gives no vectors and no usage is asked for its input, estimated", async () => {
    scenario.upstream.json({ embeddings: [] });
    await send("batchEmbedContents", { requests: [{ content: content("a") }] });
    expect(scenario.memory.events[0]).toMatchObject({ calls: 1, evidence: "estimated", flags: ["no_usage"] });
  });
});

describe("a provider that speaks OpenAI's", () => {
  const vectors = (...data: object[]) => ({ object: "list", data, usage: { prompt_tokens: 1000 } });
  beforeEach(() => {
    const provider = scenario.memory.deps.catalog.provider("test");
    if (provider) provider.protocols = { openai: `${scenario.upstream.url}/v1` };
  });

  test("gets texts, and its vectors return in the order of the requests", async () => {
    scenario.upstream.json(vectors({ index: 1, embedding: [2.5] }, { index: 0, embedding: [1] }));
    const requests = [
      { content: content("a", "b"), output_dimensionality: 8, taskType: "CLUSTERING", title: null },
      { content: content("c"), outputDimensionality: 8 },
    ];
    const reply = await send("batchEmbedContents", { requests });
    const usageMetadata = { promptTokenCount: 1000, totalTokenCount: 1000 };
    expect(reply.json()).toEqual({ embeddings: [{ values: [1] }, { values: [2.5] }], usageMetadata });
    expect(reply.headers["x-gateway-dropped"]).toBe("taskType");
    expect(sent()).toEqual({
      path: "/v1/embeddings",
      body: { model: "upstream-embedding", input: ["a\nb", "c"], encoding_format: "float", dimensions: 8 },
    });
    expect(scenario.memory.events[0]).toMatchObject({ evidence: "reported", cost_points: "0.0001" });
  });

  test("gets one text, and one vector returns", async () => {
    scenario.upstream.json(vectors({ index: 0, embedding: [1] }));
    const reply = await send("embedContent", { content: content("a") });
    expect(reply.json()).toMatchObject({ embedding: { values: [1] } });
    expect(reply.headers).not.toHaveProperty("x-gateway-dropped");
    expect(sent().body).toEqual({ model: "upstream-embedding", input: ["a"], encoding_format: "float" });
  });

  test.each([
    ["no text", [{ content: { parts: [{ inlineData: { mimeType: "image/png", data: "AA" } }] } }]],
    ["two sizes", [{ content: content("a"), outputDimensionality: 8 }, { content: content("b") }]],
  ])("is not asked for what it cannot give: %s", async (_, requests) => {
    expect((await send("batchEmbedContents", { requests })).status).toBe(400);
    expect(scenario.upstream.requests).toEqual([]);
    expect(scenario.memory.holds).toEqual([]);
  });

  test("gets the options that stand in `embedContentConfig`", async () => {
    scenario.upstream.json(vectors({ index: 0, embedding: [1] }));
    const embed_content_config = { output_dimensionality: 8, taskType: "CLUSTERING", auto_truncate: true };
    const reply = await send("embedContent", { content: content("a"), embed_content_config });
    expect(reply.headers["x-gateway-dropped"]).toBe("taskType, autoTruncate");
    expect(sent().body).toMatchObject({ dimensions: 8 });
  });

  test("that reports no usage is charged its input, estimated, and the client is told none", async () => {
    const { usage: _, ...silent } = vectors({ index: 0, embedding: [1] });
    scenario.upstream.json(silent);
    expect((await send("embedContent", { content: content("a") })).text).toBe('{"embedding":{"values":[1]}}');
    expect(scenario.memory.events[0]).toMatchObject({ evidence: "estimated", flags: ["no_usage"] });
  });

  test.each([
    ["fewer", [{ index: 0, embedding: [1] }]],
    ["more", [0, 1, 2].map((index) => ({ index, embedding: [1] }))],
  ])("that gives %s vectors than it was asked for has failed", async (_, data) => {
    scenario.upstream.json(vectors(...data));
    const requests = [{ content: content("a") }, { content: content("b") }];
    expect((await send("batchEmbedContents", { requests })).status).toBe(500);
    expect(scenario.memory.events[0]).toMatchObject({ calls: 0, cost_points: "0" });
  });

  test("that answers something else has failed", async () => {
    scenario.upstream.json(vectors({ index: 0, embedding: "AAAA" }));
    expect((await send("embedContent", { content: content("a") })).status).toBe(500);
  });
});

test.each([
  ["embedContent", {}, "`content`"],
  ["embedContent", { content: "a" }, "`content`"],
  ["embedContent", { content: {} }, "`content.parts`"],
  ["batchEmbedContents", {}, "`requests`"],
  ["batchEmbedContents", { requests: [] }, "`requests`"],
  ["batchEmbedContents", { requests: ["a"] }, "`requests[0]`"],
  ["batchEmbedContents", { requests: [{ content: 1 }] }, "`requests[0].content`"],
  ["batchEmbedContents", '{"requests":[],"requests":[]}', "`requests` is given twice"],
  ["embedContent", '{"embedContentConfig":{},"embed_content_config":{}}', "is given twice"],
])("%s refuses %j", async (action, body, why) => {
  const reply = await send(action, body);
  expect(reply.status).toBe(400);
  expect(reply.json()).toMatchObject({ error: { code: 400, status: "INVALID_ARGUMENT" } });
  expect(reply.text).toContain(why);
  expect([scenario.memory.holds, scenario.upstream.requests]).toEqual([[], []]);
});
