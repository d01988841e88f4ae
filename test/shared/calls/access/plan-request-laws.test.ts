/**
 * No request of a plan costs the house more than the plan bears, in any protocol, and however often the provider runs
 * its tools.
 */
import { describe, expect, test } from "vitest";
import { parsePoints } from "#shared/books/billing/points.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { call } from "#test/support/call.ts";
import { plain, subscribed } from "#test/support/plans.ts";
import { completion, useScenario } from "#test/support/scenario.ts";
import { priced, ways as protocols, switchCatalog } from "#test/support/switches.ts";

describe("a request in any protocol", () => {
  const scenario = useScenario();

  const changes: [protocol: keyof typeof protocols, change: object][] = [
    ["chat", { service_tier: "priority" }],
    ["chat", { web_search_options: {}, n: 3 }],
    ["chat", { max_tokens: 100, n: 2 }],
    ["chat", { tools: [{ type: "web_search" }] }],
    ["anthropic", { tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 40 }] }],
    ["anthropic", { tools: [{ type: "web_search_20250305", name: "web_search" }] }],
    ["anthropic", { speed: "fast", inference_geo: "us" }],
    ["anthropic", { service_tier: "auto", max_tokens: 8_000 }],
    ["responses", { tools: [{ type: "image_generation" }], max_tool_calls: 3 }],
    ["responses", { tools: [{ type: "web_search" }, { type: "image_generation" }] }],
    ["responses", { tools: [{ type: "code_interpreter", container: { type: "auto", memory_limit: "4g" } }] }],
    ["responses", { max_output_tokens: 50 }],
    ["gemini", { tools: [{ googleSearch: {} }] }],
    ["gemini", { generationConfig: { maxOutputTokens: 20, responseModalities: ["AUDIO"] } }],
  ];

  test("is held for no more than its plan bears, with fallbacks and across protocols, or nobody is asked", async () => {
    const { memory, upstream } = scenario;
    const base = switchCatalog(upstream.url) as { models: { id: string }[] };
    const dear = { ...base.models.find(({ id }) => id === priced), id: "test/dear", discount_rate: "4" };
    const all = {
      tools: { web_search: 50, image_generation: 5, code_interpreter_4g: 1, google_search: 10 },
      ways: { service_tier: ["priority", "flex"], speed: ["fast"], inference_geo: ["us"] },
    };
    const bounds = { tight: "0.02", wide: "0.6", wider: "3" };
    const plans = Object.fromEntries(
      Object.entries(bounds).map(([name, points]) => [
        name,
        { ...plain, ...all, list_points_max: { call: points, day: "1000" } },
      ]),
    );
    const catalog = createCatalog(parseCatalog({ ...base, models: [...base.models, dear], plans }));
    const serve = createPipeline({} as never, { ...memory.deps, catalog });
    upstream.json(completion);
    const seen = { let_in: 0, refused: 0 };
    for (const [name, points] of Object.entries(bounds)) {
      const { organization } = subscribed(name);
      const key = memory.addKey({ mode: "subscription" }, { ...organization });
      for (const [protocol, change] of changes)
        for (const more of [
          {},
          { "x-gateway-fallback": "test/dear" },
          { "x-gateway-allow-drop": "tools" },
        ] as object[])
          for (const model of [priced, "test/across"]) {
            const { path, body } = protocols[protocol];
            const [held, asked] = [memory.holds.length, upstream.requests.length];
            const headers = { "x-api-key": key, ...more } as Record<string, string>;
            const { status } = await call(serve, path(model), {
              headers,
              body: { model, ...body, ...change },
            });
            const took = memory.holds.slice(held);
            for (const { listPoints = -1n } of took) {
              expect(listPoints, `${name} ${protocol} ${JSON.stringify(change)}`).toBeGreaterThanOrEqual(0n);
              expect(listPoints <= parsePoints(points)).toBe(true);
            }
            if (took.length === 0)
              expect([upstream.requests.length, status]).toEqual([asked, expect.any(Number)]);
            seen[took.length > 0 ? "let_in" : "refused"] += 1;
          }
    }
    expect(seen.let_in).toBeGreaterThan(50);
    expect(seen.refused).toBeGreaterThan(50);
  });

  /** A provider that runs each tool as often as its request lets it, and 500 times where the request does not say it. */
  function greedily(asked: {
    tools?: { type: string; max_uses?: number }[];
    max_tool_calls?: number;
  }): object {
    const { tools = [], max_tool_calls: most = 500 } = asked;
    const searches = tools.reduce((sum, { max_uses = 500 }) => sum + max_uses, 0);
    const output = tools.flatMap(({ type }) =>
      Array.from({ length: most }, (_, at) => ({
        ...{ type: `${type}_call`, id: `c${at}`, container_id: "same", action: { type: "search" } },
      })),
    );
    const tokens = { input_tokens: 10, output_tokens: 4 };
    return {
      ...{ id: "m", type: "message", role: "assistant", content: [], stop_reason: "end_turn", output },
      ...{ object: "response", status: "completed" },
      usage: { ...tokens, total_tokens: 14, server_tool_use: { web_search_requests: searches } },
    };
  }

  test("costs no more than was held for it, however often its provider runs its tools", async () => {
    const { memory, upstream } = scenario;
    const some = { web_search: 7, image_generation: 3, code_interpreter_4g: 1, google_search: 10 };
    const bounds = { call: "40", day: "1000" };
    const plans = {
      refuses: { ...plain, tools: some, list_points_max: bounds },
      counts: { ...plain, tools: some, list_points_max: { ...bounds, call: "0.02", above: "count" } },
    };
    const base = switchCatalog(upstream.url) as object;
    const serve = createPipeline({} as never, {
      ...memory.deps,
      catalog: createCatalog(parseCatalog({ ...base, plans })),
    });
    upstream.on((_, response) => {
      const { body } = upstream.requests.at(-1) ?? expect.fail();
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(greedily(JSON.parse(String(body)))));
    });
    const searched = { type: "web_search_20250305", name: "web_search" };
    const asked: [protocol: "anthropic" | "responses", change: object, calls: number][] = [
      ["anthropic", { tools: [searched] }, 7],
      ["anthropic", { tools: [{ ...searched, max_uses: 4 }] }, 4],
      ["anthropic", { tools: [searched, { ...searched, name: "again", max_uses: 4 }] }, 7],
      ["responses", { tools: [{ type: "web_search" }] }, 7],
      ["responses", { tools: [{ type: "web_search" }, { type: "image_generation" }] }, 6],
    ];
    for (const plan of Object.keys(plans)) {
      const key = memory.addKey({ mode: "subscription" }, { ...subscribed(plan).organization });
      for (const [protocol, change, calls] of asked) {
        const { path, body } = protocols[protocol];
        const model = { model: priced, ...body, ...change };
        await call(serve, path(), { headers: { "x-api-key": key }, body: model });
        const { ticket, settlement } = memory.settled.at(-1) ?? expect.fail();
        const { hold } = ticket;
        expect(settlement.listPoints).toBeGreaterThan(0n);
        expect(settlement.listPoints <= (hold.listPoints ?? 0n), JSON.stringify(change)).toBe(true);
        expect(settlement.calls ?? 1).toBeLessThanOrEqual(hold.calls ?? 1);
        const told = Object.values(memory.events.at(-1)?.usage.details?.calls ?? {});
        expect(told.reduce((sum, each) => sum + each, 0)).toBe(calls);
      }
    }
    expect(memory.settled).toHaveLength(2 * asked.length);
  });
});
