/** Converse in AWS's binary frames over real sockets: cut, damaged, failing, too large, and faster than their reader. */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { readerOf } from "#test/support/body.ts";
import { call, open } from "#test/support/call.ts";
import { least, pathOf, type Speech, speeches } from "#test/support/crossed.ts";
import { eventOf, exceptionOf, messageOf } from "#test/support/event-stream.ts";
import { createMemory, testCatalog } from "#test/support/memory.ts";
import { delta, done, sse, usageFrame, useScenario } from "#test/support/scenario.ts";

const scenario = useScenario();
const model = "test/model-1";
const mega = 1024 * 1024;
const eventStream = { "content-type": "application/vnd.amazon.eventstream" };

/** A model at Bedrock by Converse, and then by OpenAI's chat at another provider. */
beforeEach(() => {
  const { url } = scenario.upstream;
  const catalog = testCatalog(url) as {
    providers: Record<string, object>;
    models: { output_tokens: number; context_tokens: number; channels: object[] }[];
  };
  catalog.providers.bedrock = { protocols: { converse: url }, host: "bedrock", auth: "aws_role" };
  catalog.providers.next = { protocols: { openai: `${url}/v1` }, secret: "TEST_API_KEY" };
  const [chat] = catalog.models;
  if (!chat) throw new Error("no model");
  chat.output_tokens = chat.context_tokens = 200_000_000;
  chat.channels = [
    { provider: "bedrock", model: "us.amazon.nova-lite-v1:0" },
    { provider: "next", model: "nova-lite", priority: 2 },
  ];
  scenario.memory = createMemory(catalog);
  scenario.key = scenario.memory.addKey();
  scenario.serve = createPipeline({} as never, scenario.memory.deps);
});

const text = (words: string) =>
  eventOf("contentBlockDelta", { contentBlockIndex: 0, delta: { text: words } });
const opening = [eventOf("messageStart", { role: "assistant" }), text("Hél")];
const messages = [
  ...opening,
  text("lo"),
  eventOf("contentBlockStop", { contentBlockIndex: 0 }),
  eventOf("messageStop", { stopReason: "end_turn" }),
  eventOf("metadata", { usage: { inputTokens: 10, outputTokens: 4, totalTokens: 14 }, metrics: {} }),
];

/** Bedrock answers so. The next provider answers "Other" in OpenAI's form. */
function bedrockAnswers(answer: (response: ServerResponse) => unknown): void {
  scenario.upstream.on(({ url = "" }, response) => {
    if (url.startsWith("/model/")) return answer(response.writeHead(200, eventStream));
    return response.writeHead(200, sse).end(delta("Other") + usageFrame + done);
  });
}

const streamed = (client: Speech) => ({
  path: pathOf(client, model, true),
  headers: scenario.bearer(),
  body: { ...(client !== "gemini" && { model, stream: true }), ...least[client] },
});
const ask = (client: Speech, onChunk?: () => void) =>
  call(scenario.serve, "", { ...streamed(client), ...(onChunk && { onChunk }) });

/** The words of an answer, in the form of any client. */
function wordsOf(answer: string): string {
  const found = answer.matchAll(/"(?:content|text|delta)":"((?:Hél|lo|Other)+)"/g);
  return [...found].map(([, words]) => words).join("");
}

/** Where a message can be cut: in each of its parts, and on each edge between two of them. */
function edgesOf(message: Buffer): number[] {
  const headers = message.readUInt32BE(4);
  const name = message.readUInt8(12);
  const value = 12 + 1 + name;
  const payload = 12 + headers;
  const end = message.length;
  return [
    ...[1, 4, 6, 8, 10, 12, 13, 15, value, value + 1, value + 2, value + 3, value + 5],
    ...[payload - 1, payload, payload + 3, end - 4, end - 2, end],
  ];
}

describe("a stream is the same, and costs the same", () => {
  const bytes = Buffer.concat(messages);
  const starts = messages.map((_, at) => Buffer.concat(messages.slice(0, at)).length);
  const edges = messages.flatMap((message, at) => edgesOf(message).map((edge) => (starts[at] ?? 0) + edge));

  const expectWhole = (client: Speech, answer: string) => {
    expect(wordsOf(answer).replace(/^(Héllo).*/, "$1"), client).toBe("Héllo");
    expect(answer).not.toMatch(/"error":\{|exception/i);
    expect(scenario.memory.events.splice(0)).toMatchObject([
      { outcome: "completed", evidence: "reported", usage: { input_tokens: 10, output_tokens: 4 } },
    ]);
  };

  test.each(speeches)("for a client of %s, wherever it is cut in two", async (client) => {
    for (const cut of edges) {
      bedrockAnswers(async (response) => {
        response.write(bytes.subarray(0, cut));
        await turn();
        response.end(bytes.subarray(cut));
      });
      expectWhole(client, (await ask(client)).text);
    }
    expect(scenario.upstream.requests).toHaveLength(edges.length);
  });

  test.each([
    ["byte by byte", 1],
    ["by two", 2],
    ["by the length of what stands in front of a message", 12],
    ["by pieces of two messages", 150],
    ["in one piece", bytes.length],
  ])("%s", async (_, size) => {
    bedrockAnswers((response) => {
      for (let at = 0; at < bytes.length; at += size) response.write(bytes.subarray(at, at + size));
      response.end();
    });
    expectWhole("openai", (await ask("openai")).text);
  });
});

/** A message with one byte of it changed. */
function damaged(at: number): Buffer {
  const message = Buffer.from(text("lo"));
  const place = at < 0 ? message.length + at : at;
  message[place] = (message[place] ?? 0) ^ 1;
  return message;
}

/** The beginning of a message of `length`, which never comes. Its checksum is right. */
function announced(length: number): Buffer {
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(length, 0);
  prelude.writeUInt32BE(20, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  return prelude;
}

const exceptions = [
  "internalServerException",
  "modelStreamErrorException",
  "throttlingException",
  "serviceUnavailableException",
  "modelTimeoutException",
];
const unmodeled = {
  ":message-type": "error",
  ":error-code": "InternalFailure",
  ":error-message": "It broke",
};

/** What ends a stream badly. */
const ends: [name: string, end: Buffer][] = [
  ["a wrong checksum of its lengths", damaged(2)],
  ["a checksum of lengths that is wrong itself", damaged(9)],
  ["a wrong byte in a header", damaged(20)],
  ["a wrong byte in a payload", damaged(-8)],
  ["a wrong checksum", damaged(-1)],
  ["a length that is too small", announced(15)],
  ["a message that is larger than the bound", announced(limits.frameBytesMax + 1)],
  ["a message that breaks off", text("lo").subarray(0, -1)],
  ["an error without a model", messageOf(unmodeled, "")],
  ...exceptions.map((name): [string, Buffer] => [name, exceptionOf(name, "own-account 123456789012 broke")]),
];

describe.each(ends)("%s", (_, end) => {
  test.each<[name: string, before: Buffer[], pauseMs: number]>([
    ["before the first message", [], 0],
    ["behind the message that opens the stream", opening.slice(0, 1), 0],
    ["behind that message, in a read of its own", opening.slice(0, 1), 20],
  ])("%s is the next channel's call", async (_, before, pauseMs) => {
    bedrockAnswers(async (response) => {
      for (const message of before) response.write(message);
      if (pauseMs > 0) await pause(pauseMs);
      response.end(end);
    });
    const answer = await ask("openai");
    expect([answer.status, wordsOf(answer.text)]).toEqual([200, "Other"]);
    expect(answer.headers).toMatchObject({ "x-gateway-provider": "next", "x-gateway-attempts": "2" });
    expect(scenario.memory.events).toMatchObject([{ outcome: "completed", calls: 1 }]);
  });

  test.each(speeches)("after output is an error in the stream of a client of %s", async (client) => {
    let goOn = (): void => {};
    bedrockAnswers((response) => {
      response.write(Buffer.concat(opening));
      goOn = () => response.end(end);
    });
    const answer = await ask(client, () => goOn());
    expect(answer.status).toBe(200);
    expect(wordsOf(answer.text)).toBe("Hél");
    expect(answer.text.slice(answer.text.indexOf("Hél"))).toMatch(/"error":\s*\{|"type":"error"/);
    expect(answer.text).not.toMatch(/\[DONE\]|"message_stop"|"response\.completed"|"finishReason":"STOP"/);
    expect(answer.text).not.toMatch(/own-account|123456789012/);
    expect(scenario.upstream.requests).toHaveLength(1);
    const [event] = scenario.memory.events;
    expect(scenario.memory.events).toMatchObject([{ outcome: "truncated", evidence: "estimated", calls: 1 }]);
    expect(event?.usage.output_tokens).toBeGreaterThan(0);
    expect(event?.cost_points).not.toBe("0");
  });
});

test("an event that is no JSON ends a stream that gave nothing, and costs nothing", async () => {
  const unread = messageOf({ ":event-type": "contentBlockDelta", ":message-type": "event" }, "{");
  bedrockAnswers((response) => response.end(Buffer.concat([...opening.slice(0, 1), unread])));
  const answer = await ask("openai");
  expect([answer.status, wordsOf(answer.text)]).toEqual([200, ""]);
  expect(answer.text).toMatch(/"error":\s*\{/);
  expect(scenario.memory.events).toMatchObject([{ outcome: "failed", calls: 0, cost_points: "0" }]);
});

test("an exception that blames the request is told as a 400, and nobody else is asked", async () => {
  const said = exceptionOf("validationException", "Input is too long for requested model.");
  bedrockAnswers((response) => response.end(said));
  const answer = await ask("openai");
  expect([answer.status, answer.json()]).toMatchObject([400, { error: { code: "context_length_exceeded" } }]);
  expect(scenario.upstream.requests).toHaveLength(1);
});

test("a message that is announced as too large is not waited for", async () => {
  const closed = Promise.withResolvers<void>();
  bedrockAnswers((response) => {
    response.on("close", () => closed.resolve());
    response.write(Buffer.concat([...opening, announced(2 ** 32 - 1)]));
  });
  const answer = await ask("anthropic");
  expect(answer.text).toContain("event: error");
  await closed.promise;
});

test("a reader that takes nothing stops the provider, and then gets every word", async () => {
  // Of what is large nothing is kept: Bedrock pads its messages, so that nobody sees how long the words are.
  const padded = { contentBlockIndex: 0, delta: { text: "x" }, p: "p".repeat(64 * 1024) };
  const message = eventOf("contentBlockDelta", padded);
  const count = 2_000;
  let sent = 0;
  const stalled = Promise.withResolvers<number>();
  bedrockAnswers(async (response) => {
    response.write(messages[0]);
    for (; sent < count; sent++) {
      if (response.write(message)) continue;
      const settled = setTimeout(() => stalled.resolve(sent), 500);
      await once(response, "drain");
      clearTimeout(settled);
    }
    stalled.resolve(sent);
    response.end(Buffer.concat(messages.slice(3)));
  });
  const { path, ...asked } = streamed("openai");
  const { reply } = await open(scenario.serve, path, asked);
  const reader = readerOf(reply);
  const first = await reader.next();
  // What lies in the sockets of a machine is some megabytes.
  expect((await stalled.promise) * message.length).toBeLessThan(50 * mega);
  let words = 0;
  for (let read = first; read; read = await reader.next())
    words += [...read.toString().matchAll(/"content":"(x+)"/g)].reduce(
      (sum, [, xs = ""]) => sum + xs.length,
      0,
    );
  await reply.after?.();
  expect(words).toBe(count);
  expect(scenario.memory.events).toMatchObject([
    { outcome: "completed", evidence: "reported", usage: { output_tokens: 4 } },
  ]);
});
