/** A pipeline over three models, each with a provider of its own, for tests of fallback from one to another. */
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline, type Pipeline } from "#shared/calls/gateway/pipeline.ts";
import { type Answer, type CallOptions, call } from "./call.ts";
import { createMemory, type Memory, testCatalog } from "./memory.ts";
import { chatBody, chatPath, completion } from "./scenario.ts";
import { startUpstream, type Upstream } from "./upstream.ts";

export const providers = ["one", "two", "three"] as const;
type Name = (typeof providers)[number];

interface FallbackScenario {
  /** The providers of `test/model-1`, of `test/dear-1`, and of `test/claude-1`, which only Anthropic's protocol reaches. */
  upstreams: Record<Name, Upstream>;
  memory: Memory;
  /** The secret of the key that calls. */
  key: string;
  /** Begins anew with a changed catalog. */
  sell(change: (catalog: TestCatalog) => object): void;
  send(path: string, options: CallOptions): Promise<Answer>;
  /** A chat with `test/model-1`, whose header names these fallbacks. */
  chat(fallbacks: string, options?: CallOptions): Promise<Answer>;
  /** Lets a provider answer with an error. */
  fails(name: Name, status?: number): void;
  /** The providers that were asked. */
  asked(): Name[];
  priceOf(id: string): ReturnType<Memory["deps"]["catalog"]["price"]>;
}

interface TestCatalog {
  providers: { test: object };
  models: object[];
  plans: { free: object };
}

/** The header that names fallbacks. */
export const fallback = (value: string) => ({ "x-gateway-fallback": value });

/** Anthropic's answer, whole. */
export const message = {
  id: "m",
  type: "message",
  role: "assistant",
  content: [{ type: "text", text: "Hi" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 10, output_tokens: 4 },
};

/** Registers a fresh scenario for each test of the file. Its members are there once a test runs. */
export function useFallbacks(): FallbackScenario {
  const upstreams = {} as Record<Name, Upstream>;
  let serve: Pipeline;
  const scenario = {
    upstreams,
    sell(change) {
      scenario.memory = createMemory(change(catalogOf(upstreams)));
      scenario.key = scenario.memory.addKey();
      serve = createPipeline({} as LocalAnswers, scenario.memory.deps);
    },
    send: (path, { headers = {}, ...options }) =>
      call(serve, path, { ...options, headers: { authorization: `Bearer ${scenario.key}`, ...headers } }),
    chat: (fallbacks, options = {}) =>
      scenario.send(chatPath, {
        body: chatBody,
        ...options,
        headers: { ...fallback(fallbacks), ...options.headers },
      }),
    fails: (name, status = 503) => upstreams[name].on((_, response) => response.writeHead(status).end("{}")),
    asked: () => providers.filter((name) => upstreams[name].requests.length > 0),
    priceOf(id) {
      const model = scenario.memory.deps.catalog.find(id);
      if (!model) throw new Error(`no model ${id}`);
      return scenario.memory.deps.catalog.price(model, 0);
    },
  } as FallbackScenario;
  beforeAll(async () => {
    for (const name of providers) upstreams[name] = await startUpstream();
  });
  afterAll(() => Promise.all(providers.map((name) => upstreams[name].stop())));
  beforeEach(() => {
    scenario.sell((catalog) => catalog);
    for (const name of providers) {
      upstreams[name].reset();
      upstreams[name].json(name === "three" ? message : completion);
    }
  });
  return scenario;
}

/** A cheap model, a dear one, and a cheap one in another protocol. */
function catalogOf({ one, two, three }: Record<Name, Upstream>): TestCatalog {
  const base = testCatalog(one.url) as TestCatalog;
  const [cheap, ...others] = base.models;
  const providerAt = (name: Name, protocols: object) => ({
    [name]: { ...base.providers.test, secret: `${name.toUpperCase()}_KEY`, protocols },
  });
  const model = (id: string, name: Name, change: object = {}) => ({
    ...cheap,
    id,
    aliases: [],
    channels: [{ provider: name, model: `${name}-upstream` }],
    ...change,
  });
  return {
    ...base,
    providers: {
      ...base.providers,
      ...providerAt("one", { openai: `${one.url}/v1` }),
      ...providerAt("two", { openai: `${two.url}/v1` }),
      ...providerAt("three", { anthropic: three.url }),
    },
    models: [
      model("test/model-1", "one", { aliases: ["test/model-one"] }),
      model("test/dear-1", "two", {
        output_tokens: 4_096,
        price: { mode: "flat_tokens", input: "15", output: "75", cache_read: "1.5", cache_write: "18.75" },
      }),
      model("test/claude-1", "three"),
      ...others,
    ],
  };
}

/** A subscription to the plan `free` that has just begun. */
export const subscription = () =>
  ({ meter: "mtr_1", plan: "free", period: "monthly", started_at: Date.now(), ends_at: null }) as const;
