/**
 * Bad input on every inference route: a clear 400 (or 413, 415) in the route's style; nothing is held,
 * nothing is sent upstream, nothing breaks.
 */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type InferenceRoute, routes } from "#shared/base/http/routes.ts";
import { limits } from "#shared/base/limits.ts";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline, type Pipeline } from "#shared/calls/gateway/pipeline.ts";
import { call } from "#test/support/call.ts";
import { createMemory, type Memory, testCatalog } from "#test/support/memory.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

let upstream: Upstream;
let memory: Memory;
let serve: Pipeline;
let headers: Record<string, string>;

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.json({ choices: [{ message: { content: "x" } }], content: [{ type: "text", text: "x" }] });
  memory = createMemory(testCatalog(upstream.url));
  headers = { authorization: `Bearer ${memory.addKey()}` };
  serve = createPipeline({} as LocalAnswers, memory.deps);
});
afterAll(() => upstream.stop());

/** The chat protocols; the others have bodies of their own and their own tests. */
type ChatProtocol = "openai-chat" | "anthropic";
const inference = routes.filter(
  (route): route is InferenceRoute & { protocol: ChatProtocol } =>
    "protocol" in route && ["openai-chat", "anthropic"].includes(route.protocol),
);
const good = { model: "test/model-1", max_tokens: 10, messages: [{ role: "user", content: "x" }] };
const deep = (levels: number) =>
  `{"model":"test/model-1","max_tokens":1,"messages":[{"role":"user","content":${"[".repeat(levels)}${"]".repeat(levels)}}]}`;

/** What every route refuses: the body, and a part of the message that tells why. */
const bodies: [name: string, body: string | Buffer | object, why: string][] = [
  ["nothing", "", "not valid JSON"],
  ["text", "hello", "not valid JSON"],
  ["an array", "[]", "must be a JSON object"],
  ["null", "null", "must be a JSON object"],
  ["bytes that are no UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), "UTF-8"],
  ["101 levels", deep(98), "nested deeper"],
  ["a million levels", deep(1_000_000), "nested deeper"],
  ["no model", { ...good, model: undefined }, "`model`"],
  ["a null model", { ...good, model: null }, "`model`"],
  ["a model that is a number", { ...good, model: 4 }, "`model`"],
  ["an empty model", { ...good, model: "" }, "`model`"],
  ["no messages", { ...good, messages: undefined }, "`messages`"],
  ["messages that are text", { ...good, messages: "x" }, "`messages`"],
  ["no message at all", { ...good, messages: [] }, "`messages`"],
  ["a message that is text", { ...good, messages: ["x"] }, "`messages[0]`"],
  ["a message without a role", { ...good, messages: [{ content: "x" }] }, "`messages[0].role`"],
  [
    "a message with a number for content",
    { ...good, messages: [{ role: "user", content: 1 }] },
    "`messages[0].content`",
  ],
  ["max_tokens 0", { ...good, max_tokens: 0 }, "`max_tokens`"],
  ["max_tokens -1", { ...good, max_tokens: -1 }, "`max_tokens`"],
  ["max_tokens 1.5", { ...good, max_tokens: 1.5 }, "`max_tokens`"],
  ["max_tokens as text", { ...good, max_tokens: "10" }, "`max_tokens`"],
  [
    "max_tokens beyond integers",
    '{"model":"test/model-1","max_tokens":1e400,"messages":[{"role":"user","content":"x"}]}',
    "`max_tokens`",
  ],
  ["temperature 2.1", { ...good, temperature: 2.1 }, "`temperature`"],
  ["temperature -0.1", { ...good, temperature: -0.1 }, "`temperature`"],
  ["temperature as text", { ...good, temperature: "1" }, "`temperature`"],
  ["top_p 1.1", { ...good, top_p: 1.1 }, "`top_p`"],
  ["stream as text", { ...good, stream: "true" }, "`stream`"],
  ["tools that are an object", { ...good, tools: {} }, "`tools`"],
  [
    "model twice",
    '{"model":"test/model-1","model":"test/model-1","max_tokens":1,"messages":[{"role":"user","content":"x"}]}',
    "`model` is given twice",
  ],
  [
    "model twice, once escaped",
    '{"model":"test/model-1","\\u006dodel":"x","max_tokens":1,"messages":[{"role":"user","content":"x"}]}',
    "`model` is given twice",
  ],
  [
    "stream twice",
    '{"model":"test/model-1","stream":true,"stream":false,"max_tokens":1,"messages":[{"role":"user","content":"x"}]}',
    "`stream` is given twice",
  ],
  [
    "max_tokens twice",
    '{"model":"test/model-1","max_tokens":1,"max_tokens":2,"messages":[{"role":"user","content":"x"}]}',
    "`max_tokens` is given twice",
  ],
  ["a model that cannot chat", { ...good, model: "test/embedding-1" }, "does not support chat"],
];

/** What one protocol alone refuses. */
const own: Record<ChatProtocol, typeof bodies> = {
  "openai-chat": [
    ["n 0", { ...good, n: 0 }, "`n`"],
    ["n 129", { ...good, n: 129 }, "`n`"],
    [
      "n twice",
      '{"model":"test/model-1","n":1,"n":100,"messages":[{"role":"user","content":"x"}]}',
      "`n` is given twice",
    ],
    ["max_completion_tokens 0", { ...good, max_completion_tokens: 0 }, "`max_completion_tokens`"],
    ["stop as a number", { ...good, stop: 1 }, "`stop`"],
    ["stop with a number", { ...good, stop: ["a", 1] }, "`stop`"],
    ["user as a number", { ...good, user: 1 }, "`user`"],
    ["a long user", { ...good, user: "é".repeat(129) }, "`user`"],
    ["stream_options as text", { ...good, stream: true, stream_options: "x" }, "`stream_options`"],
    ["stream_options as an array", { ...good, stream: true, stream_options: [] }, "`stream_options`"],
    [
      "include_usage as text",
      { ...good, stream: true, stream_options: { include_usage: "no" } },
      "`include_usage`",
    ],
    [
      "include_usage twice",
      '{"model":"test/model-1","stream":true,"stream_options":{"include_usage":true,"include_usage":false},"messages":[{"role":"user","content":"x"}]}',
      "`include_usage` is given twice",
    ],
    [
      "stream_options twice",
      '{"model":"test/model-1","stream":true,"stream_options":{},"stream_options":null,"messages":[{"role":"user","content":"x"}]}',
      "`stream_options` is given twice",
    ],
  ],
  anthropic: [
    ["no max_tokens", { ...good, max_tokens: undefined }, "`max_tokens`"],
    ["a null max_tokens", { ...good, max_tokens: null }, "`max_tokens`"],
    ["stop_sequences as a number", { ...good, stop_sequences: 1 }, "`stop_sequences`"],
    ["system as a number", { ...good, system: 1 }, "`system`"],
    ["metadata as text", { ...good, metadata: "x" }, "`metadata`"],
    ["a long user", { ...good, metadata: { user_id: "x".repeat(257) } }, "`metadata.user_id`"],
  ],
};

/** The message of an error, wherever the style puts it. */
function messageOf(body: Record<string, unknown>): string {
  return (body.error as { message: string }).message;
}

const untouched = () => [
  memory.holds.length,
  memory.intents.length,
  memory.events.length,
  upstream.requests.length,
];

describe.each(inference.map((route) => [route.path, route] as const))("%s", (path, route) => {
  test.each([...bodies, ...own[route.protocol]])("%s", async (_, body, why) => {
    const before = untouched();
    const reply = await call(serve, path, { headers, body });
    expect(reply.status).toBe(400);
    expect(messageOf(reply.json())).toContain(why);
    expect(untouched()).toEqual(before);
  });

  test("an unknown model is 404, and its name is not echoed at length", async () => {
    const before = untouched();
    const reply = await call(serve, path, { headers, body: { ...good, model: "x".repeat(5_000) } });
    expect(reply.status).toBe(404);
    expect(reply.text.length).toBeLessThan(400);
    expect(untouched()).toEqual(before);
  });

  test("a body over the bound is 413, an encoded one 415", async () => {
    const before = untouched();
    const large = await call(serve, path, { headers, body: Buffer.alloc(limits.bodyBytesMax + 1, 0x20) });
    expect(large.status).toBe(413);
    const encoded = await call(serve, path, {
      headers: { ...headers, "content-encoding": "compress" },
      body: good,
    });
    expect(encoded.status).toBe(415);
    expect(untouched()).toEqual(before);
  });

  test("the checks come in their order: path, method, credential, body, model, fields", async () => {
    const statuses = [];
    for (const options of [
      { method: "PUT", body: "broken" },
      { body: "broken" },
      { headers, body: "broken" },
      { headers, body: { ...good, model: "test/none", temperature: 9 } },
      { headers, body: { ...good, temperature: 9 } },
    ]) {
      statuses.push((await call(serve, path, options)).status);
    }
    expect(statuses).toEqual([405, 401, 400, 404, 400]);
    expect((await call(serve, `${path}/x`, { body: "broken" })).status).toBe(404);
  });

  test("explicit nulls count as absent", async () => {
    const nulls = {
      temperature: null,
      top_p: null,
      stop: null,
      stream: null,
      tools: null,
      user: null,
      n: null,
      system: null,
      metadata: null,
      stop_sequences: null,
    };
    expect((await call(serve, path, { headers, body: { ...good, ...nulls } })).status).toBe(200);
  });

  test("mutated bodies never make us fail: every answer is a success or a 4xx in the route's style", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(
          "model",
          "messages",
          "max_tokens",
          "stream",
          "stream_options",
          "temperature",
          "top_p",
          "stop",
          "stop_sequences",
          "tools",
          "n",
          "user",
          "system",
          "metadata",
        ),
        fc.oneof(fc.jsonValue(), fc.constantFrom(null, "", 0, -1, 1e308, [], {}, [[]], "\u0000", true)),
        async (field, value) => {
          const reply = await call(serve, path, { headers, body: { ...good, [field]: value } });
          // Asked for a stream the provider answers JSON, which is the provider's fault and not ours.
          const ours = reply.status === 500 && reply.text.includes("provider failed");
          expect(reply.status < 500 || ours).toBe(true);
          if (reply.status >= 400) expect(typeof messageOf(reply.json())).toBe("string");
        },
      ),
      { seed: 4, numRuns: 200 },
    );
    expect(memory.logs.filter(({ event }) => event === "internal")).toEqual([]);
  });
});
