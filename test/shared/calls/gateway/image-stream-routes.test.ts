/** Which routes stream pictures of which models: edits too, what they leave out, and refusals that consume nothing. */
import { beforeEach, describe, expect, test } from "vitest";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { call } from "#test/support/call.ts";
import { createMemory } from "#test/support/memory.ts";
import { done, drawn, given, made, preview } from "#test/support/picture-events.ts";
import { streamOf, useScenario } from "#test/support/scenario.ts";
import { surfacesCatalog } from "#test/support/surfaces.ts";

const scenario = useScenario();
beforeEach(() => {
  scenario.memory = createMemory(surfacesCatalog(scenario.upstream.url));
  scenario.key = scenario.memory.addKey();
  scenario.serve = createPipeline({} as never, scenario.memory.deps);
});

const event = () => scenario.memory.events[0];

describe("edits", () => {
  const edit = (path: string, model: string, change: object = {}) =>
    call(scenario.serve, path, {
      headers: scenario.bearer(),
      body: { model, prompt: "A hat", image: "https://x.example/1.png", stream: true, ...change },
    });

  test("stream from OpenAI", async () => {
    const frames = [preview, drawn].map((text) => text.replaceAll("image_generation", "image_edit"));
    scenario.upstream.on(streamOf(...frames));
    expect((await edit("/v1/images/edits", "openai/image")).text).toBe(frames.join(""));
    expect(event()).toMatchObject({ cost_points: "0.19", evidence: "reported" });
  });

  test("stream from Ark, which is asked for a generation", async () => {
    const frames = [given(0), made(1), done];
    scenario.upstream.on(streamOf(...frames));
    expect((await edit("/api/v3/images/edits", "ark/image")).text).toBe(frames.join(""));
    expect(scenario.upstream.requests[0]?.path).toBe("/ark/images/generations");
    expect(JSON.parse(String(scenario.upstream.requests[0]?.body))).toMatchObject({ stream: true });
  });

  test.each([
    ["/v1/images/edits", "ark/image", "/api/v3/images/edits"],
    ["/api/v3/images/edits", "openai/image", "/v1/images/edits"],
  ])("on %s of %s are whole", async (path, model, other) => {
    const reply = await edit(path, model);
    expect([reply.status, reply.text.includes(other)]).toEqual([400, true]);
    scenario.upstream.json({ created: 1, data: [{ url: "https://x.example/1.png" }] });
    expect((await edit(path, model, { stream: false })).status).toBe(200);
  });
});

describe("is refused, and consumes nothing,", () => {
  test.each([
    ["/v1/images/generations", "test/image-1", "answers its pictures whole"],
    ["/v1/images/generations", "zhipu/image", "answers its pictures whole"],
    ["/api/paas/v4/images/generations", "openai/image", "on this route"],
    ["/v1/images/generations", "ark/image", "/api/v3/images/generations"],
    ["/api/v1/images/generations", "ark/image", "/api/v3/images/generations"],
    ["/api/v3/images/generations", "openai/image", "/v1/images/generations"],
  ])("on %s of %s", async (path, model, why) => {
    const body = { model, prompt: "A cat", stream: true };
    const reply = await call(scenario.serve, path, { headers: scenario.bearer(), body });
    expect(reply.status).toBe(400);
    expect(reply.text).toContain("`stream`");
    expect(reply.text).toContain(why);
    expect([scenario.memory.holds, scenario.memory.events, scenario.upstream.requests]).toEqual([[], [], []]);
  });
});

test("a tier that an edit leaves out is not charged", async () => {
  const { price } = scenario.memory.deps.catalog.find("ark/image") ?? {};
  Object.assign(price ?? {}, { rates: { service_tier: { priority: "2", flex: "0.5" } } });
  scenario.upstream.json({ created: 1, data: [{ url: "https://x.example/1.png" }] });
  for (const path of ["/v1/images/edits", "/api/v3/images/edits"]) {
    for (const service_tier of ["priority", "flex"]) {
      const image = "https://x.example/1.png";
      const body = { model: "ark/image", prompt: "A hat", image, service_tier };
      const { headers } = await call(scenario.serve, path, { headers: scenario.bearer(), body });
      expect(headers).toMatchObject({ "x-gateway-dropped": "service_tier", "x-gateway-cost-points": "0.19" });
    }
  }
});
