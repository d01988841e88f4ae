/** Service tiers and speeds that are asked for in other protocols, of models that are reached over Converse. */
import { beforeEach, describe, expect, test } from "vitest";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { plan } from "#test/support/including-plans.ts";
import { createMemory } from "#test/support/memory.ts";
import { flat } from "#test/support/prices.ts";
import { completion, sse, useScenario } from "#test/support/scenario.ts";
import { switchCatalog, switchOn, type Way } from "#test/support/switches.ts";

/** Sold on Bedrock alone; there with no rate for any way; and there before another host. */
const sold = "test/sold";
const plain = "test/plain";
const either = "test/either";

const scenario = useScenario();
beforeEach(() => {
  const { url } = scenario.upstream;
  const catalog = switchCatalog(url) as { providers: object; models: object[] };
  const [about] = catalog.models;
  const rates = { service_tier: { priority: "2", flex: "0.5" }, speed: { optimized: "1.5" } };
  const bedrock = { protocols: { converse: `${url}/bedrock` }, secret: "TEST_API_KEY" };
  const channels = [{ provider: "bedrock", model: "m" }];
  const models = [
    ...catalog.models,
    { ...about, id: sold, price: { ...flat, rates }, channels },
    { ...about, id: plain, price: flat, channels },
    {
      ...about,
      id: either,
      price: { ...flat, rates },
      channels: [...channels, { provider: "talk", model: "m", priority: 2 }],
    },
  ];
  const plans = { none: plan, some: { ...plan, ways: { service_tier: ["flex"], speed: ["optimized"] } } };
  scenario.memory = createMemory({
    ...catalog,
    providers: { ...catalog.providers, bedrock },
    models,
    plans,
  });
  scenario.key = scenario.memory.addKey();
  scenario.serve = createPipeline({} as LocalAnswers, scenario.memory.deps);
});

/** What Converse says, with how it says that it has served the call. */
function answers(served: object = {}): void {
  const told = { usage: { inputTokens: 10, outputTokens: 4, totalTokens: 14 }, ...served };
  const frame = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  scenario.upstream.on(({ url = "" }, response) => {
    if (url.startsWith("/v1/")) {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(completion));
    } else if (url.endsWith("-stream")) {
      response.writeHead(200, sse);
      response.write(frame("messageStart", { role: "assistant" }));
      response.write(frame("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Hi" } }));
      response.write(frame("contentBlockStop", { contentBlockIndex: 0 }));
      response.write(frame("messageStop", { stopReason: "end_turn" }));
      response.end(frame("metadata", told));
    } else {
      const message = { role: "assistant", content: [{ text: "Hi" }] };
      const body = { output: { message }, stopReason: "end_turn", ...told };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    }
  });
}

const sent = () => JSON.parse(scenario.upstream.requests.at(-1)?.body.toString() ?? "");
const details = () => scenario.memory.events[0]?.usage.details;
const dropped = (headers: Record<string, string>) => headers["x-gateway-dropped"]?.split(", ") ?? [];

/** How each protocol asks for a tier, and where its answers tell one. The last two are words for the usual. */
const clients: [way: Way, ask: (tier: string) => object, tells: (tier: string) => RegExp, usual: string[]][] =
  [
    ["chat", (service_tier) => ({ service_tier }), told("service_tier"), ["auto", "default"]],
    ["responses", (service_tier) => ({ service_tier }), told("service_tier"), ["auto", "default"]],
    ["anthropic", (service_tier) => ({ service_tier }), told("service_tier"), ["auto", "standard_only"]],
    ["gemini", (tier) => ({ serviceTier: tier.toUpperCase() }), told("serviceTier"), ["STANDARD"]],
    ["gemini", (tier) => ({ service_tier: `SERVICE_TIER_${tier}` }), told("serviceTier"), ["UNSPECIFIED"]],
  ];
function told(name: string): (tier: string) => RegExp {
  return (tier) => new RegExp(`"${name}":"${tier}"`);
}

const each = clients.flatMap(([way, ask, tells]) =>
  ["priority", "flex"].flatMap((tier) =>
    [false, true].map((stream) => [way, tier, stream, ask(tier), tells] as const),
  ),
);

describe("a tier", () => {
  test.each(each)(
    "of %s, %s, stream %s: is asked for, told and billed",
    async (way, tier, stream, change, tells) => {
      answers({ serviceTier: { type: tier } });
      const { status, text, headers } = await switchOn(scenario, way, sold, change, stream);
      expect([status, dropped(headers)]).toEqual([200, []]);
      expect(sent().serviceTier).toEqual({ type: tier });
      expect(text).toMatch(tells(tier));
      expect(details()).toEqual({ service_tier: tier });
      expect(scenario.memory.events[0]?.flags).toEqual([]);
    },
  );

  test.each(each)(
    "of %s, %s, stream %s: is the one that Bedrock took",
    async (way, _, stream, change, tells) => {
      answers({ serviceTier: { type: "default" } });
      const { status, text } = await switchOn(scenario, way, sold, change, stream);
      expect([status, details()]).toEqual([200, undefined]);
      const usual = way === "chat" || way === "responses" ? "default" : "standard";
      expect(text).toMatch(tells(usual));
    },
  );

  test.each(each)(
    "of %s, %s, stream %s: is billed where Bedrock names none",
    async (way, tier, stream, change) => {
      answers();
      expect((await switchOn(scenario, way, sold, change, stream)).status).toBe(200);
      expect(details()).toEqual({ service_tier: tier });
    },
  );

  test.each(each)(
    "of %s, %s, stream %s: is left out by name without a rate",
    async (way, _, stream, change) => {
      answers();
      const { status, headers } = await switchOn(scenario, way, plain, change, stream);
      expect([status, dropped(headers), sent().serviceTier]).toEqual([200, ["service_tier"], undefined]);
      expect(details()).toBeUndefined();
    },
  );

  test.each(clients.flatMap(([way, ask, , usual]) => usual.map((word) => [way, word, ask(word)] as const)))(
    "of %s, %s, asks for nothing",
    async (way, _, change) => {
      answers();
      const { status, headers } = await switchOn(scenario, way, sold, change);
      expect([status, dropped(headers), sent().serviceTier]).toEqual([200, [], undefined]);
    },
  );

  test("is held for", async () => {
    answers();
    const heldFor = async (change: object) => {
      await switchOn(scenario, "chat", sold, { max_tokens: 100, ...change });
      return scenario.memory.holds.at(-1)?.points ?? 0n;
    };
    const usual = await heldFor({});
    // It costs twice as much. The longer body alone costs less than half more.
    expect(await heldFor({ service_tier: "priority" })).toBeGreaterThan((usual * 3n) / 2n);
  });

  test("is refused where the caller's plan does not have it", async () => {
    answers();
    const subscription = { meter: "mtr_1", plan: "none", period: "monthly", started_at: 0, ends_at: null };
    const account = { subscription, wallet: null } as Parameters<typeof scenario.memory.addKey>[1];
    scenario.key = scenario.memory.addKey({ mode: "subscription" }, account);
    const { status, text } = await switchOn(scenario, "chat", sold, { service_tier: "flex" });
    expect([status, text]).toEqual([403, expect.stringContaining("Plans that include it: some.")]);
    expect(scenario.memory.holds).toEqual([]);
  });

  test("is Converse's own word, or none", async () => {
    answers();
    const { status, headers } = await switchOn(scenario, "chat", sold, { service_tier: "scale" });
    expect([status, dropped(headers), sent().serviceTier]).toEqual([200, ["service_tier"], undefined]);
  });

  test("goes as it came to a host of the client's protocol", async () => {
    scenario.upstream.on(({ url = "" }, response) => {
      if (!url.startsWith("/v1/")) response.writeHead(503).end("{}");
      else
        response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ ...completion, service_tier: "flex" }));
    });
    const { status } = await switchOn(scenario, "chat", either, { service_tier: "flex" });
    const [first, second] = scenario.upstream.requests.map(({ body }) => JSON.parse(body.toString()));
    expect([status, first.serviceTier, second.service_tier]).toEqual([200, { type: "flex" }, "flex"]);
    expect(details()).toEqual({ service_tier: "flex" });
  });
});

describe("a speed of Anthropic's", () => {
  test.each([false, true])("stream %s: is Converse's latency", async (stream) => {
    answers({ performanceConfig: { latency: "optimized" } });
    const { status, text, headers } = await switchOn(scenario, "anthropic", sold, { speed: "fast" }, stream);
    expect([status, dropped(headers)]).toEqual([200, []]);
    expect(sent().performanceConfig).toEqual({ latency: "optimized" });
    expect(text).toContain('"speed":"fast"');
    expect(details()).toEqual({ speed: "optimized" });
    expect(scenario.memory.events[0]?.flags).toEqual([]);
  });

  test("is what Bedrock says it was", async () => {
    answers({ performanceConfig: { latency: "standard" } });
    const { text } = await switchOn(scenario, "anthropic", sold, { speed: "fast" });
    expect(text).toContain('"speed":"standard"');
    expect(details()).toBeUndefined();
  });

  test("is left out by name without a rate", async () => {
    answers();
    const { status, headers } = await switchOn(scenario, "anthropic", plain, { speed: "fast" });
    expect([status, dropped(headers), sent().performanceConfig]).toEqual([200, ["speed"], undefined]);
  });
});
