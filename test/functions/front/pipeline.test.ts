/** The whole pipeline behind a front: what a function URL does, and what only a front sees. */
import { once } from "node:events";
import { request as ask, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { useFronts } from "#test/support/front.ts";
import { closed, frontCalls, reported, streamBody } from "#test/support/front-calls.ts";
import {
  chatBody,
  chatPath,
  completion,
  delta,
  done,
  sse,
  streamOf,
  usageFrame,
  useScenario,
} from "#test/support/scenario.ts";

const scenario = useScenario();
const fronts = useFronts();
afterEach(() => {
  vi.useRealTimers();
});
const { call, settled, startedStream } = frontCalls(scenario);

/** Resolves when a count no longer grows. Everybody who could let it grow runs in this process. */
async function standstill(count: () => number): Promise<void> {
  for (let turn = 0, before = -1; turn < 500; turn++) {
    if (count() !== before) turn = 0;
    before = count();
    await new Promise(setImmediate);
  }
}

describe("a client that hangs up", () => {
  test("in a stream is billed what the provider reports at its end", async () => {
    const front = await fronts.open(scenario.serve);
    const started = startedStream();
    const answer = await call(front.port, streamBody);
    await once(answer, "readable");
    answer.destroy();
    const provider = await started;
    await once(answer.socket, "close");
    provider.write(delta("a".repeat(100_000)));
    provider.end(usageFrame + done);
    await settled(1);
    expect(scenario.memory.events).toMatchObject([reported]);
  });

  test("before the answer has begun is billed all the same", async () => {
    const front = await fronts.open(scenario.serve);
    const asked = new Promise<ServerResponse>((resolve) =>
      scenario.upstream.on((_, response) => resolve(response)),
    );
    const sent = ask({
      port: front.port,
      path: chatPath,
      method: "POST",
      headers: { ...scenario.bearer(), "content-type": "application/json" },
    });
    sent.on("error", () => {}).end(JSON.stringify(chatBody));
    const provider = await asked;
    sent.destroy();
    await closed(sent);
    provider.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(completion));
    await settled(1);
    expect(scenario.memory.events).toMatchObject([reported]);
  });
});

test("a client that stalls is cut off, the others are served, and its call is billed what was reported", async () => {
  const start = Date.now();
  let passed = 0;
  scenario.memory.deps.now = () => start + passed;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const front = await fronts.open(scenario.serve);
  const piece = delta("x".repeat(64 * 1024));
  let written = 0;
  scenario.upstream.on(async (_, response) => {
    response.writeHead(200, sse);
    // Far more than lies in the sockets between provider and client.
    for (; written < 400; written++) if (!response.write(piece)) await once(response, "drain");
    response.end(usageFrame + done);
  });
  const stalled = await call(front.port, streamBody);
  await standstill(() => written);
  passed = limits.readerStallMs;
  await vi.advanceTimersByTimeAsync(passed);
  await settled(1);
  expect(scenario.memory.events).toMatchObject([reported]);
  expect(scenario.memory.logs.map(({ event }) => event)).toContain("reader_gone");
  let rest = "";
  stalled.on("data", (bytes: Buffer) => {
    rest = (rest + bytes.toString()).slice(-1_000);
  });
  await closed(stalled);
  // If room was found for one more write before the cut, that was the error frame of such a reader.
  expect(stalled.complete).toBe(rest.includes("The answer was not read for too long"));
  scenario.upstream.json(completion);
  expect(JSON.parse(await text(await call(front.port, chatBody)))).toEqual(completion);
});

describe("a process that is told to end", () => {
  test("lets a stream end whole, and settles it", async () => {
    const front = await fronts.open(scenario.serve);
    const started = startedStream();
    const answer = await call(front.port, streamBody);
    const whole = text(answer);
    const provider = await started;
    const ended = front.close(60_000);
    provider.end(delta(" there") + usageFrame + done);
    expect(await whole).toBe(delta("Hi") + delta(" there") + usageFrame + done);
    expect(await ended).toBe(true);
    expect(scenario.memory.events).toMatchObject([reported]);
    expect(scenario.memory.settled).toHaveLength(1);
  });

  test("breaks off a stream that goes on for too long, tells the client, and settles it", async () => {
    const front = await fronts.open(scenario.serve);
    const started = startedStream();
    const answer = await call(front.port, streamBody);
    const whole = text(answer);
    await started;
    expect(await front.close(0)).toBe(true);
    expect(await whole).toMatch(/"code":"50001"/);
    expect(scenario.memory.events).toMatchObject([{ outcome: "truncated" }]);
    expect(scenario.memory.settled).toHaveLength(1);
  });

  test("breaks off a call whose provider has not answered yet, and gives its hold back", async () => {
    const front = await fronts.open(scenario.serve);
    const asked = new Promise<void>((resolve) => scenario.upstream.on(() => resolve()));
    const answered = call(front.port, chatBody);
    await asked;
    expect(await front.close(0)).toBe(true);
    expect((await answered).statusCode).toBe(500);
    expect(scenario.memory.settled).toMatchObject([{ settlement: { giveBack: true } }]);
  });
});

test("200 calls, 60 at a time, of which every other one streams, get every byte and are settled", async () => {
  const front = await fronts.open(scenario.serve);
  const chunks = Array.from({ length: 50 }, (_, at) => delta(`${at}`));
  scenario.upstream.on((request, response) => {
    if (request.headers.accept === "text/event-stream")
      streamOf(...chunks, usageFrame, done)(request, response);
    else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(completion));
  });
  const one = async (at: number): Promise<boolean> => {
    const reply = await fetch(`http://127.0.0.1:${front.port}${chatPath}`, {
      method: "POST",
      headers: { ...scenario.bearer(), "content-type": "application/json" },
      body: JSON.stringify(at % 2 === 0 ? streamBody : chatBody),
    });
    const expected = at % 2 === 0 ? chunks.join("") + usageFrame + done : JSON.stringify(completion);
    return reply.status === 200 && (await reply.text()) === expected;
  };
  let next = 0;
  const worker = async (): Promise<boolean[]> => {
    const outcomes: boolean[] = [];
    while (next < 200) outcomes.push(await one(next++));
    return outcomes;
  };
  const outcomes = (await Promise.all(Array.from({ length: 60 }, worker))).flat();
  expect(outcomes).toEqual(Array.from({ length: 200 }, () => true));
  expect(await front.close(10_000)).toBe(true);
  const { events, settled: settlements, holds } = scenario.memory;
  expect([events.length, settlements.length, holds.length]).toEqual([200, 200, 200]);
  for (const event of events) expect(event).toMatchObject(reported);
});

describe("the edge", () => {
  let url: string;
  beforeEach(async () => {
    url = `http://127.0.0.1:${(await fronts.open(scenario.serve)).port}`;
  });

  test("answers a browser's preflight", async () => {
    const headers = { origin: "https://page.test", "access-control-request-method": "POST" };
    const reply = await fetch(url + chatPath, { method: "OPTIONS", headers });
    expect(reply.status).toBe(204);
    expect(reply.headers.get("access-control-allow-origin")).toBe("*");
  });

  test("answers HEAD as GET, without the body", async () => {
    const reply = await fetch(`${url}/v1/models`, { method: "HEAD" });
    expect([reply.status, await reply.text()]).toEqual([405, ""]);
    expect(reply.headers.get("allow")).toBe("GET");
  });

  const send = (encoding: string, body: Buffer, more = scenario.bearer()) =>
    fetch(url + chatPath, {
      method: "POST",
      headers: { ...more, "content-encoding": encoding, "content-type": "application/json" },
      body,
    });
  const plain = Buffer.from(JSON.stringify(chatBody));

  test.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
    ["GZIP, identity, br", (body: Buffer) => brotliCompressSync(gzipSync(body))],
  ])("reads a body that is encoded as %s", async (encoding, encode) => {
    scenario.upstream.json(completion);
    const reply = await send(encoding, encode(plain));
    expect(reply.status).toBe(200);
    expect(String(scenario.upstream.requests.at(-1)?.body)).toContain(JSON.stringify(chatBody.messages));
  });

  test.each<[what: string, encoding: string, body: Buffer, status: number, code: string]>([
    ["an unknown encoding", "compress", plain, 415, "41500"],
    ["encodings without end", "gzip, gzip, gzip", plain, 415, "41500"],
    ["bytes that are not so encoded", "gzip", plain, 400, "40000"],
    ["a body that would be too large", "gzip", gzipSync(Buffer.alloc(6_000_000, " ")), 413, "41300"],
  ])("refuses %s", async (_, encoding, body, status, code) => {
    const reply = await send(encoding, body);
    expect(reply.status).toBe(status);
    expect(await reply.json()).toMatchObject({ error: { code } });
    if (status === 415) expect(reply.headers.get("accept-encoding")).toBe("gzip, deflate, br, zstd");
  });

  test("decodes nothing of a stranger", async () => {
    const reply = await send("gzip", plain, { authorization: "Bearer wrong" });
    expect(reply.status).toBe(401);
  });

  test("tells a client that asks for a WebSocket that there is none", async () => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    const head = "GET /v1/responses HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n";
    socket.end(head);
    const told = (await text(socket)).toLowerCase();
    expect(told).toMatch(/^http\/1\.1 426 /);
    expect(told).toContain("connection: close");
    expect(told).toContain('"code":"42600"');
  });
});
