/**
 * The default catalog's embedding and picture models, played by the demo provider: each on every route that has it. And
 * the model with three ways, while one of them fails.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LocalGateway, startLocal } from "#test/support/local.ts";
import { expectCleanAudit } from "#test/support/money.ts";

type Json = Record<string, unknown>;

let gateway: LocalGateway;
beforeAll(async () => {
  gateway = await startLocal();
});
afterAll(() => gateway?.stop());

async function ask(path: string, body: Json | FormData, key = gateway.keys.payg): Promise<Response> {
  const authorization = `Bearer ${key}`;
  const isForm = body instanceof FormData;
  return await fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization, ...(isForm ? {} : { "content-type": "application/json" }) },
    body: isForm ? body : JSON.stringify(body),
  });
}

const lengthOf = (vector: unknown) => Math.hypot(...(vector as number[]));
const embedders = [
  "openai/text-embedding-3-small",
  "google/gemini-embedding-001",
  "volcengine/doubao-embedding-large-text-250515",
  "zhipu/embedding-3",
];

describe.each(embedders)("%s", (model) => {
  test.each(["/v1", "/api/v1", "/api/v3", "/api/paas/v4"])("at %s", async (base) => {
    const reply = await ask(`${base}/embeddings`, { model, input: ["a", "b"], dimensions: 64 });
    const { data } = (await reply.json()) as { data: { embedding: number[] }[] };
    expect(data.map(({ embedding }) => embedding.length)).toEqual([64, 64]);
    for (const { embedding } of data) expect(lengthOf(embedding)).toBeCloseTo(1);
    expect(Number(reply.headers.get("x-gateway-cost-points"))).toBeGreaterThan(0);
  });

  test("at Gemini's routes", async () => {
    const content = { parts: [{ text: "a" }] };
    const path = `/api/v1beta/models/${model}`;
    const one = (await (await ask(`${path}:embedContent`, { content })).json()) as Json;
    const requests = [{ content }, { content: { parts: [{ text: "b" }] } }];
    const { embeddings } = (await (await ask(`${path}:batchEmbedContents`, { requests })).json()) as {
      embeddings: object[];
    };
    expect(embeddings).toEqual([one.embedding, { values: expect.any(Array) }]);
  });
});

test("texts and pictures together, at the prices of both", async () => {
  const url = "https://media.example/a.png";
  const reply = await ask("/api/v3/embeddings/multimodal", {
    model: "skylark-embedding-vision",
    input: [
      { type: "text", text: "A cat" },
      { type: "image_url", image_url: { url } },
    ],
  });
  const { data, usage } = (await reply.json()) as {
    data: Json;
    usage: { prompt_tokens_details: { text_tokens: number; image_tokens: number } };
  };
  expect(lengthOf(data.embedding)).toBeCloseTo(1);
  const { text_tokens, image_tokens } = usage.prompt_tokens_details;
  const cost = (text_tokens * 0.125 + image_tokens * 0.325) / 1e6;
  expect(Number(reply.headers.get("x-gateway-cost-points"))).toBeCloseTo(cost, 12);
  const lines = async () => {
    const headers = { authorization: `Bearer ${gateway.keys.payg}` };
    const path = `/api/v1/requests/${reply.headers.get("x-request-id")}`;
    const receipt = (await (await fetch(gateway.url + path, { headers })).json()) as { lines?: Json[] };
    return receipt.lines?.map(({ dimension, quantity, unit_price }) => [dimension, quantity, unit_price]);
  };
  await expect.poll(lines, { interval: 50 }).toEqual([
    ["input_tokens", text_tokens, "0.125"],
    ["image_input_tokens", image_tokens, "0.325"],
  ]);
});

describe("pictures", () => {
  const typesOf = async (reply: Response) =>
    [...(await reply.text()).matchAll(/^data: \{"type":"(.*?)"/gm)].map(([, type]) => type);
  const cat = { prompt: "A cat", stream: true };

  test("are streamed in OpenAI's form", async () => {
    const asked = { ...cat, model: "openai/gpt-image-1-mini", n: 2, partial_images: 1 };
    const one = ["image_generation.partial_image", "image_generation.completed"];
    expect(await typesOf(await ask("/v1/images/generations", asked))).toEqual([...one, ...one]);
  });

  test("are edited in a stream", async () => {
    const form = new FormData();
    const fields = { prompt: "A hat", stream: "true", model: "openai/gpt-image-1-mini" };
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append("image", new Blob(["PNG"], { type: "image/png" }), "a.png");
    expect(await typesOf(await ask("/v1/images/edits", form))).toEqual(["image_edit.completed"]);
  });

  test.each(["5-0-lite-260128", "4-5-251128", "4-0-250828"])("are streamed by Seedream %s", async (name) => {
    const asked = {
      ...cat,
      model: `volcengine/doubao-seedream-${name}`,
      sequential_image_generation: "auto",
      sequential_image_generation_options: { max_images: 2 },
    };
    const given = "image_generation.partial_succeeded";
    const types = await typesOf(await ask("/api/v3/images/generations", asked));
    expect(types).toEqual([given, given, "image_generation.completed"]);
  });

  test("are drawn at Zhipu's base URL, and not streamed", async () => {
    const asked = { model: "zhipu/cogview-4", prompt: "A cat", user_id: "user-1234" };
    const whole = await ask("/api/paas/v4/images/generations", asked);
    expect(whole.headers.get("x-gateway-cost-points")).toBe("0.01");
    expect((await ask("/api/paas/v4/images/generations", { ...asked, stream: true })).status).toBe(400);
  });
});

test("a call of demo/three-ways goes elsewhere while one of its providers fails, and says so", async () => {
  const outage = await fetch(`${gateway.endpoints.demoProvider}/weather/north`, {
    method: "PUT",
    body: "outage",
  });
  expect(outage.status).toBe(200);
  const model = "demo/three-ways";
  const key = gateway.keys.subscription;
  const told: string[] = [];
  // Each text is a conversation of its own. Of 40, fewer than three begin at north once in 50,000 runs.
  for (let call = 0; call < 40; call++) {
    const messages = [{ role: "user", content: `Hello ${call}` }];
    const reply = await ask("/v1/chat/completions", { model, messages }, key);
    expect(reply.status).toBe(200);
    told.push(reply.headers.get("x-gateway-route") ?? "");
  }
  expect(told.filter((route) => /^smart; via=(?:south|west); why=\w+; of=3/.test(route))).toEqual(told);
  expect(told.filter((route) => route.includes("; why=failover; of=3")).length).toBeGreaterThanOrEqual(3);
  expect(told.some((route) => /; why=conversation; of=3; out=.*north:open/.test(route))).toBe(true);
  const headers = { authorization: `Bearer ${key}` };
  const page = await (await fetch(`${gateway.url}/api/v1/models/${model}/routes`, { headers })).json();
  expect((page as { data: Json[] }).data[0]).toMatchObject({
    provider: "north",
    state: "open",
    uptime_5m: 0,
  });
});

test("a stream of demo/three-ways whose provider hangs is raced, and says so", async () => {
  const { demoProvider } = gateway.endpoints;
  const put = (word: string) => fetch(`${demoProvider}/weather/south`, { method: "PUT", body: word });
  expect((await put("hang")).status).toBe(200);
  const headers = {
    authorization: `Bearer ${gateway.keys.subscription}`,
    "content-type": "application/json",
    // The outage before this test goes on at north.
    "x-gateway-route": "only=south,west; order=south,west",
  };
  const messages = [{ role: "user", content: "Hello" }];
  const body = JSON.stringify({ model: "demo/three-ways", messages, stream: true });
  const reply = await fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", headers, body });
  expect(reply.headers.get("x-gateway-route")).toMatch(/^smart; via=west; why=race; of=2/);
  expect(await reply.text()).toContain("[DONE]");
  const receipt = async () => {
    const id = reply.headers.get("x-request-id") ?? "";
    const answer = await fetch(`${gateway.url}/api/v1/requests/${id}`, { headers });
    return ((await answer.json()) as { route?: { why: string; attempts: Json[] } }).route;
  };
  await expect.poll(receipt, { interval: 50 }).toMatchObject({
    why: "race",
    attempts: [
      { provider: "south", outcome: "lost" },
      { provider: "west", outcome: "answered" },
    ],
  });
  await put("clear");
});

test("every call is on the ledger, and pictures of streams are charged one by one", async () => {
  const costs = async () => {
    const headers = { authorization: `Bearer ${gateway.keys.payg}` };
    const list = await fetch(`${gateway.url}/api/v1/calls?model=openai/gpt-image-1-mini`, { headers });
    const { data } = (await list.json()) as { data: { cost_points: string }[] };
    return data.map(({ cost_points }) => cost_points);
  };
  await expect.poll(costs, { interval: 50 }).toEqual(["0.052", "0.104"]);
  await expectCleanAudit(gateway);
});
