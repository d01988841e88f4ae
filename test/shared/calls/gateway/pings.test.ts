/** Signs of life: sent between frames of a stream that is silent for long, where the protocol's clients bear them. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ProtocolName } from "#shared/base/http/routes.ts";
import { limits } from "#shared/base/limits.ts";
import { ArrivingBody } from "#shared/base/platform/reply-body.ts";
import { plainCall } from "#shared/books/billing/call.ts";
import { createRelay } from "#shared/calls/exchange/relay.ts";
import type { Admitted } from "#shared/calls/gateway/admit.ts";
import { answerStream } from "#shared/calls/gateway/answer.ts";
import type { AnswerOrigin, StreamAnswer } from "#shared/calls/gateway/attempt.ts";
import { protocols } from "#shared/calls/protocols/index.ts";
import { readerOf } from "#test/support/body.ts";
import { delta, useScenario } from "#test/support/scenario.ts";
import { streamingOf } from "#test/support/streaming.ts";

const scenario = useScenario();
let passed = 0;
beforeEach(() => {
  passed = 0;
  scenario.memory.deps.now = () => passed;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Lets so much time pass for the product, once it waits. */
async function pass(ms: number): Promise<void> {
  await new Promise(setImmediate);
  passed += ms;
  await vi.advanceTimersByTimeAsync(ms);
}

/** A stream whose provider has sent one frame and then waits for the test. */
function openStream(name: ProtocolName) {
  const protocol = protocols[name];
  const client = streamingOf(name);
  const reader = client.createReader({ ...plainCall, stream: true });
  const rest = new ArrivingBody({ pause() {}, resume() {}, destroy() {} });
  const answer = {
    kind: "stream",
    provider: "test",
    attempts: 1,
    routeHeaders: {},
    status: 200,
    content_type: "text/event-stream",
    dropped: [],
    relay: createRelay(client, reader),
    reader,
    client,
    first: Buffer.from(delta("Hello")),
    rest,
    release: () => {},
  } as unknown as StreamAnswer & AnswerOrigin;
  const admitted = { protocol, limitStatus: {}, request: { id: "req_1" } } as unknown as Admitted;
  const reply = answerStream(admitted, answer, { clear: () => {} }, scenario.memory.deps);
  return { body: readerOf(reply), send: (frame: string) => rest.push(Buffer.from(frame)) };
}

test.each<[name: ProtocolName, ping: string]>([
  ["openai-chat", ": ping\n\n"],
  ["openai-responses", 'event: keepalive\ndata: {"type":"keepalive","sequence_number":0}\n\n'],
  ["openai-images", ": ping\n\n"],
  ["anthropic", 'event: ping\ndata: {"type":"ping"}\n\n'],
])("%s: one for each silence, then the frame that was waited for", async (name, ping) => {
  const { body, send } = openStream(name);
  expect(String(await body.next())).toBe(delta("Hello"));
  for (let silence = 0; silence < 2; silence++) {
    const next = body.next();
    await pass(limits.pingMs);
    expect(String(await next)).toBe(ping);
  }
  const next = body.next();
  send(delta("world"));
  expect(String(await next)).toBe(delta("world"));
});

test("the silence begins with the last frame that was taken", async () => {
  const { body, send } = openStream("openai-chat");
  await body.next();
  const second = body.next();
  await pass(limits.pingMs - 1);
  send(delta("and"));
  expect(String(await second)).toBe(delta("and"));
  const third = body.next();
  await pass(limits.pingMs - 1);
  send(delta("there"));
  expect(String(await third)).toBe(delta("there"));
  await pass(limits.pingMs);
  const fourth = body.next();
  await pass(limits.pingMs - 1);
  send(delta("now"));
  expect(String(await fourth)).toBe(delta("now"));
});

test("gemini: never, because its SDKs break on a comment", async () => {
  const { body, send } = openStream("gemini");
  await body.next();
  const next = body.next();
  await pass(10 * limits.pingMs);
  send(delta("world"));
  expect(String(await next)).toBe(delta("world"));
});
