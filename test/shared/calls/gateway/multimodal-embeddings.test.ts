/** Ark's multimodal embeddings: one vector of texts, pictures and clips, whose tokens have two prices. */
import { beforeEach, describe, expect, test } from "vitest";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
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

const model = "test/multimodal-1";
const send = (body: object | string) =>
  call(scenario.serve, "/api/v3/embeddings/multimodal", { headers: scenario.bearer(), body });
const text = { type: "text", text: "A cat" };
const picture = { type: "image_url", image_url: { url: "https://x.example/1.png" } };
const clip = { type: "video_url", video_url: { url: "https://x.example/1.mp4", fps: 1 } };
const reply = (usage: object) => ({
  created: 1,
  data: { embedding: [0.5, -2], object: "embedding", sparse_embedding: [{ index: 1, value: 0.5 }] },
  object: "list",
  usage,
});
const usage = {
  prompt_tokens: 1300,
  prompt_tokens_details: { text_tokens: 300, image_tokens: 1000 },
  total_tokens: 1300,
};

test("pass through byte for byte, and each kind of token has its price", async () => {
  scenario.upstream.json(reply(usage));
  const body = (name: string) =>
    `{"model" :"${name}","input":[${JSON.stringify(picture)}, ${JSON.stringify(text)}],"dimensions":null}`;
  const answer = await send(body(model));
  expect(answer.text).toBe(JSON.stringify(reply(usage)));
  const [{ path, body: sent } = { path: "", body: "" }] = scenario.upstream.requests;
  expect([path, String(sent)]).toEqual(["/ark/embeddings/multimodal", body("upstream-multimodal")]);
  // 300 × 0.125 and 1,000 × 0.325 points per million tokens.
  expect(answer.headers["x-gateway-cost-points"]).toBe("0.0003625");
  expect(scenario.memory.events[0]).toMatchObject({
    kind: "embedding",
    evidence: "reported",
    flags: [],
    cost_points: "0.0003625",
    usage: { input_tokens: 1300, output_tokens: 0, details: { tokens: { image_input: 1000 } } },
  });
});

describe("what is held", () => {
  /** 10⁻¹⁸ points of so many tokens, of which a million cost so many thousandths of a point. */
  const points = (tokens: number, price: number) => BigInt(tokens * price) * 1_000_000_000n;

  test.each([
    ["a text, at the price of text", [text], 0, 125],
    ["a picture, at the most that one can be and the price of pictures", [text, picture], 10_000, 325],
    ["a clip, in the same way", [clip], 10_000, 325],
    ["two of them", [picture, clip, text], 20_000, 325],
    ["inline data, without its bytes", [{ ...picture, image_url: { url: dataUrl(60_000) } }], 10_000, 325],
  ])("is %s", async (_, input, media, price) => {
    scenario.upstream.json(reply(usage));
    await send({ model, input });
    const inline = JSON.stringify(input).length > 60_000 ? dataUrl(60_000).length : 0;
    const bytes = JSON.stringify({ model, input }).length - inline;
    expect(scenario.memory.holds[0]?.points).toBe(points(bytes + 64 + media, price));
  });

  test("is at most the model's context, since all of the input is one", async () => {
    scenario.upstream.json(reply(usage));
    await send({ model, input: Array.from({ length: 20 }, () => clip) });
    expect(scenario.memory.holds[0]?.points).toBe(points(131_072, 325));
  });
});

function dataUrl(bytes: number): string {
  return `data:image/png;base64,${"A".repeat(bytes)}`;
}

test("a vector asked for as base64 is little-endian float32, and the provider is asked for numbers", async () => {
  scenario.upstream.json(reply(usage));
  const answer = await send({ model, input: [text], encoding_format: "base64" });
  const { embedding, object } = answer.json().data as Record<string, string>;
  const bytes = Buffer.from(embedding ?? "", "base64");
  expect([bytes.readFloatLE(0), bytes.readFloatLE(4), object]).toEqual([0.5, -2, "embedding"]);
  const sent = JSON.parse(String(scenario.upstream.requests[0]?.body)) as object;
  expect(sent).toMatchObject({ encoding_format: "float" });
});

test("without a report the charge is a flagged estimate", async () => {
  const { usage: _, ...silent } = reply(usage);
  scenario.upstream.json(silent);
  const body = { model, input: [text, picture] };
  await send(body);
  expect(scenario.memory.events[0]).toMatchObject({
    evidence: "estimated",
    flags: ["no_usage"],
    usage: { input_tokens: Math.ceil(JSON.stringify(body).length / 3) + 4_096 },
  });
});

test.each([
  ["an error", { error: { code: "InternalServiceError" } }],
  ["a list of vectors, and no usage", { data: [{ embedding: [1] }] }],
])("%s is no answer, and free", async (_, body) => {
  scenario.upstream.json(body);
  expect((await send({ model, input: [text] })).status).toBe(500);
  expect(scenario.memory.events[0]).toMatchObject({ calls: 0, cost_points: "0" });
});

test.each([
  [{}, "`input`"],
  [{ input: [] }, "`input`"],
  [{ input: "A cat" }, "`input`"],
  [{ input: ["A cat"] }, "`input[0]`"],
  [{ input: [{ text: "A cat" }] }, "`input[0].type`"],
  [{ input: [text, { type: "audio_url", audio_url: { url: "x" } }] }, "`input[1].type`"],
  [{ input: [{ type: "text", text: "" }] }, "`input[0].text`"],
  [{ input: [{ type: "image_url", image_url: "https://x.example/1.png" }] }, "`input[0].image_url`"],
  [{ input: [{ type: "video_url", video_url: {} }] }, "`input[0].video_url.url`"],
  [{ input: [text], encoding_format: "hex" }, "`encoding_format`"],
  [{ input: [text], model: "ark/embedding" }, "does not support multimodal_embeddings"],
])("%j is refused in Ark's style, and consumes nothing", async (change, why) => {
  const answer = await send({ model, ...change });
  expect([answer.status, answer.json()]).toMatchObject([400, { error: { code: "InvalidParameter" } }]);
  expect(answer.text).toContain(why);
  expect([scenario.memory.holds, scenario.memory.events, scenario.upstream.requests]).toEqual([[], [], []]);
});

test("a model for texts and pictures together has no list of vectors", async () => {
  const body = { model, input: "A cat" };
  const answer = await call(scenario.serve, "/api/v3/embeddings", { headers: scenario.bearer(), body });
  expect([answer.status, answer.text.includes("does not support embeddings")]).toEqual([400, true]);
});
