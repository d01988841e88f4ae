/** What a client that reads slowly may not change for others: how fast its provider seems. */
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BodyPump } from "#shared/base/http/message.ts";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { open } from "#test/support/call.ts";
import { createMemory, testCatalog } from "#test/support/memory.ts";
import { chatBody, delta, done, sse, usageFrame } from "#test/support/scenario.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

let upstream: Upstream;

beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.stop());

test("a stream whose reader is slow tells how long its provider took", async () => {
  const memory = createMemory(testCatalog(upstream.url));
  let clock = Date.now();
  memory.deps.now = () => clock;
  let provider: ServerResponse | undefined;
  upstream.on((_, response: ServerResponse) => {
    provider = response;
    response.writeHead(200, sse).write(delta("Hi"));
  });
  const rest = [delta(" there"), usageFrame + done];
  const write = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    clock += 20_000;
    provider?.write(rest.shift() ?? "");
  };
  const { reply } = await open(createPipeline({} as LocalAnswers, memory.deps), "/v1/chat/completions", {
    headers: { authorization: `Bearer ${memory.addKey()}` },
    body: { ...chatBody, stream: true },
  });
  await (reply.body as BodyPump)({ write });
  await reply.after?.();
  expect(rest).toEqual([]);
  expect(memory.events[0]?.route?.generation_ms).toBe(0);
});
