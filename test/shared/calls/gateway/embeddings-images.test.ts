/** Embeddings and image generations: what is refused, what is held and what is charged. */
import { describe, expect, test } from "vitest";
import { call } from "#test/support/call.ts";
import { useScenario } from "#test/support/scenario.ts";

const scenario = useScenario();
const send = (path: string, body: object | string) =>
  call(scenario.serve, path, { headers: scenario.bearer(), body });

const embedding = { model: "test/embedding-1", input: "x" };
const image = { model: "test/image-1", prompt: "A cat" };
const vectors = {
  object: "list",
  data: [{ object: "embedding", index: 0, embedding: [1] }],
  usage: { prompt_tokens: 1000 },
};

const refused: [path: string, body: object | string, why: string][] = [
  ["/v1/embeddings", "broken", "JSON"],
  ["/v1/embeddings", { model: "test/embedding-1" }, "`input`"],
  ["/v1/embeddings", { ...embedding, input: "" }, "`input`"],
  ["/v1/embeddings", { ...embedding, input: [] }, "`input`"],
  ["/v1/embeddings", { ...embedding, input: ["a", 1] }, "`input`"],
  ["/v1/embeddings", { ...embedding, input: [[]] }, "`input`"],
  ["/v1/embeddings", { ...embedding, input: [-1] }, "`input`"],
  ["/v1/embeddings", { ...embedding, input: { text: "a" } }, "`input`"],
  ["/v1/embeddings", { ...embedding, encoding_format: "hex" }, "`encoding_format`"],
  ["/v1/embeddings", { ...embedding, user: "x".repeat(257) }, "`user`"],
  ["/v1/embeddings", { ...embedding, model: "test/model-1" }, "does not support embeddings"],
  ["/v1/embeddings", '{"model":"test/embedding-1","input":"a","input":"b"}', "`input` is given twice"],
  [
    "/v1/embeddings",
    '{"model":"test/embedding-1","input":"a","dimensions":1,"dimensions":2}',
    "`dimensions` is given twice",
  ],
  ...["/api/v1/images/generations", "/api/v3/images/generations"].flatMap((path): typeof refused => [
    [path, { model: "test/image-1" }, "`prompt`"],
    [path, { ...image, prompt: 1 }, "`prompt`"],
    [path, { ...image, n: 0 }, "`n`"],
    [path, { ...image, n: 16 }, "`n`"],
    [path, { ...image, n: "2" }, "`n`"],
    [path, { ...image, size: 1 }, "`size`"],
    [path, { ...image, stream: true }, "`stream`"],
    [path, { ...image, model: "test/model-1" }, "does not support images"],
    [path, `{"model":"test/image-1","prompt":"a","n":1,"n":9}`, "`n` is given twice"],
  ]),
];

test.each(refused)("%s refuses %j", async (path, body, why) => {
  const reply = await send(path, body);
  expect(reply.status).toBe(400);
  expect((reply.json().error as { message: string }).message).toContain(why);
  expect([scenario.memory.holds.length, scenario.upstream.requests.length]).toEqual([0, 0]);
});

describe("embeddings", () => {
  test("are charged by their input", async () => {
    scenario.upstream.json(vectors);
    expect((await send("/v1/embeddings", embedding)).json()).toEqual(vectors);
    expect(scenario.memory.events[0]).toMatchObject({
      kind: "embedding",
      cost_points: "0.0001",
      usage: { input_tokens: 1000 },
    });
    expect(scenario.upstream.requests[0]?.path).toBe("/v1/embeddings");
  });

  test("base64 is little-endian float32, and numbers are numbers", async () => {
    scenario.upstream.json({ ...vectors, data: [{ index: 0, embedding: [1, -2.5] }] });
    const reply = await send("/v1/embeddings", { ...embedding, encoding_format: "base64" });
    const [item] = reply.json().data as { embedding: string }[];
    const bytes = Buffer.from(item?.embedding ?? "", "base64");
    expect([bytes.readFloatLE(0), bytes.readFloatLE(4)]).toEqual([1, -2.5]);
  });

  test("many inputs are held for all of them, though one alone could not exceed the context", async () => {
    scenario.upstream.json(vectors);
    const input = Array.from({ length: 40 }, () => "x".repeat(1_000));
    await send("/v1/embeddings", { ...embedding, input });
    // 40,000 bytes at 0.1 points a million, and the context is 8,192.
    expect(scenario.memory.holds[0]?.points).toBeGreaterThan(4_000_000_000_000_000n);
  });

  test("without vectors cost what is reported all the same", async () => {
    scenario.upstream.json({ ...vectors, data: [] });
    await send("/v1/embeddings", embedding);
    expect(scenario.memory.events[0]).toMatchObject({ cost_points: "0.0001", calls: 1 });
  });
});

describe("images", () => {
  const made = (count: number) => ({
    created: 1,
    data: Array.from({ length: count }, () => ({ url: "https://x.example/1.png" })),
  });

  test("are held for what was asked and charged for what was made", async () => {
    scenario.upstream.json(made(3));
    expect((await send("/api/v1/images/generations", { ...image, n: 4 })).status).toBe(200);
    // 0.2 points each at a discount of 0.95: billing.md V16 for three.
    expect(scenario.memory.holds[0]?.points).toBe(760_000_000_000_000_000n);
    expect(scenario.memory.events[0]).toMatchObject({
      kind: "image",
      cost_points: "0.57",
      usage: { generated_images: 3 },
    });
  });

  test("a sequence is held for all it may make", async () => {
    scenario.upstream.json(made(1));
    await send("/api/v3/images/generations", { ...image, sequential_image_generation: "auto" });
    expect(scenario.memory.holds[0]?.points).toBe(15n * 190_000_000_000_000_000n);
  });

  test("the v3 answer counts them; errors are Volcengine's", async () => {
    scenario.upstream.json(made(2));
    expect((await send("/api/v3/images/generations", image)).json()).toEqual({
      ...made(2),
      usage: { generated_images: 2 },
    });
    expect((await send("/api/v3/images/generations", { ...image, model: "none" })).json()).toMatchObject({
      error: { code: "InvalidEndpointOrModel.NotFound", type: "NotFound" },
    });
  });

  test("none made is free", async () => {
    scenario.upstream.json({ created: 1, data: [{ error: { code: "Sensitive" } }] });
    await send("/api/v1/images/generations", image);
    expect(scenario.memory.events[0]).toMatchObject({ cost_points: "0", calls: 0 });
  });
});
