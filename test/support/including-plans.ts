/** Plans that include some tools, ways and videos, and calls of them on a pipeline in memory. */
import { beforeEach, expect } from "vitest";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { localAnswers } from "../../functions/local-answers.ts";
import { call } from "./call.ts";
import { completion, type Scenario } from "./scenario.ts";
import { priced, switchCatalog, type Way, ways } from "./switches.ts";
import { createVideoScenario, withVideo } from "./video.ts";

export const plan = {
  price: { monthly: "0", quarterly: "0", yearly: "0" },
  quota: { monthly: 100, quarterly: 100, yearly: 100 },
  rpm: null,
  tpm: null,
  tpd: null,
};
const plans = {
  none: plan,
  some: {
    ...plan,
    tools: { web_search: 5, code_interpreter: 1, image_generation: 2 },
    ways: { service_tier: ["flex"] },
    video: { max_seconds: 5, resolutions: ["480p"] },
  },
  most: {
    ...plan,
    tools: { web_search: 500, code_interpreter: 1, code_interpreter_4g: 1, google_search: 10 },
    ways: { service_tier: ["flex", "priority"], speed: ["fast"], inference_geo: ["us"] },
  },
};

/** An Anthropic request for searches, at most so many. */
export const search = (max_uses?: number) => ({
  tools: [{ type: "web_search_20250305", name: "web_search", max_uses }],
});
/** A Responses request for code in a container. */
export const code = (container: object) => ({ tools: [{ type: "code_interpreter", container }] });

/** Lets the scenario of each test begin with these plans, and gives what its calls are made with. */
export function usePlans(scenario: Scenario) {
  beforeEach(() => serveWith(plans));

  function serveWith(given: object): void {
    const { memory, upstream } = scenario;
    const base = withVideo(switchCatalog(upstream.url), upstream.url) as { models: { id: string }[] };
    const bare = base.models.find(({ id }) => id === "test/bare");
    const dear = { ...bare, id: "test/dear", discount_rate: "10" };
    const catalog = createCatalog(parseCatalog({ ...base, models: [...base.models, dear], plans: given }));
    const nothing = {} as never;
    const videos = createVideoScenario(createTasks(nothing, nothing), createMeters(nothing, nothing)).deps;
    const deps = { ...videos, ...memory.deps, catalog };
    scenario.serve = createPipeline(localAnswers(deps), deps);
    upstream.json(completion);
  }

  /** A key of a subscription to a plan. */
  function subscriber(name: string): string {
    const subscription = {
      meter: "mtr_1",
      plan: name,
      period: "monthly",
      started_at: 0,
      ends_at: null,
    } as const;
    return scenario.memory.addKey({ mode: "subscription" }, { subscription, wallet: null });
  }

  const ask = (key: string, path: string, body: object, headers: Record<string, string> = {}) =>
    call(scenario.serve, path, { headers: { "x-api-key": key, ...headers }, body });

  const askOn = (key: string, protocol: Way, change: object) => {
    const { path, body } = ways[protocol];
    return ask(key, path(priced), { model: priced, ...body, ...change });
  };

  const nothingHappened = () => {
    const { holds, intents } = scenario.memory;
    expect([holds, intents, scenario.upstream.requests]).toEqual([[], [], []]);
  };

  return { serveWith, subscriber, ask, askOn, nothingHappened };
}
