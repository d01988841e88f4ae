/** Audits and aliases of the semantic level, and who never has a part in it. */
import { describe, expect, test } from "vitest";
import { call } from "#test/support/call.ts";
import { idThat, told, useSemantic } from "#test/support/semantic.ts";

const semantic = useSemantic();

const kept = "What does the Federal Reserve do?";
const asked = "what does the federal reserve do?";

const { evidence, logged } = semantic;
const prepare = () => semantic.prepare(kept);

describe("an audit", () => {
  const audit = (question: string) => semantic.wish(question, { id: idThat(true) });

  test("asks a provider although the judge agrees, and has the learner compare the answers", async () => {
    const entry = await prepare();
    const answer = await audit(asked);
    expect([told(answer), semantic.asked(), semantic.judged.length]).toEqual(["miss", 2, 1]);
    expect(semantic.memory.lessons).toMatchObject([
      {
        kind: "audit",
        request: answer.id,
        question: asked,
        kept: "Hi there",
        fresh: "Hi there",
        entry: { origin: entry },
      },
      { kind: "entry", question: asked, vector_sketch: expect.any(String) },
    ]);
    await semantic.learn();
    expect(evidence()).toMatchObject({ agreed: 1, refuted: 0 });
    // The sketch that the call has made is not made again.
    expect(semantic.embedded).toEqual([asked]);
    expect(told(await semantic.wish(asked))).toMatch(/^hit; level=exact/);
  });

  test("that refutes switches the context off: a judge who always agrees is found out", async () => {
    await prepare();
    semantic.verdictOf = (_first, _second, question) => (question === undefined ? "same" : "different");
    await audit(asked);
    await semantic.learn();
    expect(evidence().off_until).toBeGreaterThan(Date.now());
    semantic.judged.length = 0;
    expect(told(await semantic.wish("WHAT does the federal reserve do?"))).toBe("miss");
    expect([semantic.judged, logged().includes("cache_semantic_off")]).toEqual([[], true]);
  });
});

describe("an alias", () => {
  const aliased = async (): Promise<void> => {
    await prepare();
    const hit = await semantic.wish(asked);
    expect([told(hit).slice(0, 19), logged().filter((event) => event.startsWith("cache_un"))]).toEqual([
      "hit; level=semantic",
      [],
    ]);
    expect(semantic.memory.cache.entries.size).toBe(2);
  };
  const places = () => [...semantic.memory.cache.entries.keys()];

  test("has no answer of its own, and ends with its entry", async () => {
    await aliased();
    const [entry, alias] = [...semantic.memory.cache.entries.values()];
    expect(alias).toMatchObject({ origin: entry?.origin, at: entry?.at, until: entry?.until });
    const { now } = semantic.memory.deps;
    semantic.memory.deps.now = () => (entry?.until ?? 0) - 1;
    expect(told(await semantic.wish(asked))).toMatch(/^hit; level=semantic/);
    semantic.memory.deps.now = () => entry?.until ?? 0;
    expect(told(await semantic.wish(asked))).toBe("miss");
    semantic.memory.deps.now = now;
  });

  test("is nothing once its entry is removed", async () => {
    await aliased();
    semantic.memory.cache.entries.delete(places()[0] ?? "");
    expect(told(await semantic.wish(asked))).toBe("miss");
    expect(semantic.asked()).toBe(2);
  });

  test("is nothing once its entry is another one", async () => {
    await aliased();
    await semantic.wish(kept, { headers: { "cache-control": "no-cache" } });
    const reads = semantic.judged.length;
    // The judge is asked again: the entry has another answer now.
    expect(told(await semantic.wish(asked))).toMatch(/^hit; level=semantic/);
    expect(semantic.judged.length).toBe(reads + 1);
  });

  test("is too old as soon as its entry is", async () => {
    await aliased();
    const { now } = semantic.memory.deps;
    semantic.memory.deps.now = () => now() + 10_000;
    const young = { headers: { "cache-control": "max-age=5" } };
    expect(told(await semantic.wish(asked, young))).toBe("miss");
  });

  test("takes the place of no answer to its own question, where a call wants a younger one", async () => {
    const { now } = semantic.memory.deps;
    await semantic.wish(asked);
    semantic.memory.lessons.length = 0;
    semantic.memory.deps.now = () => now() + 60_000;
    await prepare();
    const young = await semantic.wish(asked, { headers: { "cache-control": "max-age=30" } });
    expect(told(young)).toMatch(/^hit; level=semantic/);
    expect(told(await semantic.wish(asked))).toMatch(/^hit; level=exact/);
  });

  test.each([
    ["exact", { "x-gateway-cache": "exact" }],
    ["auto", {}],
  ])("is no answer for a call that wishes %s", async (wish, headers) => {
    await prepare();
    const body = { temperature: 0, messages: [{ role: "user", content: kept }] };
    await semantic.wish(kept, { body });
    await semantic.learn();
    const ask = { ...body, messages: [{ role: "user", content: asked }] };
    expect(told(await semantic.wish(asked, { body: ask }))).toMatch(/^hit; level=semantic/);
    const before = semantic.asked();
    const answer = await semantic.cached("openai", { body: ask, headers });
    expect([told(answer), semantic.asked()]).toEqual(["miss", before + 1]);
    expect(wish).toBeDefined();
  });
});

test("half of a surrogate pair has no semantic level", async () => {
  const body = (half: string) =>
    `{"model":"openai/model-1","messages":[{"role":"user","content":"What is ${half} for?"}]}`;
  const headers = { ...semantic.headers, "x-gateway-cache": "semantic" };
  await semantic.wish(kept);
  semantic.memory.lessons.length = 0;
  const { read } = semantic.memory.contexts.calls;
  for (const half of ["\\ud83d", "\\ud83e"]) {
    const answer = await call(semantic.serve, "/v1/chat/completions", { headers, body: body(half) });
    expect(told(answer)).toBe("miss");
  }
  expect(semantic.memory.contexts.calls.read).toBe(read);
  expect([semantic.memory.lessons, semantic.embedded]).toEqual([[], []]);
});

test("without models in the catalog the wish is for an equal question, and needs no temperature", async () => {
  semantic.memory.deps.catalog = { ...semantic.memory.deps.catalog, cacheModels: () => undefined };
  await semantic.wish(kept);
  expect(told(await semantic.wish("what does the Federal Reserve do"))).toMatch(/^hit; level=canonical/);
  expect(told(await semantic.wish(asked))).toBe("miss");
  expect([semantic.memory.contexts.calls.read, semantic.memory.lessons]).toEqual([0, []]);
});

test("a call without the wish pays nothing: no page is read, nothing is embedded or taught", async () => {
  await prepare();
  const { read } = semantic.memory.contexts.calls;
  for (const headers of [{}, { "x-gateway-cache": "exact" }])
    await semantic.cached("openai", { headers, body: { messages: [{ role: "user", content: asked }] } });
  expect(semantic.memory.contexts.calls.read).toBe(read);
  expect([semantic.embedded, semantic.memory.lessons]).toEqual([[], []]);
});
