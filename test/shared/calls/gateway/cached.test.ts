/** The way of a call that has a cache: what a hit is told and billed, and what a miss leaves behind. */
import { describe, expect, test, vi } from "vitest";
import { noUsage } from "#shared/books/billing/usage.ts";
import { bounds } from "#shared/calls/cache/bounds.ts";
import { plainAnswers, useCached } from "#test/support/cached.ts";
import { call } from "#test/support/call.ts";
import { framesIn, type Speech, speeches } from "#test/support/crossed.ts";
import { sse } from "#test/support/scenario.ts";

type Json = Record<string, unknown>;

const cached = useCached();

const told = (answer: { headers: Record<string, string> }) => answer.headers["x-gateway-cache"] ?? "";
/** 10 × 2.5 + 4 × 10 points per million tokens. */
const saved_points = "0.000065";
const later = (seconds: number) => {
  const { now } = cached.memory.deps;
  cached.memory.deps.now = () => now() + seconds * 1000;
};

/** The counters that a client reads, whatever they are called. */
function countersIn(answer: { text: string }): number[] {
  const numbers: number[] = [];
  const walk = (value: unknown): void => {
    if (typeof value === "number") numbers.push(value);
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(walk);
  };
  for (const body of answer.text.startsWith("{")
    ? [JSON.parse(answer.text) as Json]
    : framesIn(answer.text)) {
    const { response = {}, message = {}, usage, usageMetadata } = body as Record<string, Json>;
    [usage, usageMetadata, response.usage, message.usage].forEach(walk);
  }
  return numbers;
}

describe.each(speeches)("%s", (client: Speech) => {
  test.each([
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ])("an answer that was streamed: %s is given again, streamed: %s", async (first, second) => {
    const fresh = await cached.cached(client, { stream: first });
    expect([fresh.status, told(fresh), fresh.text.includes("there")]).toEqual([200, "miss", true]);
    later(3);
    const again = await cached.cached(client, { stream: second });
    expect([again.status, cached.asked()]).toEqual([200, 1]);
    expect(again.text).toContain("Hi there");
    expect(again.text).toContain(again.id.slice(-26));
    expect(again.text).not.toContain(fresh.id.slice(-26));
    expect(told(again)).toBe(`hit; level=exact; age=3; entry=${fresh.id}`);
    expect(again.headers).toMatchObject({
      age: "3",
      "x-gateway-attempts": "0",
      "x-gateway-cost-points": "0",
      "content-type": second ? "text/event-stream" : "application/json",
    });
    expect(again.headers).not.toHaveProperty("x-gateway-provider");
  });

  test.each([false, true])(
    "a hit takes one call and nothing else, as its client reads it (streamed: %s)",
    async (stream) => {
      const fresh = await cached.cached(client, { stream });
      // Tags do not belong to the question.
      const headers = { ...cached.headers, "x-gateway-tags": "team=search" };
      const again = await cached.cached(client, { stream, headers });
      const [, event] = cached.memory.events;
      expect(event?.tags).toBe("team=search");
      expect(event).toMatchObject({
        usage: noUsage,
        evidence: "cache",
        calls: 1,
        cost_points: "0",
        list_points: "0",
        outcome: "completed",
        provider: null,
        attempts: 0,
        flags: ["cache_exact"],
        cache: { level: "exact", entry: fresh.id, age_seconds: 0, saved_points },
      });
      const counters = countersIn(again);
      expect(counters.length).toBeGreaterThan(1);
      expect(counters.every((count) => count === 0)).toBe(true);
      const settlement = { points: 0n, listPoints: 0n, tokens: 0, giveBack: false };
      expect(cached.memory.settled[1]?.settlement).toMatchObject(settlement);
    },
  );

  test.each([false, true])("the cost of a hit is told as 0 (streamed: %s)", async (stream) => {
    await cached.cached(client, { stream });
    const again = await cached.cached(client, { stream, headers: { "x-gateway-usage": "cost" } });
    expect([told(again).slice(0, 3), again.text.match(/"cost_points":"0"/g)?.length]).toEqual(["hit", 1]);
  });

  test("an answer of another protocol's provider is kept too", async () => {
    for (const provider of speeches.filter((speech) => speech !== client)) {
      const first = await cached.cached(client, { provider, stream: true });
      const second = await cached.cached(client, { provider });
      expect([told(first), told(second).slice(0, 3), second.status]).toEqual(["miss", "hit", 200]);
      expect(second.text).toContain("Hi there");
    }
  });
});

test("Gemini's clients that read a stream as one array get one", async () => {
  await cached.cached("gemini");
  const path = "/api/v1beta/models/gemini/model-1:streamGenerateContent";
  const again = await cached.cached("gemini", { path });
  expect(told(again)).toMatch(/^hit/);
  expect(JSON.stringify(JSON.parse(again.text))).toContain("Hi there");
});

test("the admission decides first: who is refused gets no answer, and is told the same as ever", async () => {
  await cached.cached("openai");
  cached.memory.admission = { admitted: false, error: "quota_exhausted", limitStatus: {} };
  const refused = await cached.cached("openai");
  expect([refused.status, refused.headers["x-gateway-cache"], cached.asked()]).toEqual([429, undefined, 1]);
  expect(refused.text).not.toContain("Hi there");
  expect(cached.memory.events).toHaveLength(1);
});

test("a hit whose usage has no price is a miss: the call is admitted, and ends as any other", async () => {
  const { queue } = cached.memory.deps;
  const broken: typeof queue = {
    send: async (event) => {
      event.usage = { ...event.usage, input_tokens: -1 };
      await queue.send(event);
    },
  };
  cached.memory.deps.queue = broken;
  await cached.cached("openai");
  cached.memory.deps.queue = queue;
  const again = await cached.cached("openai");
  expect([again.status, told(again), cached.asked()]).toEqual([200, "miss", 2]);
  expect(cached.memory.settled).toHaveLength(2);
  expect(cached.memory.logs.map(({ event }) => event)).toContain("cache_unreadable");
  expect(told(await cached.cached("openai"))).toMatch(/^hit/);
});

test("a hit names what the provider was not sent, as the first answer did", async () => {
  const asked = { provider: "anthropic" as const, body: { frequency_penalty: 0.5 } };
  const fresh = await cached.cached("openai", asked);
  const again = await cached.cached("openai", asked);
  expect([told(again).slice(0, 3), fresh.headers["x-gateway-dropped"]]).toEqual(["hit", "frequency_penalty"]);
  expect(again.headers["x-gateway-dropped"]).toBe("frequency_penalty");
});

test("a repetition with an Idempotency-Key is the hit again, and costs nothing more", async () => {
  await cached.cached("openai");
  const headers = { "idempotency-key": "once" };
  const hit = await cached.cached("openai", { headers });
  const again = await cached.cached("openai", { headers });
  expect([told(hit).slice(0, 3), again.headers["x-gateway-replayed"], again.text]).toEqual([
    "hit",
    hit.id,
    hit.text,
  ]);
  expect([cached.asked(), cached.memory.events.length]).toEqual([1, 2]);
});

test("a call with an Idempotency-Key fills the cache, and keeps its answer", async () => {
  const headers = { "idempotency-key": "once" };
  const first = await cached.cached("openai", { headers, stream: true });
  const again = await cached.cached("openai", { headers, stream: true });
  expect([again.headers["x-gateway-replayed"], again.text]).toEqual([first.id, first.text]);
  expect(told(await cached.cached("openai"))).toMatch(/^hit/);
});

test("fifty of the same at once are fifty calls and one entry", async () => {
  const all = await Promise.all(Array.from({ length: 50 }, () => cached.cached("openai")));
  expect(new Set(all.map(told))).toEqual(new Set(["miss"]));
  expect([cached.asked(), cached.memory.events.length, cached.memory.cache.entries.size]).toEqual([
    50, 50, 1,
  ]);
  expect(cached.memory.events.every(({ evidence, calls }) => evidence === "reported" && calls === 1)).toBe(
    true,
  );
  expect(told(await cached.cached("openai"))).toMatch(/^hit/);
});

describe("the age of an answer", () => {
  const age = (directive: string) => ({ headers: { "cache-control": directive } });

  test("ends after a day, give or take a tenth, also where it is not deleted yet", async () => {
    const chance = vi.spyOn(Math, "random").mockReturnValue(0);
    await cached.cached("openai");
    chance.mockReturnValue(0.5);
    await cached.cached("openai", { body: { seed: 2 } });
    vi.restoreAllMocks();
    const lives = [...cached.memory.cache.entries.values()].map(({ at, until }) => (until - at) / 1000);
    expect(lives).toEqual([0.9 * bounds.keptSeconds, bounds.keptSeconds]);
    later(0.9 * bounds.keptSeconds);
    expect(told(await cached.cached("openai"))).toBe("miss");
    expect(told(await cached.cached("openai", { body: { seed: 2 } }))).toMatch(/^hit/);
  });

  test("is bounded by max-age, for those who ask and for those who fill", async () => {
    await cached.cached("openai");
    later(10);
    expect(told(await cached.cached("openai", age("max-age=20")))).toMatch(/^hit.*age=10/);
    expect(told(await cached.cached("openai", age("max-age=9")))).toBe("miss");
    const [{ at, until } = { at: 0, until: 0 }] = cached.memory.cache.entries.values();
    expect(until - at).toBe(9_000);
    await cached.cached("openai", { ...age("max-age=99999999"), body: { seed: 3 } });
    const [, long] = [...cached.memory.cache.entries.values()];
    expect((long?.until ?? 0) - (long?.at ?? 0)).toBe(bounds.keptSecondsMax * 1000);
  });

  test("no-cache asks anew and keeps the new answer; max-age=0 keeps none", async () => {
    await cached.cached("openai");
    const fresh = await cached.cached("openai", age("no-cache"));
    expect([told(fresh), cached.memory.cache.reads]).toEqual(["miss", 1]);
    expect(told(await cached.cached("openai"))).toContain(`entry=${fresh.id}`);
    expect(told(await cached.cached("openai", { ...age("max-age=0"), body: { seed: 4 } }))).toBe("miss");
    expect(cached.memory.cache.entries.size).toBe(1);
  });
});

describe("a cache that fails", () => {
  test("is a miss, and changes nothing", async () => {
    cached.memory.cache.before = () => Promise.reject(new Error("throttled"));
    for (const at of [1, 2]) {
      const answer = await cached.cached("openai");
      expect([answer.status, told(answer), cached.asked()]).toEqual([200, "miss", at]);
    }
    const logged = cached.memory.logs.map(({ event }) => event);
    expect(logged.filter((event) => event === "cache_unreadable")).toHaveLength(2);
    expect(logged.filter((event) => event === "cache_unwritten")).toHaveLength(2);
    expect(cached.memory.settled).toHaveLength(2);
  });

  test("and never answers is a miss after a moment", async () => {
    await cached.cached("openai");
    cached.memory.cache.before = () => new Promise(() => {});
    cached.memory.cache.put = async () => {};
    expect(told(await cached.cached("openai"))).toBe("miss");
  });

  test("holds no answer: what was kept too late is not waited for by its client", async () => {
    const written = Promise.withResolvers<void>();
    cached.memory.cache.put = () => written.promise;
    let read = "";
    const onChunk = (chunk: Buffer) => {
      read += chunk.toString();
      if (read.includes("there")) written.resolve();
    };
    cached.upstream.json(plainAnswers.openai);
    const body = { model: "openai/model-1", temperature: 0, messages: [{ role: "user", content: "Hi" }] };
    const answer = await call(cached.serve, "/v1/chat/completions", {
      headers: cached.headers,
      body,
      onChunk,
    });
    expect([answer.status, told(answer)]).toEqual([200, "miss"]);
  });
});

describe("what is not a whole answer leaves nothing behind:", () => {
  const ask = (stream: boolean) =>
    call(cached.serve, "/v1/chat/completions", {
      headers: cached.headers,
      body: { model: "openai/model-1", temperature: 0, stream, messages: [{ role: "user", content: "Hi" }] },
    });

  test.each([
    ["a failure", 500, "application/json", "{}", false],
    ["an error in a 200", 200, "application/json", '{"error":{"message":"no"}}', false],
    [
      "a stream that breaks off",
      200,
      sse["content-type"],
      'data: {"id":"c","choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n',
      true,
    ],
    ["an empty stream", 200, sse["content-type"], 'data: {"id":"c","choices":[]}\n\ndata: [DONE]\n\n', true],
  ])("%s", async (_, status, type, body, stream) => {
    cached.upstream.on((__, response) => response.writeHead(status, { "content-type": type }).end(body));
    const answer = await ask(stream);
    expect(told(answer)).toBe("miss");
    expect(cached.memory.cache.puts).toBe(0);
    expect(cached.memory.settled.length + cached.memory.events.length).toBeGreaterThan(0);
  });
});
