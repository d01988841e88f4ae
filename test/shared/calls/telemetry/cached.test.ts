/** The spans of calls that the cache answers. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { useCached } from "#test/support/cached.ts";
import { type Collector, startCollector, tellTo } from "#test/support/collector.ts";

const scenario = useCached();
const { cached, asked } = scenario;
let collector: Collector;

beforeAll(async () => {
  collector = await startCollector();
});
afterAll(() => collector.stop());
beforeEach(() => collector.reset());

test.each(["openai", "anthropic", "gemini", "responses"] as const)(
  "a hit of %s has one span, which says where its answer came from",
  async (client) => {
    scenario.memory.deps.tracing = Promise.resolve(tellTo(collector.url).tracing);
    await cached(client);
    const [first, attempt] = collector.spans();
    expect(attempt?.attributes["model_gateway.attempt.outcome"]).toBe("answered");
    expect(first?.attributes["model_gateway.cache.level"]).toBeUndefined();
    collector.reset();
    await cached(client);
    expect(asked()).toBe(1);
    const [request, ...others] = collector.spans();
    expect(others).toEqual([]);
    expect(request?.attributes).toMatchObject({
      "model_gateway.cache.level": "exact",
      "model_gateway.evidence": "cache",
      "model_gateway.attempts": 0,
      "model_gateway.cost_points": 0,
    });
    expect(request?.attributes).not.toHaveProperty("model_gateway.provider");
  },
);
