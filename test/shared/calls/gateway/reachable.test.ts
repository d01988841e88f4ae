/** A call that could not be sent to any channel is refused before admission: it holds nothing and leaves no entry. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { call } from "#test/support/call.ts";
import { createMemory, type Memory, testCatalog } from "#test/support/memory.ts";
import { withMultimodal } from "#test/support/surfaces.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

let upstream: Upstream;
let memory: Memory;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.stop());
beforeEach(() => upstream.reset());

type Protocols = Record<string, string>;
type Json = Record<string, unknown>;

/** Asks a gateway whose models have one channel for each of these providers, in this order. */
async function ask(path: string, body: Record<string, unknown>, ...providers: Protocols[]) {
  const base = testCatalog(upstream.url) as { models: { id: string }[] };
  const channels = providers.map((_, at) => ({ provider: `p${at}`, model: `upstream-${at}`, priority: at }));
  memory = createMemory({
    ...base,
    providers: Object.fromEntries(
      providers.map((protocols, at) => [`p${at}`, { protocols, auth: "bearer", secret: "TEST_API_KEY" }]),
    ),
    models: [{ ...base.models.find(({ id }) => path.includes(id) || body.model === id), channels }],
  });
  const headers = { authorization: `Bearer ${memory.addKey()}` };
  return await call(createPipeline({} as LocalAnswers, memory.deps), path, { headers, body });
}

const expectNothing = () => {
  expect([memory.holds, memory.intents, memory.events, upstream.requests]).toEqual([[], [], [], []]);
};

describe("a model that this route cannot reach", () => {
  test("is a bad request that names the routes that can", async () => {
    const { models, ...base } = withMultimodal(testCatalog(upstream.url), upstream.url) as { models: Json[] };
    const model = { ...models.at(-1), capabilities: ["embeddings", "multimodal_embeddings"] };
    memory = createMemory({ ...base, models: [model] });
    // The catalog's check refuses such a provider. A catalog may have come in another way.
    const provider = memory.deps.catalog.provider("multimodal");
    if (provider) provider.protocols = { gemini: upstream.url };
    const reply = await call(
      createPipeline({} as LocalAnswers, memory.deps),
      "/api/v3/embeddings/multimodal",
      {
        headers: { authorization: `Bearer ${memory.addKey()}` },
        body: { model: "test/multimodal-1", input: [{ type: "text", text: "Hi" }] },
      },
    );
    expect(reply.status).toBe(400);
    expect(reply.json().error).toMatchObject({ code: "InvalidParameter", param: "model" });
    const { message } = reply.json().error as { message: string };
    expect(message).toContain("POST /api/v1beta/models/{model}:embedContent");
    expect(message).not.toContain("/api/v3/embeddings/multimodal");
    expectNothing();
  });

  test("is reached from another route", async () => {
    upstream.json({ embedding: { values: [1] } });
    const reply = await ask(
      "/api/v1beta/models/test/embedding-1:embedContent",
      { content: { parts: [{ text: "Hi" }] } },
      { gemini: upstream.url },
    );
    expect(reply.status).toBe(200);
  });
});

describe("a request that cannot cross", () => {
  const path = "/api/v1/responses";
  const stored = { model: "test/model-1", input: "Hi", previous_response_id: "resp_1" };
  const answer = { object: "response", output: [], usage: { input_tokens: 1, output_tokens: 1 } };

  test.each<Protocols>([{ anthropic: "" }, { gemini: "" }, { openai: "/v1" }])(
    "to %j is refused before admission",
    async (spoken) => {
      const protocols = Object.entries(spoken).map(([name, path]) => [name, upstream.url + path]);
      const reply = await ask(path, stored, Object.fromEntries(protocols) as Protocols);
      expect([reply.status, reply.json().error]).toMatchObject([400, { code: "40000" }]);
      expect(reply.text).toContain("previous_response_id");
      expectNothing();
    },
  );

  test("goes to the channel that can carry it, whatever its rank", async () => {
    upstream.json(answer);
    const reply = await ask(
      path,
      { model: "test/model-1", input: "Hi", top_logprobs: 3 },
      { anthropic: upstream.url },
      { responses: `${upstream.url}/v1` },
    );
    expect(reply.status).toBe(200);
    expect(upstream.requests.map((request) => request.path)).toEqual(["/v1/responses"]);
  });
});
