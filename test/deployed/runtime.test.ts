/**
 * The bundles that deploy, in AWS's own Node runtime: each test is one of Lambda's traps (aws.md §1.2, §1.3).
 * The provider is played by hand, so that a test says when it sends and breaks off. That the harness sees a
 * crash, an error after the body and a lost prelude is shown in runtime-harness.test.ts.
 *
 * A client that goes away has no test here, because a function cannot tell. AWS reads the answer to its end
 * all the same (aws.md §1.4), as every test below does.
 */
import { createServer, request as forward, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Listening, listen } from "#infra/local/emulators/listen.ts";
import { limits } from "#shared/base/limits.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { parseUsageEvent, type UsageEvent } from "#shared/books/ledger/usage-event.ts";
import type { Meter } from "#shared/books/meters/meter.ts";
import { createMeterUpkeep } from "#shared/edges/store/meters/upkeep.ts";
import { type Customer, openCustomer } from "#test/support/customer.ts";
import { type Emulators, startEmulators } from "#test/support/emulators.ts";
import { testCatalog } from "#test/support/memory.ts";
import { type Runtime, startRuntime } from "#test/support/runtime.ts";
import type { Invocation } from "#test/support/runtime-api.ts";

const parts = new AsyncDisposableStack();

/** What the provider does with a call. */
let play: (upstream: ServerResponse) => unknown;
let emulators: Emulators;
let gateway: Runtime;
let customer: Customer;
/** How much later the store sees what the gateway asks of it. */
let storeDelayMs = 0;

beforeAll(async () => {
  const provider = createServer((request, upstream) => {
    request.resume();
    play(upstream);
  });
  const { url, stop } = await listen(provider, 0);
  parts.defer(stop);
  emulators = await startEmulators(testCatalog(url), { TEST_API_KEY: "upstream-secret" });
  parts.defer(emulators.stop);
  customer = await openCustomer(emulators, "100");
  const { environment, ...bundle } = emulators.functionNamed("Gateway");
  const store = await startDetour(environment.AWS_ENDPOINT_URL_DYNAMODB ?? "");
  parts.defer(store.stop);
  gateway = await startRuntime({
    ...bundle,
    environment: { ...environment, AWS_ENDPOINT_URL_DYNAMODB: store.url },
  });
  parts.defer(gateway.stop);
});

afterAll(() => parts.disposeAsync());

describe("an answer's prelude", () => {
  it.each([
    ["short", "utf8", "Hi"],
    ["no UTF-8", "latin1", "Olé"],
    ["long", "utf8", "😀".repeat(10_000)],
    ["long and shifted", "utf8", `.${"😀".repeat(10_000)}`],
  ] as const)("carries a whole reply, whose bytes follow unchanged: %s", async (_, encoding, content) => {
    const type = "application/json; charset=utf-8";
    const reply = `{"choices":[{"message":{"role":"assistant","content":"${content}"}}],"x":9007199254740993 }`;
    const answer = await exchange(openai.whole(), (upstream) =>
      upstream.writeHead(200, { "content-type": type }).end(reply, encoding),
    );
    expect(answer).toMatchObject({ status: 200, headers: { "content-type": type } });
    expect(answer.headers["x-request-id"]).toMatch(/^req_/);
    expect(await finish(answer, encoding)).toBe(reply);
  });

  it.each([
    ["40100", 401, () => post("/v1/chat/completions", "{}", "")],
    ["40101", 401, () => post("/v1/chat/completions", "{}", "sk-payg-unknown")],
    ["40400", 404, () => post("/v1/nothing", "{}")],
    ["40500", 405, () => post("/v1/models", "{}")],
    ["40000", 400, () => post("/v1/chat/completions", "no JSON")],
  ])("carries the status of the error %s", async (code, status, event) => {
    const answer = await gateway.invoke(event());
    expect(answer).toMatchObject({ status, headers: { "content-type": "application/json" } });
    expect(answer.headers["x-request-id"]).toMatch(/^req_/);
    expect(JSON.parse(await finish(answer))).toMatchObject({ error: { code } });
  });

  it("is there when the reply says nothing", async () => {
    const answer = await exchange(openai.whole(), (upstream) => upstream.writeHead(201).end("{}"));
    expect(answer.status).toBe(201);
    expect(await finish(answer)).toBe("{}");
  });
});

describe("a stream", () => {
  it("leaves as it arrives: each chunk is out before the provider sends the next", async () => {
    const { answer, upstream } = await openStream(openai);
    expect(answer).toMatchObject({ status: 200, headers: { "content-type": "text/event-stream" } });
    expect(await nextChunk(answer)).toBe(openai.start);
    const second = openai.start.replace("Hel", "lo");
    upstream.write(second);
    expect(await nextChunk(answer)).toBe(second);
    upstream.end(openai.end);
    expect(await finish(answer)).toBe(openai.end);
    // 20 × 2.5 + 2 × 10 points per million tokens.
    const billed = { outcome: "completed", evidence: "reported", cost_points: "0.00007" };
    expect(await usageOf(answer)).toMatchObject(billed);
  });

  it.each(["openai", "anthropic"] as const)(
    "that breaks off ends cleanly in the form of %s, is billed, and the next call is served",
    async (name) => {
      const protocol = { openai, anthropic }[name];
      const before = await meter();
      const { answer, upstream } = await openStream(protocol);
      expect(await nextChunk(answer)).toBe(protocol.start);
      upstream.destroy();
      expect(await finish(answer)).toBe(protocol.failure);

      const event = await usageOf(answer);
      expect(event).toMatchObject({
        organization: customer.organization,
        model: "test/model-1",
        mode: "payg",
        outcome: "truncated",
        evidence: "estimated",
        flags: ["no_usage"],
        provider: "test",
        attempts: 1,
        calls: 1,
      });
      const cost = parsePoints(event.cost_points);
      expect(cost).toBeGreaterThan(0n);
      expect((await meter()).used - before.used).toBe(cost);

      const next = await exchange(openai.whole(), (upstream) => upstream.end("{}"));
      expect(next.status).toBe(200);
      await finish(next);
    },
  );
});

describe("the work after the end", () => {
  it("is over when the runtime asks for the next call: the hold is settled, however slow the store", async () => {
    const before = await meter();
    const { answer, upstream } = await openStream(openai);
    expect((await meter()).holds.size).toBe(1);
    storeDelayMs = 200;
    upstream.end(openai.end);
    await finish(answer);
    const after = await meter();
    storeDelayMs = 0;
    expect(after.holds.size).toBe(0);
    expect(after.used - before.used).toBe(parsePoints((await usageOf(answer)).cost_points));
    expect(after.avail).toBe(after.granted - after.used);
  });
});

describe("a provider that fails before its answer", () => {
  it.each<[string, (upstream: ServerResponse) => unknown, number?]>([
    ["breaks the connection", (upstream) => upstream.destroy()],
    ["speaks no HTTP", (upstream) => upstream.socket?.end("garbage\r\n\r\n")],
    ["answers with no JSON", (upstream) => upstream.end("<html>")],
    ["answers with an error", (upstream) => upstream.writeHead(503).end()],
    // It is called off in time to settle: this leaves the function that time and a little more.
    ["never answers", () => undefined, limits.settlementReserveMs + 300],
  ])("and %s gives 50001, and the call is free", async (_, fail, timeoutMs) => {
    const answer = await exchange(openai.whole(), fail, timeoutMs);
    expect(answer.status).toBe(500);
    expect(JSON.parse(await finish(answer))).toMatchObject({ error: { code: "50001" } });
    expect(await usageOf(answer)).toMatchObject({ outcome: "failed", cost_points: "0", calls: 0 });
    expect((await meter()).holds.size).toBe(0);
  });
});

describe("a deployment that lacks a variable", () => {
  it("fails at its start and says which", async () => {
    const { environment, ...bundle } = emulators.functionNamed("Gateway");
    const incomplete = startRuntime({ ...bundle, environment: { ...environment, KEYS_TABLE: "" } });
    await expect(incomplete).rejects.toThrow("KEYS_TABLE is not set");
  });
});

describe("the settling function", () => {
  it("gives back the message that cannot be read, and fails on what is no batch", async () => {
    const settle = await startRuntime(emulators.functionNamed("Settle"));
    const report = await settle.invoke({ Records: [{ messageId: "poison", body: "no event" }] });
    expect(JSON.parse(await finish(report))).toEqual({ batchItemFailures: [{ itemIdentifier: "poison" }] });
    await expect(settle.invoke({})).rejects.toThrow("TypeError");
    await settle.stop();
  });
});

interface Scenario {
  request: () => unknown;
  /** The frames that begin the provider's stream. */
  start: string;
  /** What the client gets of a stream that broke off after `start`. */
  failure: string;
}

const openai: Scenario & { whole: () => unknown; end: string } = {
  request: () => post("/v1/chat/completions", chat({ stream: true })),
  whole: () => post("/v1/chat/completions", chat({})),
  start: 'data: {"choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\n',
  end:
    'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n' +
    'data: {"choices":[],"usage":{"prompt_tokens":20,"completion_tokens":2}}\n\n' +
    "data: [DONE]\n\n",
  failure:
    'data: {"error":{"type":"server_error","code":"50001","message":"The model\'s provider failed.","param":null}}\n\n',
};

const anthropic: Scenario = {
  request: () => post("/v1/messages", chat({ stream: true })),
  start:
    'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":12,"output_tokens":1}}}\n\n' +
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}}\n\n',
  failure:
    'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"The model\'s provider failed."}}\n\n',
};

function chat(change: object): string {
  const messages = [{ role: "user", content: "Say hello." }];
  return JSON.stringify({ model: "test/model-1", max_tokens: 100, messages, ...change });
}

/** The event of a function URL (aws.md §1.5). */
function post(path: string, body: string, key = customer.key): unknown {
  return {
    version: "2.0",
    rawPath: path,
    rawQueryString: "",
    headers: { "content-type": "application/json", ...(key ? { authorization: `Bearer ${key}` } : {}) },
    requestContext: { http: { method: "POST", path } },
    body,
    isBase64Encoded: false,
  };
}

/** One call, to which the provider replies as told, however often it is asked. */
function exchange(event: unknown, reply: typeof play, timeoutMs?: number): Promise<Invocation> {
  play = reply;
  return gateway.invoke(event, timeoutMs);
}

/** A stream of which the provider has sent the start. */
async function openStream({ request, start }: Scenario) {
  const asked = Promise.withResolvers<ServerResponse>();
  const answer = await exchange(request(), (upstream) => {
    upstream.writeHead(200, { "content-type": "text/event-stream" }).write(start);
    asked.resolve(upstream);
  });
  return { answer, upstream: await asked.promise };
}

async function nextChunk({ body }: Invocation): Promise<string> {
  return String((await body.next()).value);
}

/** The rest of an answer, which must end cleanly, and the work after it. */
async function finish(answer: Invocation, encoding: BufferEncoding = "utf8"): Promise<string> {
  const rest = (await buffer(answer.body)).toString(encoding);
  expect(answer.failure()).toBeUndefined();
  await answer.done;
  return rest;
}

/** The event of a call from the queue, where it is as soon as the answer has ended. */
async function usageOf({ headers }: Invocation): Promise<UsageEvent> {
  const input = { QueueUrl: emulators.usageQueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 0 };
  for (;;) {
    const { Messages = [] } = await emulators.aws("sqs", "ReceiveMessage", input);
    const found = Messages.map(({ Body }) => parseUsageEvent(Body ?? "")).find(
      ({ id }) => id === headers["x-request-id"],
    );
    if (found || Messages.length === 0) return found ?? expect.fail("the queue has no event of this call");
  }
}

async function meter(): Promise<Meter> {
  const item = await createMeterUpkeep(emulators.aws, emulators.tables).readMeter(customer.meter, 0);
  return item ?? expect.fail("there is no meter");
}

/** A way to the store that takes longer by `storeDelayMs`. */
function startDetour(target: string): Promise<Listening> {
  const server = createServer(async (request, response) => {
    await sleep(storeDelayMs);
    const onward = forward(target, { method: "POST", headers: request.headers }, (reply) => {
      reply.pipe(response.writeHead(reply.statusCode ?? 0, reply.headers));
    });
    request.pipe(onward);
  });
  return listen(server, 0);
}
