/**
 * Media that only the provider can measure are held for the most they can cost. These tests use the real meters
 * and raw numbers: no wallet goes below zero.
 */
import { beforeEach, describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { awsOverMemory } from "#test/support/aws-over.ts";
import { call } from "#test/support/call.ts";
import { createMemoryDynamoDb } from "#test/support/memory-dynamodb.ts";
import { completion, useScenario } from "#test/support/scenario.ts";
import { openPlan, openWallet } from "#test/support/store.ts";

const scenario = useScenario();
const database = createMemoryDynamoDb();
const aws = awsOverMemory(database);
const db = { aws, tables: database.tables };
const meters = createMeters(aws, database.tables);
const point = 10n ** 18n;

/** A model whose whole context costs 5 points, whatever it is made of; its answer costs nothing. */
const price = { mode: "flat_tokens", input: "5", output: "0", cache_read: "5", cache_write: "5" };
const context = 1_000_000;

beforeEach(() => {
  const { deps } = scenario.memory;
  const model = deps.catalog.find("test/model-1");
  Object.assign(model ?? {}, { price, context_tokens: context });
  scenario.serve = createPipeline({} as never, { ...deps, meters });
});

const url = "https://host.example/some/where.pdf";
const ask = { model: "test/model-1", max_tokens: 10 };
const generate = "/api/v1beta/models/test/model-1:generateContent";

/**
 * A document in each protocol, by address or by the id of a file, and a provider's answer that it was a whole context.
 */
const documents: [name: string, path: string, body: object, answer: object][] = [
  [
    "OpenAI chat, by address",
    "/v1/chat/completions",
    { ...ask, messages: [{ role: "user", content: [{ type: "file", file: { url } }] }] },
    { ...completion, usage: { prompt_tokens: context, completion_tokens: 4 } },
  ],
  [
    "Anthropic, by address",
    "/v1/messages",
    {
      ...ask,
      messages: [{ role: "user", content: [{ type: "document", source: { type: "url", url } }] }],
    },
    {
      type: "message",
      content: [{ type: "text", text: "Hi" }],
      stop_reason: "end_turn",
      usage: { input_tokens: context, output_tokens: 4 },
    },
  ],
  [
    "Responses, by address",
    "/v1/responses",
    {
      model: "test/model-1",
      input: [{ role: "user", content: [{ type: "input_file", file_url: url }] }],
      max_output_tokens: 10,
    },
    {
      status: "completed",
      output: [{ type: "message", content: [{ type: "output_text", text: "Hi" }] }],
      usage: { input_tokens: context, output_tokens: 4 },
    },
  ],
  [
    "Gemini, by address",
    generate,
    { contents: [{ parts: [{ fileData: { mimeType: "application/pdf", fileUri: url } }] }] },
    {
      candidates: [{ content: { parts: [{ text: "Hi" }] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: context, candidatesTokenCount: 4 },
    },
  ],
];

/** Five calls at once on a wallet; gives how many were let in, and what is left. */
async function five(points: string, path: string, body: object) {
  const meter = await openWallet(db, points);
  const key = scenario.memory.addKey({}, { wallet: { meter, shards: 1 } });
  const headers = { authorization: `Bearer ${key}` };
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => call(scenario.serve, path, { headers, body })),
  );
  const statuses = replies.map(({ status }) => status);
  expect(statuses.filter((status) => status !== 200 && status !== 402)).toEqual([]);
  return { admitted: statuses.filter((status) => status === 200).length, left: await meters.balance(meter) };
}

describe.each(documents)("a document, %s, that costs 5 points", (_, path, body, answer) => {
  beforeEach(() => {
    scenario.upstream.on(async (_request, response) => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
  });

  test.each([
    ["0.03", 0, 30_000_000_000_000_000n],
    ["0.2", 0, 200_000_000_000_000_000n],
    ["4.999999", 0, 4_999_999_000_000_000_000n],
    ["5", 1, 0n],
    ["14.9", 2, 4_900_000_000_000_000_000n],
    ["25", 5, 0n],
  ])("with a wallet of %s points %i of five calls are let in", async (points, admitted, left) => {
    expect(await five(points, path, body)).toEqual({ admitted, left });
    expect(scenario.upstream.requests).toHaveLength(admitted);
    expect(scenario.memory.events.map(({ cost_points, flags }) => [cost_points, flags])).toEqual(
      Array.from({ length: admitted }, () => ["5", []]),
    );
  });
});

test("a strict limit of the model is what a document is held for", async () => {
  const [, path, body] = documents[0] ?? expect.fail();
  Object.assign(scenario.memory.deps.catalog.find("test/model-1") ?? {}, { media_tokens: 20_000 });
  scenario.upstream.json({ ...completion, usage: { prompt_tokens: 20_000, completion_tokens: 4 } });
  // 20,000 tokens and the bytes around: 0.1 points each.
  expect(await five("0.6", path, body)).toEqual({ admitted: 5, left: point / 10n });
});

test.each([0, 1, 3])(
  "%i pictures by address are held as the dearest of the provider's protocols",
  async (count) => {
    const meter = await openWallet(db, "100");
    const key = scenario.memory.addKey({}, { wallet: { meter, shards: 1 } });
    let held: bigint | undefined;
    scenario.upstream.on(async (_, response) => {
      held = [...((await meters.readMeter(meter, 0))?.holds.values() ?? [])][0]?.points;
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(completion));
    });
    const pictures = Array.from({ length: count }, () => ({ type: "image_url", image_url: { url } }));
    const content = [{ type: "text", text: "What is it?" }, ...pictures];
    const body = { ...ask, messages: [{ role: "user", content }] };
    const headers = { authorization: `Bearer ${key}` };
    await call(scenario.serve, "/v1/chat/completions", { headers, body });
    const tokens = JSON.stringify(body).length + limits.overheadTokens + count * 48_169;
    expect(held).toBe((BigInt(tokens) * 5n * point) / 1_000_000n);
  },
);

describe("the windows of a plan", () => {
  test("reserve a quarter of its minute for a document, and the rest is a debt", async () => {
    const meter = await openPlan(db);
    const subscription = { meter, plan: "free", period: "monthly", started_at: 0, ends_at: null } as const;
    const key = scenario.memory.addKey({ mode: "subscription" }, { subscription, wallet: null });
    const headers = { authorization: `Bearer ${key}` };
    const [, path, body] = documents[0] ?? expect.fail();
    const left: number[] = [];
    scenario.upstream.json({ ...completion, usage: { prompt_tokens: 30_000, completion_tokens: 4 } });
    const first = await call(scenario.serve, path, { headers, body });
    expect(first.status).toBe(200);
    left.push(Number(first.headers["x-ratelimit-remaining-tokens"]));
    const text = Math.ceil(JSON.stringify(body).length / 3);
    expect(left).toEqual([20_000 - 5_000 - text - 10]);
    // It came to 30,000 of the minute's 20,000 tokens.
    const second = await call(scenario.serve, path, {
      headers,
      body: { ...body, messages: [{ role: "user", content: "Hi" }] },
    });
    expect([second.status, second.json()]).toMatchObject([429, { error: { code: "42901" } }]);
  });

  test("reserve a quarter of a key's own minute where that is less", async () => {
    const subscription = {
      meter: "mtr_1",
      plan: "free",
      period: "monthly",
      started_at: 0,
      ends_at: null,
    } as const;
    const { memory, upstream } = scenario;
    upstream.json(completion);
    scenario.serve = createPipeline({} as never, memory.deps);
    const [, path, body] = documents[0] ?? expect.fail();
    const key = memory.addKey(
      { mode: "subscription", limits: { tpm: 2_000 } },
      { subscription, wallet: null },
    );
    await call(scenario.serve, path, { headers: { authorization: `Bearer ${key}` }, body });
    const text = Math.ceil(JSON.stringify(body).length / 3);
    expect(memory.holds.map(({ tokens }) => tokens)).toEqual([500 + text + 10]);
  });
});
