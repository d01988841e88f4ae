/** Readers that stop reading: the call ends without them, and is billed what it used. */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { watchReader } from "#shared/base/http/reader.ts";
import { limits } from "#shared/base/limits.ts";
import { type Reader, readBody, readerOf } from "#test/support/body.ts";
import { type CallOptions, open } from "#test/support/call.ts";
import {
  chatBody,
  chatPath,
  completion,
  delta,
  done,
  noise,
  sse,
  usageFrame,
  useScenario,
} from "#test/support/scenario.ts";

const scenario = useScenario();
let passed = 0;
beforeEach(() => {
  const start = Date.now();
  passed = 0;
  scenario.memory.deps.now = () => start + passed;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Lets so much time pass for the product, and everything happen that is due. */
async function pass(ms: number): Promise<void> {
  passed += ms;
  await vi.advanceTimersByTimeAsync(ms);
  await breathe();
}

/** Lets everything happen that waits for no clock. */
async function breathe(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
}

async function until(condition: () => unknown): Promise<void> {
  for (let turn = 0; !condition(); turn++) {
    if (turn > 20_000) expect.fail("it does not happen");
    await new Promise(setImmediate);
  }
}

/** A stream of which the provider has sent the first frame and the client has read it. */
async function openStream(options: CallOptions = {}) {
  const asked = Promise.withResolvers<ServerResponse>();
  scenario.upstream.on((_, response) => {
    response.writeHead(200, sse).write(delta("Hi"));
    asked.resolve(response);
  });
  const headers = scenario.bearer();
  const { reply, id } = await open(scenario.serve, chatPath, {
    headers,
    body: { ...chatBody, stream: true },
    at: scenario.memory.deps.now(),
    ...options,
  });
  const body = readerOf(reply);
  expect(await text(body)).toBe(delta("Hi"));
  return { reply, id, body, upstream: await asked.promise };
}

async function text(body: Reader): Promise<string | undefined> {
  return (await body.next())?.toString();
}

const reported = { outcome: "completed", evidence: "reported", cost_points: "0.000065", calls: 1 };

test("who takes nothing for 30 seconds is gone: the provider is read to its end and its report billed", async () => {
  const { reply, body, upstream } = await openStream();
  await pass(limits.readerStallMs - 1);
  expect(scenario.memory.logs.map(({ event }) => event)).not.toContain("reader_gone");
  await pass(1);
  expect(scenario.memory.logs.map(({ event }) => event)).toContain("reader_gone");
  expect(scenario.memory.events).toEqual([]);
  upstream.end(delta("there") + usageFrame + done);
  await until(() => scenario.memory.settled.length > 0);
  expect(scenario.memory.events).toMatchObject([reported]);
  await reply.gone;
  // Were it given the rest, or a clean end, it would take what it has for the whole.
  expect(await text(body)).toMatch(/^data: \{"error":/);
  expect(await text(body)).toBeUndefined();
  await reply.after?.();
  expect(scenario.memory.settled).toHaveLength(1);
});

test("of a provider that does not end, what came is billed once the process's time runs out", async () => {
  const { reply, upstream } = await openStream({ timeLeft: 60_000 });
  await pass(limits.readerStallMs);
  upstream.write(delta("there, and there"));
  const broken = once(upstream, "close");
  await pass(60_000 - limits.settlementReserveMs - limits.readerStallMs - 1);
  expect(scenario.memory.events).toEqual([]);
  await pass(1);
  await Promise.all([broken, reply.gone]);
  expect(scenario.memory.events).toMatchObject([
    { outcome: "truncated", evidence: "estimated", flags: ["no_usage"], usage: { output_tokens: 6 } },
  ]);
  expect(scenario.memory.settled).toHaveLength(1);
});

test("shortly before the time runs out who is not reading is gone, so that the provider can still report", async () => {
  const { reply, upstream } = await openStream({ timeLeft: limits.settlementReserveMs + 5_000 });
  upstream.end(usageFrame + done);
  await pass(5_000 - limits.readerLeadMs);
  await reply.gone;
  expect(scenario.memory.events).toMatchObject([reported]);
});

test("a client that reads slowly is given all of it", async () => {
  const { reply, body, upstream } = await openStream({ timeLeft: 900_000 });
  const rest = [delta("and"), delta("there"), usageFrame + done];
  for (const sent of rest) {
    upstream.write(sent);
    await breathe();
    await pass(limits.readerStallMs - 1);
    expect(await text(body)).toBe(sent);
  }
  await pass(limits.readerStallMs - 1);
  expect(await text(body)).toBeUndefined();
  await reply.after?.();
  expect(scenario.memory.logs.map(({ event }) => event)).not.toContain("reader_gone");
  expect(scenario.memory.events).toMatchObject([reported]);
});

test("who has asked for all and does not take its last bytes is gone too", async () => {
  const { reply, body, upstream } = await openStream();
  upstream.end(usageFrame + done);
  while ((await text(body)) !== undefined);
  expect(scenario.memory.settled).toEqual([]);
  await pass(limits.readerStallMs);
  await reply.gone;
  expect(scenario.memory.settled).toHaveLength(1);
});

test("a long whole answer leaves in pieces, and who takes none of them is gone", async () => {
  const content = noise(5_000);
  const long = { ...completion, choices: [{ index: 0, message: { role: "assistant", content } }] };
  scenario.upstream.json(long);
  const ask = () => open(scenario.serve, chatPath, { headers: scenario.bearer(), body: chatBody });
  const pieces: Uint8Array[] = [];
  const read = (await ask()).reply;
  await readBody(read, (piece) => void pieces.push(piece));
  await read.after?.();
  expect(Buffer.concat(pieces).toString()).toBe(JSON.stringify(long));
  expect(Math.max(...pieces.map(({ length }) => length))).toBe(limits.replyPieceBytes);
  const { reply } = await ask();
  expect(scenario.memory.settled).toHaveLength(1);
  await pass(limits.readerStallMs);
  await reply.gone;
  expect(scenario.memory.settled).toHaveLength(2);
});

test("a long body leaves in pieces, in order", async () => {
  const body = Buffer.concat([Buffer.alloc(limits.replyPieceBytes, "a"), Buffer.from("b")]);
  const reply = { status: 200, headers: {}, body };
  const pieces: Buffer[] = [];
  const watched = watchReader(reply, { id: "req_1", deadline_at: 900_000 }, scenario.memory.deps);
  await readBody(watched, (piece) => void pieces.push(piece));
  await watched.after?.();
  expect(pieces.map(({ length }) => length)).toEqual([limits.replyPieceBytes, 1]);
  expect(Buffer.concat(pieces).equals(body)).toBe(true);
});

test("who comes back with the same idempotency key is given the whole answer, which is billed once", async () => {
  const headers = { ...scenario.bearer(), "idempotency-key": "k" };
  const { reply, id, upstream } = await openStream({ headers });
  await pass(limits.readerStallMs);
  upstream.end(delta("there") + usageFrame + done);
  await reply.gone;
  const again = await scenario.chat({ headers, body: { ...chatBody, stream: true } });
  expect(again.headers["x-gateway-replayed"]).toBe(id);
  expect(again.text).toBe(delta("Hi") + delta("there") + usageFrame + done);
  expect(scenario.memory.events).toMatchObject([reported]);
});
