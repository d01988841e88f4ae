/** Signs of life: sent between frames of a stream that is silent for long, where the protocol's clients bear them. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { plainCall } from "#shared/chat/call.ts";
import { createRelay } from "#shared/exchange/relay.ts";
import type { Admitted } from "#shared/gateway/admit.ts";
import { answerStream } from "#shared/gateway/answer.ts";
import type { StreamAnswer } from "#shared/gateway/attempt.ts";
import type { ProtocolName } from "#shared/http/routes.ts";
import { limits } from "#shared/limits.ts";
import { protocols } from "#shared/protocols/index.ts";
import { delta, useScenario } from "#test/support/scenario.ts";
import { streamingOf } from "#test/support/streaming.ts";

const scenario = useScenario();
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A stream whose provider has sent one frame and then waits for the test. */
function openStream(name: ProtocolName) {
  const protocol = protocols[name];
  const client = streamingOf(name);
  const reader = client.createReader({ ...plainCall, stream: true });
  const sent = Promise.withResolvers<Buffer | undefined>();
  const answer = {
    kind: "stream",
    provider: "test",
    attempts: 1,
    status: 200,
    content_type: "text/event-stream",
    dropped: [],
    relay: createRelay(client, reader),
    reader,
    client,
    first: Buffer.from(delta("Hello")),
    rest: { next: () => sent.promise },
    release: () => {},
  } as unknown as StreamAnswer;
  const admitted = { protocol, limitStatus: {}, request: { id: "req_1" } } as unknown as Admitted;
  const reply = answerStream(admitted, answer, { clear: () => {} }, scenario.memory.deps);
  return { body: (reply.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator](), send: sent.resolve };
}

test.each<[name: ProtocolName, ping: string]>([
  ["openai-chat", ": ping\n\n"],
  ["openai-responses", ": ping\n\n"],
  ["openai-images", ": ping\n\n"],
  ["anthropic", 'event: ping\ndata: {"type":"ping"}\n\n'],
])("%s: one for each silence, then the frame that was waited for", async (name, ping) => {
  const { body, send } = openStream(name);
  expect(String(Buffer.from((await body.next()).value))).toBe(delta("Hello"));
  for (let silence = 0; silence < 2; silence++) {
    const next = body.next();
    await vi.advanceTimersByTimeAsync(limits.pingMs);
    expect(String(Buffer.from((await next).value))).toBe(ping);
  }
  const next = body.next();
  send(Buffer.from(delta("world")));
  expect(String(Buffer.from((await next).value))).toBe(delta("world"));
});

test("gemini: never, because its SDKs break on a comment", async () => {
  const { body, send } = openStream("gemini");
  await body.next();
  const next = body.next();
  await vi.advanceTimersByTimeAsync(10 * limits.pingMs);
  send(Buffer.from(delta("world")));
  expect(String(Buffer.from((await next).value))).toBe(delta("world"));
});
