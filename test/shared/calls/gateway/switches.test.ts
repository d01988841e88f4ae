/** What a request switches on has a price or is refused, by name and before anything is held for it. */
import { beforeEach, describe, expect, test } from "vitest";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { createMemory } from "#test/support/memory.ts";
import { completion, messages, useScenario } from "#test/support/scenario.ts";
import { bare, priced, switchCatalog, switchOn, type Way } from "#test/support/switches.ts";

const scenario = useScenario();
beforeEach(() => {
  scenario.memory = createMemory(switchCatalog(scenario.upstream.url));
  scenario.key = scenario.memory.addKey();
  scenario.serve = createPipeline({} as LocalAnswers, scenario.memory.deps);
});

const said = (part: object) => ({
  messages: [{ role: "user", content: [{ type: "text", text: "Hi" }, part] }],
});
const anHour = { type: "ephemeral", ttl: "1h" };
const part = (media: object) => ({ contents: [{ role: "user", parts: [media] }] });

/** The protocol, what is switched on, and the field that a refusal names. */
const switches: [way: Way, change: object, field: string][] = [
  ["chat", { service_tier: "priority" }, "service_tier"],
  ["chat", { service_tier: "flex" }, "service_tier"],
  ["chat", { web_search_options: {} }, "web_search_options"],
  ["chat", { tools: [{ type: "web_search", web_search: { enable: true } }] }, "tools[0].type"],
  ["chat", { modalities: ["text", "audio"], audio: { voice: "alloy", format: "wav" } }, "modalities"],
  ["chat", { modalities: ["image", "text"] }, "modalities"],
  [
    "chat",
    said({ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }),
    "messages.content.input_audio",
  ],
  ["chat", { prompt_cache_options: { ttl: "12h" } }, "prompt_cache_options.ttl"],
  [
    "chat",
    said({ type: "text", text: "a", prompt_cache_breakpoint: { ttl: "12h" } }),
    "prompt_cache_options.ttl",
  ],
  ["anthropic", { service_tier: "priority" }, "service_tier"],
  ["anthropic", { speed: "fast" }, "speed"],
  ["anthropic", { inference_geo: "us" }, "inference_geo"],
  ["anthropic", { system: [{ type: "text", text: "a", cache_control: anHour }] }, "cache_control.ttl"],
  ["anthropic", { cache_control: anHour }, "cache_control.ttl"],
  ["anthropic", said({ type: "text", text: "a", cache_control: anHour }), "cache_control.ttl"],
  ["anthropic", { tools: [{ name: "f", input_schema: {}, cache_control: anHour }] }, "cache_control.ttl"],
  ["anthropic", { tools: [{ type: "web_search_20250305", name: "web_search" }] }, "tools[0].type"],
  ["anthropic", { tools: [{ type: "code_execution_20250825", name: "code_execution" }] }, "tools[0].type"],
  ["responses", { service_tier: "flex" }, "service_tier"],
  [
    "responses",
    { tools: [{ type: "function", name: "f" }, { type: "web_search_preview_2025_03_11" }] },
    "tools[1].type",
  ],
  ["responses", { tools: [{ type: "code_interpreter", container: { type: "auto" } }] }, "tools[0].type"],
  ["responses", { tools: [{ type: "image_generation" }] }, "tools[0].type"],
  [
    "responses",
    { tools: [{ type: "code_interpreter", container: { type: "auto", memory_limit: "4g" } }] },
    "tools[0].container.memory_limit",
  ],
  [
    "responses",
    {
      input: [
        { role: "user", content: "a" },
        { type: "additional_tools", tools: [{ type: "web_search" }] },
      ],
    },
    "input[1].tools[0].type",
  ],
  ["responses", { prompt_cache_options: { ttl: "12h" } }, "prompt_cache_options.ttl"],
  ["gemini", { serviceTier: "FLEX" }, "serviceTier"],
  ["gemini", { service_tier: "SERVICE_TIER_PRIORITY" }, "serviceTier"],
  ["gemini", { tools: [{ google_search: {} }] }, "tools[0].googleSearch"],
  [
    "gemini",
    { generationConfig: { responseModalities: ["TEXT", "IMAGE"] } },
    "generationConfig.responseModalities",
  ],
  [
    "gemini",
    { generation_config: { response_modalities: ["AUDIO"] } },
    "generationConfig.responseModalities",
  ],
  ["gemini", part({ inline_data: { mime_type: "audio/wav", data: "AAAA" } }), "contents.parts.inlineData"],
  ["images", { tools: [{ type: "web_search" }] }, "tools[0].type"],
];

/** What is none: the standard ways, and tools that cost tokens only. */
const plain: [way: Way, change: object][] = [
  ...(["auto", "default", "standard", "standard_only", "on_demand"].flatMap((service_tier) =>
    (["chat", "anthropic", "responses"] as const).map((way) => [way, { service_tier }]),
  ) as [Way, object][]),
  [
    "chat",
    { service_tier: null, modalities: ["text"], tools: [{ type: "function", function: { name: "f" } }] },
  ],
  ["chat", { prompt_cache_options: { ttl: "30m" } }],
  ["anthropic", { speed: "standard", inference_geo: "global", tools: [{ name: "f", input_schema: {} }] }],
  ["anthropic", { system: [{ type: "text", text: "a", cache_control: { type: "ephemeral", ttl: "5m" } }] }],
  [
    "anthropic",
    {
      tools: [
        { type: "bash_20250124", name: "bash" },
        { type: "web_fetch_20250910", name: "web_fetch" },
      ],
    },
  ],
  [
    "responses",
    { tools: [{ type: "function", name: "f" }, { type: "mcp", server_label: "a" }, { type: "computer" }] },
  ],
  ["responses", { tools: [{ type: "shell", environment: { type: "local" } }] }],
  [
    "gemini",
    {
      serviceTier: "standard",
      tools: [{ functionDeclarations: [] }, { urlContext: {} }, { codeExecution: {} }],
    },
  ],
  ["gemini", part({ inlineData: { mimeType: "video/mp4", data: "AAAA" } })],
  ["gemini", { generationConfig: { responseModalities: ["TEXT"] } }],
  ["images", { tools: [] }],
];

const modelFor = (way: Way, has: boolean) =>
  way === "images" ? (has ? "test/drawn" : "test/bare-drawn") : has ? priced : bare;
const named = ([way, change]: [Way, object, ...unknown[]]) => `${way} ${JSON.stringify(change).slice(0, 90)}`;

describe("a switch", () => {
  test.each(switches.map((each) => [named(each), ...each] as const))(
    "without a rate is refused by name: %s",
    async (_name, way, change, field) => {
      const reply = await switchOn(scenario, way, modelFor(way, false), change);
      expect(reply.status).toBe(400);
      expect(reply.text).toContain(field);
      expect(reply.text).toContain(modelFor(way, false));
      expect(reply.text).toContain("has no price for");
      expect([scenario.upstream.requests.length, scenario.memory.intents.length]).toEqual([0, 0]);
    },
  );

  test.each(switches.map((each) => [named(each), ...each] as const))(
    "with a rate is sent, and held for: %s",
    async (_name, way, change) => {
      scenario.upstream.on((_, response) => response.writeHead(400).end("{}"));
      await switchOn(scenario, way, modelFor(way, true), change);
      expect(scenario.upstream.requests).toHaveLength(1);
      const held = (at: number) => Number(scenario.memory.intents[at]?.hold_points);
      // The same bytes with nothing switched on hold less, but for a tier that costs less than the standard one.
      // Gemini's models may draw unless told not to.
      const quiet = way === "gemini" ? { generationConfig: { responseModalities: ["TEXT"] } } : {};
      await switchOn(scenario, way, modelFor(way, true), { metadata: change, ...quiet });
      if (!JSON.stringify(change).toLowerCase().includes("flex")) expect(held(0)).toBeGreaterThan(held(1));
      else expect(held(0)).toBeGreaterThan(0);
    },
  );

  test.each(plain.map((each) => [named(each), ...each] as const))(
    "is none: %s",
    async (_name, way, change) => {
      scenario.upstream.on((_, response) => response.writeHead(400).end("{}"));
      await switchOn(scenario, way, modelFor(way, false), change);
      expect(scenario.upstream.requests).toHaveLength(1);
    },
  );

  test("of a tool whose rate is for another tool is refused", async () => {
    const tools = [{ type: "advisor_20260301", name: "advisor" }];
    const reply = await switchOn(scenario, "anthropic", priced, { tools });
    expect([reply.status, reply.json().error]).toMatchObject([400, { type: "invalid_request_error" }]);
    expect(reply.text).toContain("advisor");
  });

  test("that another model would serve is refused", async () => {
    const reply = await switchOn(scenario, "anthropic", priced, { fallbacks: [{ model: "dear" }] });
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining("fallbacks")]);
  });

  test("that is no text is refused as any field is", async () => {
    const reply = await switchOn(scenario, "chat", priced, { service_tier: ["priority"] });
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining("service_tier")]);
  });

  test("given twice is refused: what is priced must be what is sent", async () => {
    const body = `{"model":"${priced}","messages":${JSON.stringify(messages)},"service_tier":"default","service_tier":"priority"}`;
    expect((await scenario.chat({ body })).status).toBe(400);
  });

  test("brings no code of its own where searching brings it without a charge", async () => {
    scenario.upstream.on((_, response) => response.writeHead(400).end("{}"));
    const tools = [
      { type: "web_search_20260209", name: "web_search" },
      { type: "code_execution_20260120", name: "c" },
    ];
    await switchOn(scenario, "anthropic", priced, { tools });
    expect(scenario.memory.intents.at(-1)?.hold_points).toBeDefined();
    expect(scenario.upstream.requests).toHaveLength(1);
  });

  test("that a crossing leaves behind is none", async () => {
    scenario.upstream.json(completion);
    const reply = await switchOn(scenario, "anthropic", "test/across", {
      service_tier: "priority",
      speed: "fast",
    });
    expect(reply.status).toBe(200);
    expect(scenario.memory.events[0]).toMatchObject({ usage: { input_tokens: 10 }, flags: [] });
    expect(scenario.memory.events[0]?.usage).not.toHaveProperty("details");
  });

  test("that a crossing carries is refused without a rate", async () => {
    const audio = { inlineData: { mimeType: "audio/wav", data: "AAAA" } };
    const reply = await switchOn(scenario, "gemini", "test/across", part(audio));
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining("no price for")]);
  });
});

describe("a hold", () => {
  const heldFor = async (way: Way, change: object): Promise<number> => {
    scenario.upstream.on((_, response) => response.writeHead(400).end("{}"));
    await switchOn(scenario, way, priced, change);
    return Number(scenario.memory.intents.at(-1)?.hold_points);
  };

  test("covers as many calls of a tool as the request lets it have", async () => {
    const search = (more: object) => ({
      tools: [{ type: "web_search_20250305", name: "web_search", ...more }],
    });
    const [three, four] = [
      await heldFor("anthropic", search({ max_uses: 3 })),
      await heldFor("anthropic", search({ max_uses: 4 })),
    ];
    // A digit more or less of the body is a token of the hold.
    expect(four - three).toBeCloseTo(0.01, 6);
    const unbounded = await heldFor("responses", { tools: [{ type: "web_search" }] });
    const bounded = await heldFor("responses", { tools: [{ type: "web_search" }], max_tool_calls: 2 });
    expect(unbounded - bounded).toBeCloseTo(0.08, 3);
  });

  test("of a call whose provider chooses the tier covers the dearest", async () => {
    const [auto, silent] = [await heldFor("chat", { service_tier: "auto" }), await heldFor("chat", {})];
    expect(auto / silent).toBeCloseTo(2, 1);
    expect(await heldFor("chat", { messages, n: 1 })).toBeCloseTo(silent, 4);
  });

  test("carries no rates in its intent", async () => {
    await heldFor("chat", { service_tier: "priority" });
    expect(scenario.memory.intents[0]?.price.price).not.toHaveProperty("rates");
  });
});
