/** Every way a provider can fail, before its answer and in the middle of it. */
import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import {
  chatBody,
  completion,
  delta,
  frame,
  messageFrames,
  messagesBody,
  namedFrame,
  sse,
  streamOf,
  useScenario,
} from "#test/support/scenario.ts";
import type { Upstream } from "#test/support/upstream.ts";

const scenario = useScenario();

describe("a provider that breaks off", () => {
  const dying =
    (...frames: string[]) =>
    (_: unknown, response: ServerResponse) => {
      response.writeHead(200, sse);
      response.write(frames.join(""), () => response.destroy());
    };

  test("mid-stream: the protocol's error frame, a clean end, an estimate", async () => {
    scenario.upstream.on(dying(delta("Hello"), 'data: {"half'));
    const reply = await scenario.chat({ body: { ...chatBody, stream: true } });
    const error = {
      error: { type: "server_error", code: "50001", message: "The model's provider failed.", param: null },
    };
    expect(reply.text).toBe(delta("Hello") + frame(error));
    expect(scenario.memory.events[0]).toMatchObject({
      outcome: "truncated",
      evidence: "estimated",
      calls: 1,
    });
    expect(scenario.memory.settled).toHaveLength(1);
  });

  test("mid-stream in Anthropic's form, with the input it had reported", async () => {
    scenario.upstream.on(dying(...messageFrames));
    const reply = await scenario.message({ body: { ...messagesBody, stream: true } });
    const error = namedFrame({
      type: "error",
      error: { type: "api_error", message: "The model's provider failed." },
    } as never).replace("event: error", "event: error");
    expect(reply.text).toBe(messageFrames.join("") + error);
    expect(scenario.memory.events[0]).toMatchObject({
      outcome: "truncated",
      usage: { input_tokens: 10, output_tokens: 1 },
    });
  });

  test("a stream that ends without its end is an error, not an answer", async () => {
    scenario.upstream.on(streamOf(delta("Hello")));
    const reply = await scenario.chat({ body: { ...chatBody, stream: true } });
    expect(reply.text).toContain('"code":"50001"');
    expect(scenario.memory.events[0]?.outcome).toBe("truncated");
  });

  test("its own error in the stream is told in our words", async () => {
    scenario.upstream.on(
      streamOf(delta("Hello"), frame({ error: { message: "account acct-secret-1 overloaded" } })),
    );
    const reply = await scenario.chat({ body: { ...chatBody, stream: true } });
    expect(reply.text).not.toContain("acct-secret");
    expect(reply.text).toContain('"code":"50001"');
  });

  test("the process's own time is kept: a provider that is too slow is cut while there is time to settle", async () => {
    scenario.upstream.on((_, response) => {
      response.writeHead(200, sse);
      response.write(delta("Hello"));
    });
    const startedAt = performance.now();
    const reply = await scenario.chat({ body: { ...chatBody, stream: true }, timeLeft: 10_200 });
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(reply.text).toContain('"code":"50001"');
    expect(scenario.memory.settled).toHaveLength(1);
  });
});

describe("a provider that does not answer the call", () => {
  type Failure = [name: string, handler: Parameters<Upstream["on"]>[0], stream: boolean];
  const failures: Failure[] = [
    ["a status of 500", (_, response) => response.writeHead(500).end("secret"), false],
    [
      "a status of 401",
      (_, response) => response.writeHead(401).end('{"error":{"message":"bad key sk-secret"}}'),
      false,
    ],
    ["a status of 503", (_, response) => response.writeHead(503, { "retry-after": "99" }).end(), false],
    [
      "a redirect",
      (_, response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
      false,
    ],
    ["a closed socket", (_, response) => response.destroy(), false],
    ["HTML", (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>"), false],
    [
      "cut JSON",
      (_, response) => response.writeHead(200, { "content-type": "application/json" }).end('{"choices":['),
      false,
    ],
    ...["[]", "null", "1", '"Hi"'].map(
      (body): Failure => [
        `${body} in place of an object`,
        (_, response) => response.writeHead(200, { "content-type": "application/json" }).end(body),
        false,
      ],
    ),
    [
      "an error in a 200",
      (_, response) =>
        response.writeHead(200, { "content-type": "application/json" }).end('{"error":{"message":"x"}}'),
      false,
    ],
    [
      "an encoded body",
      (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end("x"),
      false,
    ],
    [
      "JSON for a stream",
      (_, response) =>
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(completion)),
      true,
    ],
    ["an empty stream", streamOf(), true],
    ["a stream that begins with an error", streamOf(frame({ error: { message: "x" } })), true],
  ];

  test.each(failures)("%s is 50001, free, and gives the hold back", async (_, handler, stream) => {
    scenario.upstream.on(handler);
    const reply = await scenario.chat({ body: { ...chatBody, stream } });
    expect(reply.status).toBe(500);
    expect(reply.json()).toEqual({
      error: { type: "server_error", code: "50001", message: "The model's provider failed.", param: null },
    });
    expect(scenario.memory.events[0]).toMatchObject({
      outcome: "failed",
      cost_points: "0",
      calls: 0,
      attempts: 1,
      provider: "test",
    });
    expect(scenario.memory.settled[0]?.settlement).toMatchObject({ points: 0n, giveBack: true });
  });

  test.each([400, 413, 422])(
    "%i blames the request: told to the client, without our account",
    async (status) => {
      const error = {
        message: "Bad tool. See https://api.test/x, key sk-abcdef123456, org-abc12345 upstream-secret",
        code: "context_length_exceeded",
      };
      scenario.upstream.on((_, response) => response.writeHead(status).end(JSON.stringify({ error })));
      const reply = await scenario.chat();
      expect(reply.status).toBe(400);
      expect(reply.json()).toMatchObject({
        error: { code: "context_length_exceeded", gateway_code: 40000 },
      });
      expect(reply.text).toContain("Bad tool.");
      for (const leak of ["https://", "abcdef123456", "abc12345", "upstream-secret"])
        expect(reply.text).not.toContain(leak);
    },
  );

  test("a provider without a secret is 50002, and nothing is sent", async () => {
    scenario.memory.deps.secrets.provider = async () => undefined;
    const reply = await scenario.chat();
    expect(reply.json()).toMatchObject({ error: { code: "50002" } });
    expect(scenario.upstream.requests).toEqual([]);
    expect(scenario.memory.settled[0]?.settlement.giveBack).toBe(true);
    const line = { model: "test/model-1", code: 50002, provider: "", attempts: 0 };
    expect(scenario.memory.logs).toContainEqual({
      event: "call_failed",
      fields: expect.objectContaining(line),
    });
  });
});

test("a fault of our own ends with an event too, and gives the hold back", async () => {
  scenario.memory.deps.secrets.provider = () => Promise.reject(new Error("secrets unreachable"));
  const reply = await scenario.chat();
  expect(reply.json()).toMatchObject({ error: { code: "50000" } });
  expect(scenario.memory.events[0]).toMatchObject({ outcome: "failed", calls: 0, attempts: 0 });
  expect(scenario.memory.settled[0]?.settlement.giveBack).toBe(true);
});
