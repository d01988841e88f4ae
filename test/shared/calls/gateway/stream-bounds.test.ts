/** Streams that do not stop: what is kept of them is bounded, and what they gave is counted to the last byte. */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { beforeEach, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { tokensGuess } from "#shared/calls/chat/estimate.ts";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { crossedCatalog, framesIn, type Speech, useCrossed } from "#test/support/crossed.ts";
import { createMemory } from "#test/support/memory.ts";
import { delta, done, frame, sse, usageFrame } from "#test/support/scenario.ts";

const crossed = useCrossed();
beforeEach(() => {
  // No model here gives as much as these providers send, and an estimate is at most what its model gives.
  const { models, ...catalog } = crossedCatalog(crossed.upstream.url) as { models: object[] };
  const long = { context_tokens: 20_000_000, output_tokens: 10_000_000 };
  const memory = createMemory({ ...catalog, models: models.map((model) => ({ ...model, ...long })) });
  crossed.memory = memory;
  crossed.headers = { ...crossed.headers, authorization: `Bearer ${memory.addKey()}` };
  crossed.serve = createPipeline({} as LocalAnswers, memory.deps);
});
const mega = 1024 * 1024;

/** How many bytes the provider got rid of before it was broken off; at `most` it breaks off by itself. */
async function flood(response: ServerResponse, piece: string, most: number): Promise<number> {
  let sent = 0;
  const closed = once(response, "close");
  for (; sent < most && !response.destroyed; sent += piece.length)
    if (!response.write(piece)) await Promise.race([once(response, "drain"), closed]);
  response.destroy();
  return sent;
}

const chunkOf = (text: string, finishReason?: string) =>
  frame({
    candidates: [{ index: 0, content: { role: "model", parts: [{ text }] }, finishReason }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 4 },
  });

test.each<[client: Speech, begin: string, piece: string]>([
  ["openai", delta("Hi") + usageFrame, delta("x".repeat(64 * 1024))],
  ["openai", delta("Hi") + usageFrame, `: ${"x".repeat(64 * 1024)}\n\n`],
  ["gemini", chunkOf("Hi") + chunkOf("", "STOP"), chunkOf("x".repeat(64 * 1024))],
])(
  "%s: what follows the usage without an end breaks the stream, which is billed as reported",
  async (...row) => {
    const [client, begin, piece] = row;
    const flooded = Promise.withResolvers<number>();
    crossed.upstream.on(async (_, response) => {
      response.writeHead(200, sse).write(begin);
      flooded.resolve(await flood(response, piece, 250 * mega));
    });
    const reply = await crossed.ask(client, client, {}, true);
    expect(framesIn(reply.text).at(-1)).toHaveProperty("error");
    expect(reply.text.length).toBeLessThan(mega);
    // What lies in sockets comes on top of what was held.
    expect(await flooded.promise).toBeLessThan(limits.heldBytesMax + 50 * mega);
    expect(crossed.memory.events).toMatchObject([
      { outcome: "truncated", evidence: "reported", calls: 1, usage: { output_tokens: 4 } },
    ]);
  },
);

test("comments without a frame are no answer: the provider has failed, and the call is free", async () => {
  const flooded = Promise.withResolvers<number>();
  crossed.upstream.on(async (_, response) => {
    response.writeHead(200, sse);
    flooded.resolve(await flood(response, `: ${"x".repeat(64 * 1024)}\n\n`, 200 * mega));
  });
  const reply = await crossed.ask("openai", "openai", {}, true);
  expect(reply.json()).toMatchObject({ error: { code: "50001" } });
  expect(await flooded.promise).toBeLessThan(limits.openingBytesMax + 50 * mega);
  expect(crossed.memory.events).toMatchObject([{ outcome: "failed", cost_points: "0", calls: 0 }]);
});

test("an answer that crosses is kept up to a bound, for its last event repeats it", async () => {
  const piece = delta("x".repeat(64 * 1024));
  const flooded = Promise.withResolvers<number>();
  crossed.upstream.on(async (_, response) => {
    response.writeHead(200, sse);
    flooded.resolve(await flood(response, piece, 120 * mega));
  });
  const reply = await crossed.ask("responses", "openai", {}, true);
  expect(framesIn(reply.text).slice(-2)).toMatchObject([{ type: "error" }, { type: "response.failed" }]);
  expect(await flooded.promise).toBeLessThan(limits.crossedCharsMax + 50 * mega);
  const [event] = crossed.memory.events;
  expect(event).toMatchObject({ outcome: "truncated", evidence: "estimated", calls: 1 });
  // Its last piece was read and is counted, though it did not leave any more.
  expect(event?.usage.output_tokens).toBeGreaterThanOrEqual(tokensGuess(limits.crossedCharsMax - 64 * 1024));
});

test("an estimate counts all that came, however long the stream", async () => {
  const text = "x".repeat(1_000);
  const pieces = 3 * Math.ceil(limits.observedBytesMax / delta(text).length);
  crossed.upstream.on(async (_, response) => {
    response.writeHead(200, sse);
    for (let sent = 0; sent < pieces; sent++) if (!response.write(delta(text))) await once(response, "drain");
    response.end(done);
  });
  await crossed.ask("openai", "openai", {}, true);
  const output_tokens = tokensGuess(pieces * text.length);
  expect(crossed.memory.events).toMatchObject([{ evidence: "estimated", usage: { output_tokens } }]);
});

test("an answer that is nested too deeply to be measured counts by its bytes", async () => {
  const depth = 30_000;
  const deep = `{"choices":[{"delta":{"content":"Hi","audio":{"a":${"[".repeat(depth)}${"]".repeat(depth)}}}}]}`;
  crossed.upstream.on((_, response) => void response.writeHead(200, sse).end(`data: ${deep}\n\n${done}`));
  const reply = await crossed.ask("openai", "openai", {}, true);
  expect(reply.text).toMatch(/data: \[DONE\]\n\n$/);
  const [event] = crossed.memory.events;
  expect(event).toMatchObject({ outcome: "completed", evidence: "estimated", calls: 1 });
  expect(event?.usage.output_tokens).toBeGreaterThanOrEqual(tokensGuess(2 * depth));
});
