/** What a plan lets its keys do: the models they may use on every route, and what one call may ask for. */
import { beforeEach, describe, expect, test } from "vitest";
import { isAmong } from "#shared/books/catalog/catalog.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { call } from "#test/support/call.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import { testCatalog } from "#test/support/memory.ts";
import { completion, useScenario } from "#test/support/scenario.ts";
import { createVideoScenario, withVideo } from "#test/support/video.ts";
import { localAnswers } from "../../../../functions/local-answers.ts";

const scenario = useScenario();
let catalog: ReturnType<typeof createCatalog>;

beforeEach(() => {
  const { memory, upstream } = scenario;
  const base = withVideo(testCatalog(upstream.url), upstream.url) as { plans: { free: object } };
  const { free } = base.plans;
  catalog = createCatalog(
    parseCatalog({
      ...base,
      plans: {
        free: { ...free, models: ["test/*del_1", "test/image-1"], n_max: 1 },
        lite: { ...free, models: ["test/*-1"], n_max: 4 },
        pro: free,
      },
    }),
  );
  const nothing = {} as never;
  const videos = createVideoScenario(createTasks(nothing, nothing), createMeters(nothing, nothing)).deps;
  const deps = { ...videos, ...memory.deps, catalog };
  scenario.serve = createPipeline(localAnswers(deps), deps);
  upstream.json(completion);
});

/** A key of a subscription to a plan. */
function subscriber(plan: string, change: object = {}): string {
  const subscription = {
    meter: "mtr_1",
    plan,
    period: "monthly",
    started_at: 0,
    ends_at: null,
    ...change,
  } as const;
  return scenario.memory.addKey(
    { mode: "subscription" },
    { subscription: subscription as never, wallet: null },
  );
}

const ask = (key: string, path: string, body?: object) =>
  call(scenario.serve, path, {
    method: body ? "POST" : "GET",
    headers: { "x-api-key": key },
    ...(body && { body }),
  });

const messages = [{ role: "user", content: "Hello" }];
const model = "test/embedding-1";
const contents = [{ parts: [{ text: "Hello" }] }];
const video = { model: "test/video-1", content: [{ type: "text", text: "A cat" }] };

describe("a model that a plan does not have", () => {
  // The plan `free` has the chat and the picture model; its keys are told who has the others.
  const calls: [path: string, body: object][] = [
    ["/v1/embeddings", { model, input: "x" }],
    ["/api/v1/embeddings", { model: "test/EMBEDDING_1", input: "x" }],
    [`/api/v1beta/models/${model}:embedContent`, { content: contents[0] }],
    [`/api/v1beta/models/${model}:batchEmbedContents`, { requests: [{ content: contents[0] }] }],
    ["/api/v3/contents/generations/tasks", video],
  ];

  test.each(calls)("%s is 403 and names the plans that have it", async (path, body) => {
    const reply = await ask(subscriber("free"), path, body);
    expect(reply.status).toBe(403);
    expect(reply.text).toMatch(path.includes("tasks") ? /PERMISSION_DENIED/ : /40300|PERMISSION_DENIED/);
    expect(reply.text).toMatch(/Plans that have it: lite, pro\./);
    expect([scenario.memory.holds, scenario.memory.intents, scenario.upstream.requests]).toEqual([
      [],
      [],
      [],
    ]);
  });

  const chats: [path: string, body: object][] = [
    ["/v1/chat/completions", { model: "test/model-1", messages }],
    ["/v1/messages", { model: "test/model-1", messages, max_tokens: 9 }],
    ["/v1/messages/count_tokens", { model: "test/model-1", messages }],
    ["/v1/responses", { model: "test/model-one", input: "x" }],
    ["/api/v1beta/models/test/model-1:generateContent", { contents }],
    ["/api/v1beta/models/test/model-1:streamGenerateContent", { contents }],
    ["/api/v1beta/models/test/model-1:countTokens", { contents }],
    ["/v1/images/generations", { model: "test/image-1", prompt: "x" }],
    ["/v1/images/edits", { model: "test/image-1", prompt: "x", image: "https://x.example/a.png" }],
  ];

  test.each(chats)("%s, on any other route too", async (path, body) => {
    const without = createCatalog(
      parseCatalog({
        ...(withVideo(testCatalog(scenario.upstream.url), scenario.upstream.url) as object),
        plans: { free: { ...catalogFile.plans.free, models: ["test/embedding-1"] } },
      }),
    );
    scenario.serve = createPipeline({} as never, { ...scenario.memory.deps, catalog: without });
    const reply = await ask(subscriber("free"), path, body);
    expect([reply.status, reply.text]).toEqual([403, expect.stringContaining("No plan has it.")]);
    expect([scenario.memory.holds, scenario.upstream.requests]).toEqual([[], []]);
  });

  test("is another's, and a pay-as-you-go key's", async () => {
    const body = { model, input: "x" };
    scenario.upstream.json({ data: [{ index: 0, embedding: [1] }], usage: { prompt_tokens: 1 } });
    for (const key of [subscriber("lite"), subscriber("pro"), scenario.key]) {
      expect((await ask(key, "/v1/embeddings", body)).status).toBe(200);
    }
  });

  test("is refused after what the model cannot do, and before what its fields say", async () => {
    const free = subscriber("free");
    const chat = await ask(free, "/v1/chat/completions", { model, messages });
    expect([chat.status, chat.text]).toEqual([400, expect.stringContaining("does not support chat")]);
    expect((await ask(free, "/v1/embeddings", { model })).status).toBe(403);
    expect((await ask(free, "/v1/embeddings", { model: "test/none" })).status).toBe(404);
  });

  test("goes by the plan that runs, and says 40202 of one that has lapsed or is gone", async () => {
    const later = subscriber("pro", { next: { plan: "free", period: "monthly", from: Date.now() + 60_000 } });
    const now = subscriber("pro", { next: { plan: "free", period: "monthly", from: Date.now() - 60_000 } });
    const body = { model, input: "x" };
    scenario.upstream.json({ data: [{ index: 0, embedding: [1] }], usage: { prompt_tokens: 1 } });
    expect((await ask(later, "/v1/embeddings", body)).status).toBe(200);
    expect((await ask(now, "/v1/embeddings", body)).status).toBe(403);
    const gone = await ask(subscriber("gone"), "/v1/embeddings", body);
    expect(gone.json()).toMatchObject({ error: { code: "40202" } });
    const lapsed = await ask(subscriber("pro", { ends_at: 1 }), "/v1/embeddings", body);
    expect(lapsed.json()).toMatchObject({ error: { code: "40202" } });
  });
});

describe("more than a plan allows in one call", () => {
  const prompt = { model: "test/image-1", prompt: "x" };
  const calls: [what: string, path: string, body: object, asked: number, plans: string][] = [
    ["answer", "/v1/chat/completions", { model: "test/model-1", messages, n: 2 }, 2, "lite, pro"],
    ["answer", "/v1/chat/completions", { model: "test/model-1", messages, n: 5 }, 5, "pro"],
    [
      "answer",
      "/api/v1beta/models/test/model-1:generateContent",
      { contents, generationConfig: { candidateCount: 3 } },
      3,
      "lite, pro",
    ],
    ["picture", "/v1/images/generations", { ...prompt, n: 15 }, 15, "pro"],
    ["picture", "/api/v3/images/generations", { ...prompt, sequential_image_generation: "auto" }, 15, "pro"],
    ["picture", "/v1/images/edits", { ...prompt, image: "https://x.example/a.png", n: 2 }, 2, "lite, pro"],
  ];

  test.each(calls)("%s, %s, is 403 and names those that allow it", async (what, path, body, asked, plans) => {
    const reply = await ask(subscriber("free"), path, body);
    expect(reply.status).toBe(403);
    expect(reply.text).toContain(`allows 1 ${what} a call at most, and this one may come to ${asked}`);
    expect(reply.text).toContain(`Plans that allow as many: ${plans}.`);
    expect([scenario.memory.holds, scenario.upstream.requests]).toEqual([[], []]);
  });

  test("is allowed by another plan, and on a pay-as-you-go key", async () => {
    const [, path, body] = calls[0] ?? expect.fail();
    for (const key of [subscriber("lite"), subscriber("pro"), scenario.key]) {
      expect((await ask(key, path, body)).status).toBe(200);
    }
  });

  test("is none: one answer, one picture", async () => {
    const free = subscriber("free");
    expect((await ask(free, "/v1/chat/completions", { model: "test/model-1", messages, n: 1 })).status).toBe(
      200,
    );
    scenario.upstream.json({ data: [{ url: "a" }] });
    expect((await ask(free, "/v1/images/generations", prompt)).status).toBe(200);
  });
});

describe("the lists of a key", () => {
  const idsOf = ({ data }: Record<string, unknown>) => (data as { id: string }[]).map(({ id }) => id);
  const all = ["test/model-1", "test/embedding-1", "test/image-1", "test/video-1", "test/video-2"];

  test.each([
    ["free", ["test/model-1", "test/image-1"]],
    ["lite", all.slice(0, 4)],
    ["pro", all],
  ])("of %s have what its plan may use", async (plan, ids) => {
    const key = subscriber(plan);
    expect(idsOf((await ask(key, "/v1/models")).json())).toEqual(ids);
    const { models } = (await ask(key, "/api/v1beta/models")).json();
    expect((models as { name: string }[]).map(({ name }) => name)).toEqual(ids.map((id) => `models/${id}`));
  });

  test("of pay-as-you-go, and the public one, have all", async () => {
    expect(idsOf((await ask(scenario.key, "/v1/models")).json())).toEqual(all);
    expect(idsOf((await call(scenario.serve, "/api/v1/models", { method: "GET" })).json())).toEqual(all);
  });

  test.each(["/v1/models/", "/api/v1beta/models/"])(
    "%s says 403 of a model the plan has not",
    async (path) => {
      const free = subscriber("free");
      expect((await ask(free, `${path}test/model-1`)).status).toBe(200);
      const refused = await ask(free, `${path}test/embedding-1`);
      expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("lite, pro")]);
      expect((await ask(free, `${path}test/none`)).status).toBe(404);
      expect((await ask(subscriber("pro"), `${path}test/embedding-1`)).status).toBe(200);
    },
  );
});

describe("a pattern", () => {
  test.each([
    ["*", "acme/any-1", true],
    ["acme/*", "acme/any-1", true],
    ["acme/*", "other/any-1", false],
    ["*/any-*", "acme/any-1", true],
    ["acme/*-mini", "acme/one-2.5-mini", true],
    ["acme/*-mini", "acme/one-mini-2", false],
    ["acme/*-mini", "acme/mini", false],
    ["ACME/One-2.5", "acme/one-2-5", true],
    ["acme/one", "acme/one-2", false],
    ["acme/o.e", "acme/one", false],
    ["acme/one*", "acme/one", true],
  ])("%s means %s: %s", (pattern, id, means) => {
    expect(isAmong(id, [pattern])).toBe(means);
    expect(isAmong(id, ["none/such", pattern])).toBe(means);
  });

  test("of nothing means nothing", () => expect(isAmong("acme/any", [])).toBe(false));
});

describe("the default catalog", () => {
  const models = createCatalog(parseCatalog(catalogFile));
  const free = models.models().filter((model) => models.plansWith(model).includes("free"));

  test("gives Free small models of every vendor and one picture a call, and no video", () => {
    expect(models.plan("free")?.n_max).toBe(1);
    const vendors = new Set(free.map(({ owned_by }) => owned_by));
    expect(vendors.size).toBeGreaterThan(4);
    expect(free.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["openai/gpt-5.4-mini", "openai/gpt-5.4-nano"]),
    );
    expect(free.filter(({ capabilities }) => capabilities.includes("video"))).toEqual([]);
  });

  test("keeps what is dear from it, and gives all to the other plans", () => {
    for (const { id, price, discount_rate } of free) {
      if (price.mode === "per_image") expect(Number(price.unit_price), id).toBeLessThanOrEqual(0.06);
      if (price.mode === "flat_tokens")
        expect(Number(price.output) * Number(discount_rate), id).toBeLessThanOrEqual(6);
    }
    for (const model of models.models())
      expect(models.plansWith(model)).toEqual(expect.arrayContaining(["lite", "pro"]));
  });
});
