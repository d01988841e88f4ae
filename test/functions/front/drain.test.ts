/** How a front ends (functions/front/front.ts). */
import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import type { BodySink, HttpReply } from "#shared/base/http/message.ts";
import { answerPage } from "#shared/base/http/pages.ts";
import { limits } from "#shared/base/limits.ts";
import type { Pipeline } from "#shared/calls/gateway/pipeline.ts";
import { echo, head, speak, useFronts } from "#test/support/front.ts";

const fronts = useFronts();
afterEach(() => {
  vi.useRealTimers();
});

/** A pipeline whose streams the test writes. */
function streams() {
  const begun: { sink: BodySink; end: () => void }[] = [];
  const settled: string[] = [];
  let onBegin = (): void => {};
  const serve: Pipeline = async ({ path, stopping }) => ({
    status: 200,
    headers: {},
    body: (sink) =>
      new Promise((resolve) => {
        begun.push({ sink, end: resolve });
        // As the pipeline does, whose provider is broken off.
        stopping?.addEventListener("abort", () => {
          sink.write(Buffer.from("broken off"));
          resolve();
        });
        onBegin();
      }),
    after: async () => void settled.push(path),
  });
  const count = (wanted: number) =>
    new Promise<void>((resolve) => {
      onBegin = () => {
        if (begun.length === wanted) resolve();
      };
      onBegin();
    });
  return { serve, begun, settled, count };
}

test("streams in flight end whole and are settled, while nobody else is let in", async () => {
  const { serve, begun, settled, count } = streams();
  const front = await fronts.open(serve);
  const idle = await speak(front);
  const clients = await Promise.all([speak(front), speak(front)]);
  for (const [at, client] of clients.entries()) client.send(head(`GET /${at}`));
  await count(2);
  for (const { sink } of begun) sink.write(Buffer.from("first "));
  const closed = front.close(60_000);
  await expect(once(connect(front.port, "127.0.0.1"), "connect")).rejects.toThrow("ECONNREFUSED");
  expect(await idle.closed()).toBe("");
  for (const { sink, end } of begun) {
    sink.write(Buffer.from("last"));
    end();
  }
  expect(await closed).toBe(true);
  for (const client of clients) expect(await client.closed()).toMatch(/first .*last\r\n0\r\n\r\n$/s);
  expect(settled.sort()).toEqual(["/0", "/1"]);
});

test("a connection that is kept alive is told that it ends with its answer", async () => {
  const { serve, begun, count } = streams();
  const front = await fronts.open(async (request) =>
    request.path === "/echo" ? await echo().serve(request) : await serve(request),
  );
  const client = await speak(front);
  client.send("POST /echo HTTP/1.1\r\nhost: gateway.test\r\ncontent-length: 2\r\n\r\na");
  const other = await speak(front);
  other.send(head("GET /stream"));
  await count(1);
  const closed = front.close(60_000);
  client.send("b");
  begun[0]?.end();
  // Its head came before the end was asked for, so its answer could not say so. The connection is closed all the same.
  expect(await client.closed()).toMatch(/"body":"ab"\}$/);
  expect(await closed).toBe(true);
});

test.each([
  ["by the end itself", 1],
  ["by the end of another call", 2],
])("an answer that has not left yet is not cut %s", async (_, held) => {
  const body = Buffer.alloc(16 * 1024 * 1024, "a");
  const { serve, begun, count } = streams();
  const answered = Promise.withResolvers<void>();
  const front = await fronts.open(async (request) => {
    if (request.path !== "/large") return await serve(request);
    const after = async (): Promise<void> => answered.resolve();
    return { status: 200, headers: {}, body, after };
  });
  const others = await Promise.all(Array.from({ length: held }, () => speak(front)));
  for (const [at, other] of others.entries()) other.send(head(`GET /${at}`));
  await count(held);
  const reader = await speak(front);
  reader.socket.pause();
  reader.send(head("GET /large"));
  await answered.promise;
  const closed = front.close(60_000);
  if (held > 1) {
    begun[0]?.end();
    await others[0]?.until("0\r\n\r\n");
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  }
  reader.socket.resume();
  for (const { end } of begun) end();
  const whole = await reader.closed();
  expect(whole.length - whole.indexOf("\r\n\r\n") - 4).toBe(body.length);
  expect(await closed).toBe(true);
});

test("what has not ended in its time is broken off and settled", async () => {
  const { serve, settled, count } = streams();
  const front = await fronts.open(serve);
  const client = await speak(front);
  client.send(head("GET /long"));
  await count(1);
  expect(await front.close(0)).toBe(true);
  expect(await client.closed()).toMatch(/broken off\r\n0\r\n\r\n$/);
  expect(settled).toEqual(["/long"]);
});

test("a request that comes after that is refused, and one that never comes whole is forgotten", async () => {
  const { serve, asked } = echo();
  const stuck = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const front = await fronts.open(async (request) => {
    begun.resolve();
    await stuck.promise;
    return await serve(request);
  });
  const [half, headless, holding] = await Promise.all([speak(front), speak(front), speak(front)]);
  half.send(`${head("POST /half", "content-length: 5")}he`);
  headless.send("GET /headless HTTP/1.1\r\n");
  holding.send(head("GET /held"));
  await begun.promise;
  const closed = front.close(0);
  expect(await half.closed()).toBe("");
  expect(await headless.closed()).toBe("");
  await new Promise<void>((resolve) => holding.socket.write(head("GET /late"), () => resolve()));
  // By then it lies in the server's socket.
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  stuck.resolve();
  expect(await closed).toBe(true);
  expect(await holding.closed()).toMatch(/"\/held".*HTTP\/1.1 429 .*"code":42900/s);
  expect(asked.map(({ path }) => path)).toEqual(["/held"]);
});

test("a call that nothing ends is given up, and told of", async () => {
  const begun = Promise.withResolvers<void>();
  const front = await fronts.open(() => {
    begun.resolve();
    return new Promise<never>(() => {});
  });
  const client = await speak(front);
  client.send(head("GET /never"));
  await begun.promise;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const closed = front.close(1_000);
  await vi.advanceTimersByTimeAsync(1_000 + limits.settlementReserveMs);
  expect(await closed).toBe(false);
  expect(await client.closed()).toBe("");
});

test("health answers 503 on a connection that is open while the front drains", async () => {
  const { serve, begun, count } = streams();
  const front = await fronts.open(async (request) =>
    request.path === "/health"
      ? ((await answerPage(request, { pages: "" })) as HttpReply)
      : await serve(request),
  );
  const client = await speak(front);
  client.send(head("GET /health"));
  expect(await client.until("]}")).toMatch(/^HTTP\/1\.1 200 .*"status":"ok"/s);
  client.send("GET /health HTTP/1.1\r\n");
  const other = await speak(front);
  other.send(head("GET /stream"));
  await count(1);
  // By then the beginning of the second check has come.
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  const closed = front.close(60_000);
  client.send("host: gateway.test\r\n\r\n");
  expect(await client.closed()).toMatch(/HTTP\/1\.1 503 .*connection: close.*"status":"draining"/is);
  begun[0]?.end();
  expect(await closed).toBe(true);
});
