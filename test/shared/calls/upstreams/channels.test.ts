/** Several channels: who is tried, in which order, when the next one is, and what the answer says of it. */
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { limits } from "#shared/base/limits.ts";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline, type Pipeline } from "#shared/calls/gateway/pipeline.ts";
import { call } from "#test/support/call.ts";
import { createMemory, type Memory, testCatalog } from "#test/support/memory.ts";
import {
  chatBody,
  completion,
  delta,
  done,
  frame,
  sse,
  streamOf,
  usageFrame,
} from "#test/support/scenario.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

let first: Upstream;
let second: Upstream;
let memory: Memory;
let serve: Pipeline;
let headers: Record<string, string>;

beforeAll(async () => {
  first = await startUpstream();
  second = await startUpstream();
});
afterAll(() => Promise.all([first.stop(), second.stop()]));
beforeEach(() => {
  first.reset();
  second.reset();
  const catalog = testCatalog(first.url) as {
    providers: Record<string, object>;
    models: { channels: object[] }[];
  };
  catalog.providers.backup = {
    protocols: { openai: `${second.url}/v1` },
    auth: "x-api-key",
    secret: "BACKUP_KEY",
  };
  catalog.models[0]?.channels.push({ provider: "backup", model: "backup-model", priority: 2 });
  memory = createMemory(catalog);
  headers = { authorization: `Bearer ${memory.addKey()}` };
  serve = createPipeline({} as LocalAnswers, memory.deps);
});

const chat = (body: object = chatBody) => call(serve, "/v1/chat/completions", { headers, body });

describe("before the first frame the next channel is tried", () => {
  const failures: [name: string, handler: Parameters<Upstream["on"]>[0], stream: boolean][] = [
    ...[401, 403, 404, 408, 409, 429, 500, 503].map(
      (status) =>
        [
          String(status),
          (_: unknown, response: ServerResponse) => response.writeHead(status).end("{}"),
          false,
        ] as [string, Parameters<Upstream["on"]>[0], boolean],
    ),
    ["a closed socket", (_, response) => response.destroy(), false],
    ["an error as the first event", streamOf(frame({ error: { message: "overloaded" } })), true],
    ["a comment, then an error", streamOf(": hello\n\n", frame({ error: { message: "overloaded" } })), true],
  ];
  test.each(failures)("%s", async (_, handler, stream) => {
    first.on(handler);
    if (stream) second.on(streamOf(delta("Hi"), usageFrame, done));
    else second.json(completion);
    const reply = await chat({ ...chatBody, stream });
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({ "x-gateway-provider": "backup", "x-gateway-attempts": "2" });
    expect(second.requests[0]?.headers["x-api-key"]).toBe("upstream-secret");
    expect(JSON.parse(second.requests[0]?.body.toString() ?? "{}")).toMatchObject({ model: "backup-model" });
    expect(memory.events).toHaveLength(1);
    expect(memory.events[0]).toMatchObject({ provider: "backup", attempts: 2, calls: 1 });
  });

  test("a 400 is the request's fault everywhere: nobody else is asked", async () => {
    first.on((_, response) => response.writeHead(400).end("{}"));
    expect((await chat()).status).toBe(400);
    expect(second.requests).toEqual([]);
  });

  test("when all fail, the answer says how many were asked; each is asked once", async () => {
    for (const upstream of [first, second]) upstream.on((_, response) => response.writeHead(500).end());
    const reply = await chat();
    expect([reply.status, first.requests.length, second.requests.length]).toEqual([500, 1, 1]);
    expect(reply.headers).toMatchObject({ "x-gateway-attempts": "2" });
    expect(memory.events[0]).toMatchObject({ outcome: "failed", attempts: 2, calls: 0 });
    const line = { model: "test/model-1", code: 50001, provider: "backup", attempts: 2 };
    expect(memory.logs).toContainEqual({ event: "call_failed", fields: expect.objectContaining(line) });
  });
});

test("once the process's time is over no other channel is tried", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  first.on(() => vi.advanceTimersByTime(1_000));
  const timeLeft = limits.settlementReserveMs + 1_000;
  const reply = await call(serve, "/v1/chat/completions", { headers, body: chatBody, timeLeft });
  expect(reply.json()).toMatchObject({ error: { code: "50001" } });
  expect(reply.headers).toMatchObject({ "x-gateway-provider": "test", "x-gateway-attempts": "1" });
  expect(memory.events[0]).toMatchObject({ provider: "test", attempts: 1 });
});

test("after the first frame there is no second try", async () => {
  first.on((_, response) => {
    response.writeHead(200, sse);
    response.write(delta("Hello"), () => response.destroy());
  });
  const reply = await chat({ ...chatBody, stream: true });
  expect(reply.text).toContain("50001");
  expect(second.requests).toEqual([]);
});
