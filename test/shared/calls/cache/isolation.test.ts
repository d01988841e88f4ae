/** Who never gets whose answer, and which differences of a request are never overlooked. */
import { describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import type { CacheEntry } from "#shared/calls/cache/entries.ts";
import { type Asked, cachedCatalog, useCached } from "#test/support/cached.ts";
import { call } from "#test/support/call.ts";
import { modelOf, type Speech } from "#test/support/crossed.ts";

type Json = Record<string, unknown>;

const cached = useCached();

const told = (answer: { headers: Record<string, string> }) => answer.headers["x-gateway-cache"] ?? "";
const level = async (client: Speech, asked: Asked = {}): Promise<string> => {
  const answer = told(await cached.cached(client, asked));
  return /level=(\w+)/.exec(answer)?.[1] ?? answer;
};

/** Whether the second call is given the answer of the first. */
async function shares(client: Speech, first: Asked, second: Asked): Promise<boolean> {
  expect(told(await cached.cached(client, first))).toBe("miss");
  return told(await cached.cached(client, second)).startsWith("hit");
}

describe("the same question", () => {
  test("of two keys, two projects, two organizations and two epochs has an answer for each", async () => {
    const organization = newId("organization", Date.now());
    const id = newId("key", Date.now());
    const own = { headers: cached.keyOf({ id }, { id: organization }) };
    expect(await shares("openai", own, own)).toBe(true);
    for (const other of [
      cached.keyOf({}, { id: organization }),
      cached.keyOf({ id, project: "p" }, { id: organization }),
      cached.keyOf({ id }, {}),
      cached.keyOf({ id }, { id: organization, cache_epoch: 1 }),
    ]) {
      expect(told(await cached.cached("openai", { headers: other }))).toBe("miss");
    }
    expect(cached.memory.cache.entries.size).toBe(5);
  });

  test.each([
    ["openai", (user: string) => ({ user })],
    ["anthropic", (user_id: string) => ({ metadata: { user_id } })],
    ["responses", (user: string) => ({ user })],
  ] as [Speech, (user: string) => Json][])(
    "of two end users has an answer for each, in %s",
    async (client, of) => {
      expect(await shares(client, { body: of("ann") }, { body: of("bob") })).toBe(false);
      expect(told(await cached.cached(client))).toBe("miss");
      for (const asked of [{ body: of("ann") }, { body: of("bob") }, {}]) {
        expect(told(await cached.cached(client, asked))).toMatch(/^hit/);
      }
    },
  );

  test("under an alias of its model has one answer, and under another model another", async () => {
    const [id, alias] = ["test/model-1", "Test/Model.One"];
    expect(await shares("openai", { model: id, provider: "openai" }, { model: alias })).toBe(true);
    expect(told(await cached.cached("openai", { model: modelOf("openai") }))).toBe("miss");
  });

  test("after its model is sent elsewhere is asked anew", async () => {
    expect(await shares("openai", {}, {})).toBe(true);
    const catalog = cachedCatalog(cached.upstream.url) as { models: { id: string; channels: Json[] }[] };
    for (const model of catalog.models)
      model.channels = [{ ...model.channels[0], model: "upstream-model-2" }];
    cached.memory.deps.catalog = createCatalog(parseCatalog(catalog));
    expect(told(await cached.cached("openai"))).toBe("miss");
  });

  test("in another protocol is asked anew", async () => {
    expect(told(await cached.cached("openai", { model: "test/model-1" }))).toBe("miss");
    expect(told(await cached.cached("anthropic", { model: "test/model-1" }))).toBe("miss");
  });

  test("with another beta header, or made to fit, is asked anew", async () => {
    const beta = (name: string) => ({ headers: { "anthropic-beta": name } });
    expect(await shares("anthropic", beta("a-1"), beta("a-2"))).toBe(false);
    expect(told(await cached.cached("anthropic", { headers: { "x-gateway-adapt": "1" } }))).toBe("miss");
  });
});

const turns = (...texts: string[]) =>
  texts.map((content, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content }));

const parts = (...texts: string[]) => texts.map((text) => ({ type: "text", text }));
const gemini = (more: Json): Json => ({ contents: [{ role: "user", parts: [{ text: "@" }] }], ...more });

describe("one byte more, and it is asked anew:", () => {
  const base = { messages: [{ role: "system", content: "Be brief" }, ...turns("Hi", "Hello", "And now?")] };
  const messages = (change: (messages: Json[]) => void): Json => {
    const changed = structuredClone(base);
    change(changed.messages);
    return changed;
  };
  test.each([
    ["system prompt", messages(([system]) => Object.assign(system as Json, { content: "Be brief." }))],
    ["an earlier question", messages(([, first]) => Object.assign(first as Json, { content: "Hi!" }))],
    ["an earlier answer", messages(([, , answer]) => Object.assign(answer as Json, { content: "Hello!" }))],
    ["the question", messages((all) => Object.assign(all.at(-1) as Json, { content: "And now??" }))],
    ["temperature", { temperature: 0.1 }],
    ["max_tokens", { max_tokens: 10 }],
    ["stop", { stop: ["a"] }],
    ["response_format", { response_format: { type: "json_object" } }],
    ["reasoning_effort", { reasoning_effort: "low" }],
    ["seed", { seed: 1 }],
    ["top_p", { top_p: 0.5 }],
  ] as [string, Json][])("%s", async (_, body) => {
    expect(await shares("openai", { body: base }, { body: { ...base, ...body } })).toBe(false);
    expect(await shares("openai", { body: { ...base, ...body, user: "x" } }, { body: base })).toBe(true);
  });

  test("numbers that are the same double", async () => {
    const seed = (digits: string) => ({
      headers: cached.headers,
      body: `{"model":"openai/model-1","seed":${digits},"messages":[{"role":"user","content":"Hi"}]}`,
    });
    await cached.cached("openai");
    for (const digits of ["9007199254740992", "9007199254740993"]) {
      expect(told(await call(cached.serve, "/v1/chat/completions", seed(digits)))).toBe("miss");
    }
    expect(told(await call(cached.serve, "/v1/chat/completions", seed("9007199254740993")))).toMatch(/^hit/);
  });

  test("a member that is given twice", async () => {
    const body = (content: string) => ({
      headers: cached.headers,
      body: `{"model":"openai/model-1","seed":1,"messages":[{"role":"user",${content}"content":"Hi"}]}`,
    });
    await cached.cached("openai");
    const first = '"content":"Bye",';
    expect(told(await call(cached.serve, "/v1/chat/completions", body(first)))).toBe("miss");
    expect(told(await call(cached.serve, "/v1/chat/completions", body("")))).toBe("miss");
  });

  test("halves of surrogate pairs", async () => {
    const asks = (half: string) => ({
      headers: cached.headers,
      body: `{"model":"openai/model-1","seed":1,"messages":[{"role":"user","content":"What is ${half}"}]}`,
    });
    await cached.cached("openai");
    expect(told(await call(cached.serve, "/v1/chat/completions", asks("\\ud83d")))).toBe("miss");
    expect(told(await call(cached.serve, "/v1/chat/completions", asks("\\ud83e")))).toBe("miss");
    expect(told(await call(cached.serve, "/v1/chat/completions", asks("\\ud83e")))).toMatch(/level=exact/);
  });
});

test("another form of a first question is canonical; of a later one, a personal one or a wished exact one it is not", async () => {
  const asks = (content: string, before: string[] = []) => ({
    body: { messages: turns(...before, content) },
  });
  expect(await level("openai", asks("What is DNA?"))).toBe("miss");
  expect(await level("openai", asks("What is DNA?"))).toBe("exact");
  expect(await level("openai", asks("Hello, what is DNA"))).toBe("canonical");
  const exact = { ...asks("what is DNA"), headers: { "x-gateway-cache": "exact" } };
  expect(told(await cached.cached("openai", exact))).toBe("miss");
  const later = (content: string) => asks(content, ["Hi", "Hello"]);
  expect(await shares("openai", later("What is DNA?"), later("What is DNA"))).toBe(false);
  expect(await shares("openai", asks("Where is my car?"), asks("Where is my car"))).toBe(false);
});

test.each([
  ["openai", "a system prompt", { messages: [{ role: "system", content: "Spot greetings" }, ...turns("@")] }],
  ["openai", "an earlier part", { messages: [{ role: "user", content: parts("Spot greetings", "@") }] }],
  ["openai", "a form", { messages: turns("@"), response_format: { type: "json_object" } }],
  ["anthropic", "a system prompt", { messages: turns("@"), system: "Spot greetings" }],
  ["gemini", "a system prompt", gemini({ systemInstruction: { parts: [{ text: "Spot greetings" }] } })],
  ["gemini", "a system prompt", gemini({ system_instruction: { parts: [{ text: "Spot greetings" }] } })],
  [
    "gemini",
    "a form",
    gemini({ generationConfig: { temperature: 0, responseMimeType: "application/json" } }),
  ],
  ["responses", "instructions", { input: "@", instructions: "Spot greetings" }],
  ["responses", "a form", { input: "@", text: { format: { type: "json_object" } } }],
] as [Speech, string, Json][])(
  "%s with %s: another form of the question is asked anew",
  async (client, _, body) => {
    const asks = (text: string): Asked => ({
      body: JSON.parse(JSON.stringify(body).replace("@", text)) as Json,
    });
    expect(await shares(client, asks("Hello, what is DNA?"), asks("What is DNA"))).toBe(false);
    expect(await level(client, asks("What is DNA"))).toBe("exact");
  },
);

describe("a box", () => {
  const [entryOf] = [() => [...cached.memory.cache.entries][0] as [string, CacheEntry]];

  test("that was copied to another scope does not open, and the call is asked anew", async () => {
    await cached.cached("openai");
    const [, foreign] = entryOf();
    const headers = cached.keyOf();
    await cached.cached("openai", { headers });
    const place = [...cached.memory.cache.entries.keys()][1] as string;
    cached.memory.cache.entries.set(place, foreign);
    const answer = await cached.cached("openai", { headers });
    expect([answer.status, told(answer)]).toEqual([200, "miss"]);
    expect(cached.memory.logs.map(({ event }) => event)).toContain("cache_unreadable");
  });

  test("that was copied to another place of its scope does not open", async () => {
    await cached.cached("openai", { body: { seed: 1 } });
    const [, first] = entryOf();
    await cached.cached("openai", { body: { seed: 2 } });
    const place = [...cached.memory.cache.entries.keys()][1] as string;
    cached.memory.cache.entries.set(place, first);
    expect(told(await cached.cached("openai", { body: { seed: 2 } }))).toBe("miss");
  });

  test.each([
    ["another origin", { origin: "req_01KAJ2X5P00000000000000000" }],
    ["a longer life", { until: Number.MAX_SAFE_INTEGER }],
    ["a younger age", { at: 4_000_000_000_000 }],
  ])("whose head has %s does not open", async (_, change) => {
    await cached.cached("openai");
    const [place, entry] = entryOf();
    cached.memory.cache.entries.set(place, { ...entry, ...change });
    expect(told(await cached.cached("openai"))).toBe("miss");
  });

  test("shows nothing of question, answer or asker", async () => {
    await cached.cached("openai", { body: { user: "ann" } });
    const [place, { box, ...head }] = entryOf();
    const seen = `${place}${JSON.stringify(head)}${box.toString("latin1")}`;
    for (const secret of ["Hello", "Hi there", "ann", "org_", "key_"]) expect(seen).not.toContain(secret);
  });
});
