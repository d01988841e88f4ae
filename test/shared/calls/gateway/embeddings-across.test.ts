/** OpenAI's embeddings from providers that speak Gemini's: on OpenAI's, Ark's and Zhipu's routes alike. */
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { readJsonObject } from "#shared/base/json/body.ts";
import { plainCall } from "#shared/books/billing/call.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { encodeReply, encodeRequest } from "#shared/calls/protocols/openai-embeddings/elsewhere.ts";
import { readRequest } from "#shared/calls/protocols/openai-embeddings/fields.ts";
import { call } from "#test/support/call.ts";
import { createMemory } from "#test/support/memory.ts";
import { useScenario } from "#test/support/scenario.ts";
import { surfacesCatalog } from "#test/support/surfaces.ts";

const scenario = useScenario();
beforeEach(() => {
  scenario.memory = createMemory(surfacesCatalog(scenario.upstream.url));
  scenario.key = scenario.memory.addKey();
  scenario.serve = createPipeline({} as never, scenario.memory.deps);
});

const model = "gemini/embedding";
const send = (path: string, body: object, headers = {}) =>
  call(scenario.serve, path, { headers: { ...scenario.bearer(), ...headers }, body: { model, ...body } });
const request = (text: string, more = {}) => ({
  model: "models/upstream-embedding",
  content: { parts: [{ text }] },
  ...more,
});
const sent = () => {
  const { path, body } = scenario.upstream.requests[0] ?? {};
  return { path, body: JSON.parse(String(body)) as unknown };
};
const told = { usageMetadata: { promptTokenCount: 1000 } };

describe.each(["/v1/embeddings", "/api/v1/embeddings", "/api/v3/embeddings", "/api/paas/v4/embeddings"])(
  "%s",
  (path) => {
    test("texts go as one batch, and their vectors return in order", async () => {
      scenario.upstream.json({ embeddings: [{ values: [1, -2.5] }, { values: [0.5, 0] }], ...told });
      const reply = await send(path, { input: ["a", "b"], dimensions: 2, user: "u" });
      expect(reply.json()).toEqual({
        object: "list",
        data: [
          { object: "embedding", index: 0, embedding: [1, -2.5] },
          { object: "embedding", index: 1, embedding: [0.5, 0] },
        ],
        model,
        usage: { prompt_tokens: 1000, total_tokens: 1000 },
      });
      expect(reply.headers["x-gateway-dropped"]).toBe("user");
      expect(sent()).toEqual({
        path: "/v1beta/models/upstream-embedding:batchEmbedContents",
        body: {
          requests: [request("a", { outputDimensionality: 2 }), request("b", { outputDimensionality: 2 })],
        },
      });
      expect(scenario.memory.events[0]).toMatchObject({
        kind: "embedding",
        evidence: "reported",
        cost_points: "0.0001",
        user: "u",
        usage: { input_tokens: 1000, output_tokens: 0 },
      });
    });

    test.each([
      ["tokens", { input: [1, 2] }, "`input`"],
      ["lists of tokens", { input: [[1], [2]] }, "`input`"],
      ["more texts than a batch has", { input: Array.from({ length: 101 }, () => "a") }, "100"],
      ["no size", { input: "a", dimensions: 0 }, "`dimensions`"],
      ["a model that chats", { input: "a", model: "test/model-1" }, "does not support embeddings"],
    ])("%s are refused, and consume nothing", async (_, body, why) => {
      const reply = await send(path, body);
      expect(reply.status).toBe(400);
      expect(reply.text).toContain(why);
      const { holds, events } = scenario.memory;
      expect([holds, events, scenario.upstream.requests]).toEqual([[], [], []]);
    });
  },
);

test("one text is a batch of one; base64 is little-endian float32", async () => {
  scenario.upstream.json({ embeddings: [{ values: [1, -2.5] }], ...told });
  const reply = await send("/v1/embeddings", { input: "a", encoding_format: "base64" });
  const [item] = reply.json().data as { embedding: string }[];
  const bytes = Buffer.from(item?.embedding ?? "", "base64");
  expect([bytes.length, bytes.readFloatLE(0), bytes.readFloatLE(4)]).toEqual([8, 1, -2.5]);
  expect(reply.headers).not.toHaveProperty("x-gateway-dropped");
  expect(sent().body).toEqual({ requests: [request("a")] });
});

test("without a report the client is told the estimate that it is billed by", async () => {
  scenario.upstream.json({ embeddings: [{ values: [1] }] });
  const body = { model, input: "Some words of text" };
  const reply = await send("/v1/embeddings", body, { "x-gateway-usage": "cost" });
  const prompt_tokens = Math.ceil(JSON.stringify(body).length / 3);
  const [event] = scenario.memory.events;
  expect(event).toMatchObject({
    evidence: "estimated",
    flags: ["no_usage"],
    usage: { input_tokens: prompt_tokens },
  });
  expect(reply.json().usage).toEqual({
    prompt_tokens,
    total_tokens: prompt_tokens,
    cost: Number(event?.cost_points),
    cost_points: event?.cost_points,
  });
});

test.each([
  ["fewer vectors", { embeddings: [{ values: [1] }], ...told }],
  ["no vectors", { embeddings: [{}, {}], ...told }],
  ["no list", { usageMetadata: { promptTokenCount: 1 } }],
  ["an error", { error: { code: 500, message: "no", status: "INTERNAL" } }],
])("a reply with %s has failed, and is free", async (_, body) => {
  scenario.upstream.json(body);
  const reply = await send("/v1/embeddings", { input: ["a", "b"] });
  expect([reply.status, reply.text.includes('"code":"50001"')]).toEqual([500, true]);
  expect(scenario.memory.events[0]).toMatchObject({ calls: 0, cost_points: "0" });
});

test("a refusal of the provider comes in the client's own form", async () => {
  scenario.upstream.on((_, response) =>
    response
      .writeHead(400, { "content-type": "application/json" })
      .end('{"error":{"code":400,"message":"Bad text.","status":"INVALID_ARGUMENT"}}'),
  );
  const reply = await send("/v1/embeddings", { input: "a" });
  expect([reply.status, reply.json()]).toMatchObject([400, { error: { type: "invalid_request_error" } }]);
  expect(reply.text).toContain("Bad text.");
  expect(scenario.memory.events[0]).toMatchObject({ calls: 0, cost_points: "0" });
});

test("whatever the texts and vectors, each text has the vector that was made of it", () => {
  const texts = fc.array(fc.string({ minLength: 1, unit: "grapheme" }), { minLength: 1, maxLength: 100 });
  const size = fc.integer({ min: 1, max: 4 });
  fc.assert(
    fc.property(texts, size, fc.boolean(), fc.gen(), (input, dimensions, base64, gen) => {
      const encoding_format = base64 ? "base64" : "float";
      const body = readJsonObject(Buffer.from(JSON.stringify({ model, input, dimensions, encoding_format })));
      const encoded = JSON.parse(encodeRequest(body, plainCall, "m").toString()) as { requests: unknown[] };
      expect(encoded.requests).toEqual(
        input.map((text) => ({
          model: "models/m",
          content: { parts: [{ text }] },
          outputDimensionality: dimensions,
        })),
      );
      const vector = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { maxLength: dimensions });
      const vectors = input.map(() => gen(() => vector).map((value) => (value === 0 ? 0 : value)));
      const reply = Buffer.from(JSON.stringify({ embeddings: vectors.map((values) => ({ values })) }));
      const answer = JSON.parse(
        encodeReply(reply, readRequest(body), { model, input_tokens: 7 }).toString(),
      ) as { data: { index: number; embedding: string | number[] }[]; usage: object };
      expect(answer.data.map(({ index }) => index)).toEqual(input.map((_, index) => index));
      expect(answer.data.map(({ embedding }) => numbersOf(embedding))).toEqual(vectors);
      expect(answer.usage).toEqual({ prompt_tokens: 7, total_tokens: 7 });
    }),
    { seed: 12, numRuns: 100 },
  );
});

function numbersOf(embedding: string | number[]): number[] {
  if (typeof embedding !== "string") return embedding;
  const bytes = Buffer.from(embedding, "base64");
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}
