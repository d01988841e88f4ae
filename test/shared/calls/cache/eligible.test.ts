/** Which calls have a cache, and why others have none: in every chat protocol, through the pipeline. */
import { describe, expect, test } from "vitest";
import type { CacheUse } from "#shared/books/accounts/key-defaults.ts";
import { type Asked, same, useCached } from "#test/support/cached.ts";
import { type Speech, speeches } from "#test/support/crossed.ts";

const cached = useCached();

const told = (answer: { headers: Record<string, string> }) => answer.headers["x-gateway-cache"];

const picture = "data:image/png;base64,iVBORw0KGgo=";
const long = "x".repeat(9_000);
const user = (content: unknown) => ({ messages: [{ role: "user", content }] });
const warm: Record<Speech, object> = {
  openai: { temperature: 0.7 },
  anthropic: { temperature: 0.7 },
  gemini: { generationConfig: { temperature: 0.7 } },
  responses: { temperature: 0.7 },
};

type Row = [client: Speech, what: string, body: object, reason: string, more?: Asked];

const openaiTool = {
  type: "function",
  function: { name: "f", parameters: { type: "object", properties: {} } },
};
const rows: Row[] = [
  ["openai", "tools", { tools: [openaiTool] }, "tools"],
  ["openai", "a call of a tool in the history", historyWithTool(), "tools"],
  ["openai", "web search", { web_search_options: {} }, "tools"],
  ["openai", "a picture", user([{ type: "image_url", image_url: { url: picture } }]), "media"],
  [
    "openai",
    "a file",
    user([{ type: "file", file: { file_data: "data:application/pdf;base64,JVBERg==" } }]),
    "media",
  ],
  ["openai", "probabilities", { logprobs: true }, "field"],
  ["openai", "an unknown field", { vendor_field: true }, "field"],
  ["openai", "a stored answer", { store: true }, "stored"],
  ["openai", "two answers", { n: 2 }, "choices"],
  ["openai", "a long question", user(long), "size"],
  ["openai", "an empty question", user(" "), "question"],
  ["openai", "an end that is not a user's", { messages: [{ role: "assistant", content: "Hi" }] }, "question"],
  ["anthropic", "tools", { tools: [{ name: "f", input_schema: { type: "object" } }] }, "tools"],
  [
    "anthropic",
    "a picture",
    user([{ type: "image", source: { type: "url", url: "https://a.example/b.png" } }]),
    "media",
  ],
  ["gemini", "tools", { tools: [{ functionDeclarations: [{ name: "f" }] }] }, "tools"],
  [
    "gemini",
    "a picture",
    {
      contents: [{ role: "user", parts: [{ inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }] }],
    },
    "media",
  ],
  ["gemini", "probabilities", { generationConfig: { temperature: 0, responseLogprobs: true } }, "field"],
  ["responses", "an answer that the provider stores", { store: undefined }, "stored"],
  ["responses", "an earlier answer", { previous_response_id: "resp_1" }, "stored"],
  [
    "responses",
    "tools",
    { tools: [{ type: "function", name: "f", parameters: { type: "object", properties: {} } }] },
    "tools",
  ],
  ["responses", "a tool of the provider", { tools: [{ type: "web_search" }] }, "tools"],
  ["responses", "what else is included", { include: ["message.output_text.logprobs"] }, "field"],
];

function historyWithTool(): object {
  const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
  return {
    messages: [
      { role: "user", content: "Go" },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "c", content: "1" },
      { role: "user", content: "And?" },
    ],
  };
}

test.each(rows)("%s with %s: asked anew", async (client, _, body, reason, more = {}) => {
  // An earlier answer is known to its client by the id that the gateway gave it.
  const own = "previous_response_id" in body && { previous_response_id: cached.memory.give("resp_1") };
  for (const at of [1, 2]) {
    const answer = await cached.cached(client, { body: { ...body, ...own }, ...more });
    expect([answer.status, told(answer), cached.asked()]).toEqual([200, `bypass; reason=${reason}`, at]);
  }
  expect([cached.memory.cache.reads, cached.memory.cache.puts]).toEqual([0, 0]);
});

describe.each(speeches)("%s", (client) => {
  const twice = async (asked: Asked): Promise<(string | undefined)[]> => [
    told(await cached.cached(client, asked)),
    told(await cached.cached(client, asked)),
  ];

  test("by itself, only a request for sameness has a cache", async () => {
    const body = warm[client] as Record<string, unknown>;
    const stored = client === "responses" ? { store: false } : {};
    expect(await twice({ body: { ...body, ...stored } })).toEqual(Array(2).fill("bypass; reason=auto"));
    for (const wish of ["exact", "semantic"]) {
      const chosen = { body: { ...body, ...stored }, headers: { "x-gateway-cache": wish } };
      cached.headers = cached.keyOf();
      expect(await twice(chosen)).toEqual(["miss", expect.stringMatching(/^hit; level=exact/)]);
    }
  });

  test("what a call says goes before what its key says", async () => {
    const body = warm[client] as Record<string, unknown>;
    const asked: Asked = { body: { ...body, ...(client === "responses" && { store: false }) } };
    const says = async (cache: CacheUse | undefined, headers: Record<string, string> = {}) =>
      told(
        await cached.cached(client, {
          ...asked,
          headers: { ...cached.keyOf({ ...(cache && { cache }) }), ...headers },
        }),
      );
    expect(await says("off")).toBe("bypass; reason=off");
    expect(await says("off", { "x-gateway-cache": "exact" })).toBe("miss");
    expect(await says("exact")).toBe("miss");
    expect(await says("semantic")).toBe("miss");
    expect(await says("semantic", { "x-gateway-cache": "off" })).toBe("bypass; reason=off");
    expect(await says(undefined)).toBe("bypass; reason=auto");
  });

  test("the client switches it off", async () => {
    const off = { headers: { "x-gateway-cache": "off" } };
    expect(await twice(off)).toEqual(Array(2).fill("bypass; reason=off"));
    const none = { headers: { "cache-control": "no-store" } };
    expect(await twice(none)).toEqual(Array(2).fill("bypass; reason=no-store"));
  });

  test("another value of the header is 400, before anything is held", async () => {
    const answer = await cached.cached(client, { headers: { "x-gateway-cache": "auto" } });
    expect([answer.status, answer.text.includes("x-gateway-cache"), cached.asked()]).toEqual([400, true, 0]);
    expect(cached.memory.holds).toEqual([]);
  });
});

test("a seed asks for sameness", async () => {
  const body = { temperature: 1, seed: 7 };
  expect(told(await cached.cached("openai", { body }))).toBe("miss");
  expect(told(await cached.cached("openai", { body: { ...body } }))).toMatch(/^hit/);
  expect(told(await cached.cached("openai", { body: { temperature: 1, seed: 8 } }))).toBe("miss");
});

test.each([
  ["a pay-as-you-go key", { mode: "payg" as const }, {}],
  ["a plan without a cache", {}, { plan: "lite" }],
])("%s: no work, and no header", async (_, change, { plan }: { plan?: string }) => {
  const subscription = { period: "monthly" as const, meter: "mtr_01", started_at: 0, ends_at: null };
  const own = plan === undefined ? {} : { subscription: { ...subscription, plan } };
  cached.headers = cached.keyOf(change, own);
  for (const at of [1, 2]) {
    const answer = await cached.cached("openai", { headers: { "x-gateway-cache": "exact" } });
    expect([answer.status, told(answer), cached.asked()]).toEqual([200, undefined, at]);
  }
  expect([cached.memory.cache.reads, cached.memory.cache.puts]).toEqual([0, 0]);
});

test.each(["/v1/embeddings", "/v1/images/generations"])("%s has none", async (path) => {
  cached.upstream.json({
    data: [{ embedding: [1], index: 0 }],
    usage: { prompt_tokens: 1, total_tokens: 1 },
  });
  const model = path.includes("embeddings") ? "test/embedding-1" : "test/image-1";
  const answer = await cached.cached("openai", {
    path,
    model,
    body: { ...same.openai, input: "a", prompt: "a" },
  });
  expect(told(answer)).toBe("bypass; reason=kind");
});
