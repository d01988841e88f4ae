/** What a plan includes of tools, ways and videos, and what a call of it may cost: refused before anything is held. */
import { describe, expect, test } from "vitest";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import { code, plan, search, usePlans } from "#test/support/including-plans.ts";
import { messages, useScenario } from "#test/support/scenario.ts";
import { priced, type Way, ways } from "#test/support/switches.ts";

const scenario = useScenario();
const { serveWith, subscriber, ask, askOn, nothingHappened } = usePlans(scenario);

describe("what a plan does not include", () => {
  const cases: [plan: string, protocol: Way, change: object, field: string, able: string][] = [
    ["none", "anthropic", search(1), "tools[0].type", "some, most"],
    ["none", "responses", code({ type: "auto" }), "tools[0].type", "some, most"],
    [
      "some",
      "responses",
      code({ type: "auto", memory_limit: "4g" }),
      "tools[0].container.memory_limit",
      "most",
    ],
    [
      "most",
      "responses",
      { tools: [{ type: "image_generation" }], max_tool_calls: 1 },
      "tools[0].type",
      "some",
    ],
    ["none", "chat", { web_search_options: {} }, "web_search_options", "some, most"],
    ["some", "gemini", { tools: [{ googleSearch: {} }] }, "tools[0].googleSearch", "most"],
    ["none", "chat", { service_tier: "flex" }, "service_tier", "some, most"],
    ["some", "responses", { service_tier: "priority" }, "service_tier", "most"],
    ["some", "anthropic", { speed: "fast" }, "speed", "most"],
    ["some", "anthropic", { inference_geo: "us" }, "inference_geo", "most"],
  ];

  test.each(cases)(
    "%s, on %s: %j is 403 and names the plans that do",
    async (name, protocol, change, field, able) => {
      const reply = await askOn(subscriber(name), protocol, change);
      expect([reply.status, reply.text]).toEqual([403, expect.stringContaining(`The plan \`${name}\``)]);
      expect(reply.text).toContain(`\`${field}\``);
      expect(reply.text).toContain(`Plans that include it: ${able}.`);
      nothingHappened();
    },
  );

  test.each(cases)(
    "%s, on %s: %j is another plan's, and a pay-as-you-go key's",
    async (_, protocol, change, __, able) => {
      for (const key of [...able.split(", ").map(subscriber), scenario.key]) {
        expect((await askOn(key, protocol, change)).status).not.toBe(403);
      }
      expect(scenario.memory.holds).toHaveLength(able.split(", ").length + 1);
    },
  );

  test("is said of a fallback as of a model that cannot take the call", async () => {
    const asked = { ...ways.anthropic.body, ...search(1), model: "test/across" };
    const headers = { "x-gateway-allow-drop": "tools", "x-gateway-fallback": priced };
    const reply = await ask(subscriber("none"), "/v1/messages", asked, headers);
    expect(reply.status).toBe(400);
    expect(reply.text).toMatch(/names a model that cannot take this call\. The plan `none` does not include/);
    nothingHappened();
    expect((await ask(subscriber("some"), "/v1/messages", asked, headers)).status).toBe(200);
  });

  test("is refused after what has no price at all", async () => {
    const reply = await ask(subscriber("none"), "/v1/messages", {
      ...search(1),
      model: "test/bare",
      messages,
      max_tokens: 9,
    });
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining("has no price for")]);
  });

  test.each([
    ["the standard tier", "chat", { service_tier: "default" }],
    ["the provider's choice", "chat", { service_tier: "auto" }],
    ["tools of the client", "responses", { tools: [{ type: "function", name: "f" }] }],
    ["tokens of another kind", "anthropic", { cache_control: { type: "ephemeral", ttl: "1h" } }],
  ] as const)("is never %s", async (_, protocol, change) => {
    expect((await askOn(subscriber("none"), protocol, change)).status).toBe(200);
  });
});

describe("more of a tool than a plan includes in one call", () => {
  test.each([
    ["what the request allows", "anthropic", search(6), 6],
    ["two tools of one name", "anthropic", { tools: [...search(3).tools, ...search(3).tools] }, 6],
    [
      "pictures that a tool makes",
      "responses",
      { tools: [{ type: "image_generation" }], max_tool_calls: 8 },
      8,
    ],
  ] as const)("%s is 403, and says how many", async (_, protocol, change, comes) => {
    const reply = await askOn(subscriber("some"), protocol, change);
    const most = protocol === "anthropic" ? 5 : 2;
    expect([reply.status, reply.text]).toEqual([403, expect.stringContaining(`may come to ${comes}`)]);
    expect(reply.text).toContain(`includes ${most} of`);
    expect(reply.text).toMatch(protocol === "anthropic" ? /as many: most\./ : /No plan includes as many\./);
    nothingHappened();
  });

  test("as many as it includes are served", async () => {
    expect((await askOn(subscriber("some"), "anthropic", search(5))).status).toBe(200);
    expect((await askOn(subscriber("most"), "anthropic", search(500))).status).toBe(200);
  });
});

describe("a video", () => {
  const tasks = "/api/v3/contents/generations/tasks";
  const video = { model: "test/video-1", content: [{ type: "text", text: "A cat" }] };

  test.each([
    ["resolution", { resolution: "720p", duration: 5 }, "videos of 480p, and this one is of 720p"],
    ["duration", { resolution: "480p", duration: 6 }, "videos of up to 5 seconds, and this one is of 6"],
  ])("of a larger %s than its plan includes is 403", async (_, size, message) => {
    const reply = await ask(subscriber("some"), tasks, { ...video, ...size });
    expect([reply.status, reply.text]).toEqual([403, expect.stringContaining(message)]);
    expect(reply.text).toContain("Plans that include it: none, most.");
    nothingHappened();
  });

  test("that may cost more than its plan bears is 403", async () => {
    serveWith({ none: { ...plan, list_points_max: { call: "0.1" } } });
    const reply = await ask(subscriber("none"), tasks, { ...video, duration: 10 });
    expect([reply.status, reply.text]).toEqual([403, expect.stringContaining("may cost at most 0.1 points")]);
    nothingHappened();
  });
});

describe("a call that may cost more than its plan bears", () => {
  const bounded = (call: string, more = {}) => ({ ...plan, list_points_max: { call, ...more } });
  const chat = (key: string, change: object, headers = {}) =>
    ask(key, ways.chat.path(), { model: "test/bare", messages, ...change }, headers);

  test("is 403, says what it may cost, what would fit, and which plans take it", async () => {
    serveWith({ low: bounded("0.01"), high: bounded("0.09"), free: plan });
    const reply = await chat(subscriber("low"), {});
    expect(reply.status).toBe(403);
    expect(reply.text).toMatch(
      /of the plan `low` may cost at most 0\.01 points at list price, and this one may come to 0\.08/,
    );
    expect(reply.text).toMatch(/It fits with `max_tokens` of at most \d+\./);
    expect(reply.text).toContain("Plans that include it: high, free.");
    nothingHappened();
    const most = Number(/of at most (\d+)\./.exec(reply.text)?.[1]);
    expect((await chat(subscriber("low"), { max_tokens: most + 20 })).status).toBe(403);
    expect((await chat(subscriber("low"), { max_tokens: most })).status).toBe(200);
    expect((await chat(subscriber("high"), {})).status).toBe(200);
    expect((await chat(scenario.key, {})).status).toBe(200);
  });

  test("is one whose tools make it so", async () => {
    serveWith({ low: { ...bounded("0.7"), tools: { web_search: 500 } } });
    expect((await askOn(subscriber("low"), "anthropic", search(2))).status).toBe(200);
    expect((await askOn(subscriber("low"), "anthropic", search(100))).status).toBe(403);
  });

  test("is one that one of its fallbacks makes so", async () => {
    serveWith({ low: bounded("0.01") });
    const small = { max_tokens: 100 };
    expect((await chat(subscriber("low"), small)).status).toBe(200);
    const dear = { "x-gateway-fallback": "test/dear" };
    const refused = await chat(subscriber("low"), small, dear);
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("at most 0.01 points")]);
  });

  test("is never one whose whole day bears less", async () => {
    serveWith({ low: { ...plan, list_points_max: { day: "0.01" } } });
    expect((await chat(subscriber("low"), {})).text).toContain("may cost at most 0.01 points");
  });
});

describe("the default catalog", () => {
  const models = createCatalog(parseCatalog(catalogFile));

  /** Every switch that one of its models has a rate for, as a plan names it. */
  const rated = new Set(
    models.models().flatMap(({ price }) => {
      const rates = (price.rates ?? {}) as Record<string, object>;
      return [
        ...["tools", "tools_once"].flatMap((list) => Object.keys(rates[list] ?? {})),
        ...(["service_tier", "speed", "inference_geo"] as const).flatMap((way) =>
          Object.keys(rates[way] ?? {}).map((name) => `${way} ${name}`),
        ),
      ];
    }),
  );

  test("says of every priced tool and way whether a plan includes it, and Free has none", () => {
    const includedBy = (name: string) => {
      const { tools = {}, ways: served = {} } = models.plan(name) ?? {};
      return [
        ...Object.keys(tools),
        ...Object.entries(served).flatMap(([way, names]) => names.map((each) => `${way} ${each}`)),
      ];
    };
    expect(includedBy("free")).toEqual([]);
    // Whoever adds a rate decides here which plans include it.
    expect(includedBy("pro").sort()).toEqual([...rated].sort());
    expect([...rated].filter((name) => !includedBy("lite").includes(name)).sort()).toEqual([
      "code_interpreter_16g",
      "code_interpreter_4g",
      "code_interpreter_64g",
      "image_generation",
      "inference_geo us",
      "service_tier fast",
      "service_tier priority",
      "shell",
      "shell_16g",
      "shell_4g",
      "shell_64g",
      "speed fast",
    ]);
  });
});
