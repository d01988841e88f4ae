/** How a call was served where the answer alone does not say: by its header, by its request, by the form of a tool. */
import { beforeEach, describe, expect, test } from "vitest";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { createMemory } from "#test/support/memory.ts";
import { completion, namedFrame, useScenario } from "#test/support/scenario.ts";
import { priced, switchCatalog, switchOn, type Way } from "#test/support/switches.ts";

const scenario = useScenario();
beforeEach(() => {
  scenario.memory = createMemory(switchCatalog(scenario.upstream.url));
  scenario.key = scenario.memory.addKey();
  scenario.serve = createPipeline({} as LocalAnswers, scenario.memory.deps);
});

const candidate = { index: 0, content: { role: "model", parts: [{ text: "Hi" }] }, finishReason: "STOP" };
const search = {
  type: "web_search_call",
  id: "ws_1",
  status: "completed",
  action: { type: "search", query: "a" },
};
const response = {
  id: "resp_1",
  object: "response",
  status: "completed",
  service_tier: "default",
  output: [
    search,
    { type: "code_interpreter_call", id: "ci_1", status: "completed", container_id: "cntr_1" },
    { type: "image_generation_call", id: "ig_1", status: "completed", result: "AAAA" },
    { type: "message", id: "msg_1", content: [{ type: "output_text", text: "Hi" }] },
  ],
  usage: { input_tokens: 0, output_tokens: 0 },
};

const event = () => scenario.memory.events[0] as UsageEvent;
const sent = (reply: { status: number; text: string }) =>
  expect([reply.status, reply.text.slice(0, 200)]).toMatchObject([200, expect.anything()]);

describe("the way a call was served", () => {
  const tierOf = async (way: Way, change: object, whole: object, headers: Record<string, string> = {}) => {
    scenario.upstream.on((_, reply) =>
      reply.writeHead(200, { "content-type": "application/json", ...headers }).end(JSON.stringify(whole)),
    );
    sent(await switchOn(scenario, way, priced, change));
    return event().usage.details?.service_tier;
  };

  test("is the one that the provider names, whatever was asked", async () => {
    expect(
      await tierOf("chat", { service_tier: "priority" }, { ...completion, service_tier: "default" }),
    ).toBe(undefined);
    expect(event().cost_points).toBe("0.000065");
  });

  test.each([
    ["ON_DEMAND", undefined],
    ["ON_DEMAND_FLEX", "flex"],
  ])("is the kind of traffic %s that Vertex AI names, whatever was asked", async (trafficType, tier) => {
    const usageMetadata = { promptTokenCount: 4, candidatesTokenCount: 6, totalTokenCount: 10, trafficType };
    const answered = { candidates: [candidate], usageMetadata };
    expect(await tierOf("gemini", { serviceTier: "priority" }, answered)).toBe(tier);
  });

  test("is the one that was asked where the provider names none", async () => {
    expect(await tierOf("chat", { service_tier: "priority" }, completion)).toBe("priority");
    expect(event().cost_points).toBe("0.00013");
  });

  test("stands in a header with Google", async () => {
    const whole = {
      candidates: [candidate],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 4 },
    };
    expect(await tierOf("gemini", {}, whole, { "x-gemini-service-tier": "PRIORITY" })).toBe("priority");
  });
});

test("a stream that breaks off is charged for the calls that were done, at the tier that was asked", async () => {
  scenario.upstream.on((_, reply) => {
    reply.writeHead(200, { "content-type": "text/event-stream" });
    reply.write(namedFrame({ type: "response.output_text.delta", delta: "Hi" } as never));
    reply.write(namedFrame({ type: "response.output_item.done", item: search } as never));
    setTimeout(() => reply.destroy(), 50);
  });
  await switchOn(
    scenario,
    "responses",
    priced,
    { tools: [{ type: "web_search" }], service_tier: "priority" },
    true,
  );
  expect(event()).toMatchObject({
    outcome: "truncated",
    usage: { details: { service_tier: "priority", calls: { web_search: 1 } } },
  });
  expect(Number(event().cost_points)).toBeGreaterThan(0.01);
});

test("a container with more memory is charged at the rate that the request asked for", async () => {
  scenario.upstream.json({
    ...response,
    service_tier: "default",
    usage: { input_tokens: 0, output_tokens: 0 },
  });
  const tool = { type: "code_interpreter", container: { type: "auto", memory_limit: "4g" } };
  const tools = [tool, { type: "web_search" }, { type: "image_generation" }];
  sent(await switchOn(scenario, "responses", priced, { tools }));
  // A search, a container of 4 GB and a picture.
  expect(event().cost_points).toBe("0.38");
});

test.each([
  ["four times what was held for", 40, 40, []],
  ["that, and more are billed as what was held for", 41, 10, ["implausible"]],
])("calls of a tool are believed up to %s", async (_name, count, billed, flags) => {
  scenario.upstream.json({
    ...response,
    output: response.output.slice(-1),
    tool_usage: { web_search: { num_requests: count } },
  });
  sent(await switchOn(scenario, "responses", priced, { tools: [{ type: "web_search" }] }));
  expect(event().usage.details?.calls).toEqual({ web_search: billed });
  expect(event().flags.filter((flag) => flag === "implausible")).toEqual(flags);
});

test("pictures that were searched for are charged their searches", async () => {
  scenario.upstream.json({
    data: [{ url: "https://a.example" }],
    usage: { generated_images: 1, tool_usage: { web_search: 2 } },
  });
  sent(await switchOn(scenario, "images", "test/drawn", { tools: [{ type: "web_search" }] }));
  expect(event().cost_points).toBe("0.22");
});
