/**
 * A provider that limits us: how long it asks us to wait, what its channel does meanwhile, and what the client is told.
 */
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import type { ReadyChannel } from "#shared/books/catalog/catalog.ts";
import { readProviderError } from "#shared/calls/upstreams/provider-error.ts";
import { waitAsked } from "#shared/calls/upstreams/wait.ts";
import { call } from "#test/support/call.ts";
import { completion, useScenario } from "#test/support/scenario.ts";

const now = Date.parse("2026-11-22T12:00:00Z");
const googles = (retryDelay: unknown) => ({
  error: {
    code: 429,
    message: "You exceeded your current quota, please check your plan and billing details.",
    status: "RESOURCE_EXHAUSTED",
    details: [
      { "@type": "type.googleapis.com/google.rpc.Help", links: [] },
      { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay },
    ],
  },
});

type Asked = [name: string, headers: Record<string, string>, body: object, ms: number | undefined];
const asked: Asked[] = [
  ["seconds", { "retry-after": "20" }, {}, 20_000],
  ["parts of a second", { "retry-after": "0.5" }, {}, 500],
  ["a date", { "retry-after": "Sun, 22 Nov 2026 12:00:30 GMT" }, {}, 30_000],
  ["a date that is over", { "retry-after": "Sun, 22 Nov 2026 11:00:00 GMT" }, {}, 0],
  ["milliseconds before seconds", { "retry-after-ms": "40", "retry-after": "1" }, {}, 40],
  ["Google's RetryInfo", {}, googles("34.074824224s"), 34_075],
  [
    "the reset of what is used up",
    {
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-requests": "6m0s",
      "x-ratelimit-remaining-tokens": "12",
      "x-ratelimit-reset-tokens": "7h",
    },
    {},
    360_000,
  ],
  [
    "both resets where none is used up",
    { "x-ratelimit-reset-requests": "17ms", "x-ratelimit-reset-tokens": "1m2.5s" },
    {},
    62_500,
  ],
  [
    "OpenAI's sentence",
    {},
    { error: { message: "Rate limit reached. Please try again in 7.66s. Visit us." } },
    7_660,
  ],
  ["a year", { "retry-after": "31536000" }, {}, limits.upstreamWaitMaxMs],
  ["nothing", {}, {}, undefined],
  [
    "nonsense",
    { "retry-after": "soon", "retry-after-ms": "-3", "x-ratelimit-reset-tokens": "1 day" },
    googles(7),
    undefined,
  ],
  ["a number without end", { "retry-after": "9".repeat(400) }, {}, undefined],
];

describe("the wait that a provider asks for", () => {
  test.each(asked)("%s", (_, headers, body, ms) => {
    expect(waitAsked(headers, readProviderError(Buffer.from(JSON.stringify(body))), now)).toBe(ms);
  });
});

describe("through the gateway", () => {
  const scenario = useScenario();

  /** Gives the model more channels, which the provider tells apart by the model's name. */
  const channels = (...names: string[]) => {
    const model = scenario.memory.deps.catalog.find("test/model-1");
    const [first] = model?.channels ?? [];
    model?.channels.splice(
      0,
      1,
      ...names.map((name, at) => ({ ...first, id: name, model: name, priority: at }) as ReadyChannel),
    );
  };
  const modelAsked = (at: number) =>
    (JSON.parse(scenario.upstream.requests[at]?.body.toString() ?? "{}") as { model: string }).model;

  /** Answers by the model's name: so many seconds to wait, a status, or the answer. */
  const answers = (by: Record<string, { wait?: string; status?: number }>) =>
    scenario.upstream.on((_, response) => {
      const { wait, status = wait === undefined ? 200 : 429 } =
        by[modelAsked(scenario.upstream.requests.length - 1)] ?? {};
      response.writeHead(status, {
        "content-type": "application/json",
        ...(wait !== undefined && wait !== "" && { "retry-after": wait }),
      });
      response.end(
        JSON.stringify(
          status === 200 ? completion : { error: { message: "Slow down", code: "rate_limit_exceeded" } },
        ),
      );
    });

  test("one that is limited is 50001 with its wait, and the message says whose limit it is", async () => {
    answers({ "upstream-model": { wait: "20" } });
    const reply = await scenario.chat();
    expect(reply.status).toBe(500);
    expect(reply.json()).toEqual({
      error: {
        type: "server_error",
        code: "50001",
        message:
          "The model's providers limit this gateway at the moment; no limit of your own is reached. Try again in 20 seconds.",
        param: null,
      },
    });
    expect(reply.headers).toMatchObject({ "retry-after": "20", "retry-after-ms": "20000" });
    expect(reply.headers["x-should-retry"]).toBeUndefined();
    expect(scenario.memory.settled[0]?.settlement).toMatchObject({ points: 0n, giveBack: true });
  });

  test("another channel answers, and is asked first for as long as the limited one rests", async () => {
    channels("limited", "free");
    answers({ limited: { wait: "20" }, free: {} });
    let clock = Date.now();
    scenario.memory.deps.now = () => clock;
    expect((await scenario.chat()).json()).toEqual(completion);
    expect((await scenario.chat()).json()).toEqual(completion);
    expect([0, 1, 2].map(modelAsked)).toEqual(["limited", "free", "free"]);
    clock += 20_000;
    await scenario.chat();
    expect(modelAsked(3)).toBe("limited");
  });

  test("of several the shortest wait is told", async () => {
    channels("slow", "quick", "silent");
    answers({ slow: { wait: "300" }, quick: { wait: "3" }, silent: { wait: "" } });
    const reply = await scenario.chat();
    expect(reply.headers).toMatchObject({ "retry-after": "3", "x-gateway-attempts": "3" });
  });

  test("who finds only channels that rest is told the wait of the soonest, though they say it once", async () => {
    channels("slow", "quick");
    const clock = Date.now();
    scenario.memory.deps.now = () => clock;
    answers({ slow: { wait: "300" }, quick: { wait: "30" } });
    await scenario.chat();
    answers({ slow: { wait: "" }, quick: { wait: "" } });
    expect((await scenario.chat()).headers["retry-after"]).toBe("30");
  });

  test("one that does not say how long is told without a number, and one that fails otherwise is no limit", async () => {
    answers({ "upstream-model": { wait: "" } });
    const unsaid = await scenario.chat();
    expect(unsaid.headers["retry-after"]).toBeUndefined();
    expect(unsaid.text).toContain("Try again shortly.");
    channels("limited", "down");
    answers({ limited: { wait: "20" }, down: { status: 500 } });
    const mixed = await scenario.chat();
    expect(mixed.text).toContain("The model's provider failed.");
    expect(mixed.headers["retry-after"]).toBeUndefined();
  });

  test("Gemini's clients find the wait in the body too", async () => {
    scenario.upstream.on((_, response) => response.writeHead(429).end(JSON.stringify(googles("2.5s"))));
    const reply = await call(scenario.serve, "/api/v1beta/models/test/model-1:generateContent", {
      headers: scenario.bearer(),
      body: { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
    });
    expect(reply.headers).toMatchObject({ "retry-after": "3", "retry-after-ms": "2500" });
    expect(reply.json().error).toMatchObject({
      code: 500,
      status: "INTERNAL",
      details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "2.5s" }],
    });
  });

  test("the log line has the provider's status, code and sentence", async () => {
    answers({ "upstream-model": { wait: "20" } });
    await scenario.chat();
    const line = { upstream_status: 429, upstream_code: "rate_limit_exceeded", said: "Slow down" };
    expect(scenario.memory.logs).toContainEqual({
      event: "upstream_failed",
      fields: expect.objectContaining(line) as object,
    });
  });
});
