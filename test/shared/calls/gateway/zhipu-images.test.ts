/** Zhipu's image generations: passed through to Zhipu, and asked of other providers in their own fields. */
import { beforeEach, expect, test } from "vitest";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { call } from "#test/support/call.ts";
import { createMemory } from "#test/support/memory.ts";
import { useScenario } from "#test/support/scenario.ts";
import { surfacesCatalog } from "#test/support/surfaces.ts";

const scenario = useScenario();
const made = {
  created: 1,
  data: [{ url: "https://x.example/1.png" }],
  content_filter: [{ role: "assistant", level: 3 }],
};
beforeEach(() => {
  scenario.memory = createMemory(surfacesCatalog(scenario.upstream.url));
  scenario.key = scenario.memory.addKey();
  scenario.serve = createPipeline({} as never, scenario.memory.deps);
  scenario.upstream.json(made);
});
const send = (body: string | object) =>
  call(scenario.serve, "/api/paas/v4/images/generations", { headers: scenario.bearer(), body });
const sent = () => {
  const { path, body } = scenario.upstream.requests[0] ?? {};
  return [path, String(body)];
};

test("pass through to Zhipu byte for byte, and cost what was made", async () => {
  const body = (model: string) =>
    `{"model":"${model}", "prompt":"A cat","quality":"hd","user_id":"user-1234","watermark_enabled":false}`;
  expect((await send(body("zhipu/image"))).json()).toEqual(made);
  expect(sent()).toEqual(["/zhipu/images/generations", body("upstream-image")]);
  expect(scenario.memory.events[0]).toMatchObject({
    kind: "image",
    user: "user-1234",
    cost_points: "0.19",
    evidence: "reported",
    usage: { generated_images: 1 },
  });
  expect(scenario.memory.holds[0]?.points).toBe(190_000_000_000_000_000n);
});

test.each([
  ["openai/image", "/v1/images/generations"],
  ["ark/image", "/ark/images/generations"],
])("reach %s without what Zhipu alone knows", async (model, path) => {
  const body = { model, prompt: "A cat", size: "1024x1024", user_id: "user-1234" };
  const reply = await send({ ...body, request_id: "abc", watermark_enabled: true });
  expect(reply.headers["x-gateway-dropped"]).toBe("request_id, watermark_enabled");
  expect(reply.json()).toEqual(made);
  const { user_id: user, ...kept } = body;
  expect(sent()).toEqual([path, JSON.stringify({ ...kept, model: "upstream-image", user })]);
  expect(scenario.memory.events[0]).toMatchObject({ user, cost_points: "0.19" });
});

test.each([
  [{ user_id: "x".repeat(257) }, "`user_id`"],
  [{ user_id: 1 }, "`user_id`"],
  [{ prompt: "" }, "`prompt`"],
  [{ n: 16 }, "`n`"],
])("refuse %j, and consume nothing", async (change, why) => {
  const reply = await send({ model: "zhipu/image", prompt: "A cat", ...change });
  expect(reply.status).toBe(400);
  expect(reply.text).toContain(why);
  expect([scenario.memory.holds, scenario.upstream.requests]).toEqual([[], []]);
});

test("a field given twice is refused", async () => {
  const reply = await send('{"model":"zhipu/image","prompt":"A","user_id":"a","user_id":"b"}');
  expect([reply.status, reply.text.includes("`user_id` is given twice")]).toEqual([400, true]);
});
