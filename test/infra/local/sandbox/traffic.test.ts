/** The calls of the demo account, against servers that answer as a busy machine does. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { listen } from "#infra/local/emulators/listen.ts";
import { sendDemoTraffic, untilCounted } from "#infra/local/sandbox/traffic.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server on loopback that gives these answers in turn, the last of them again and again. */
async function answering(...answers: Answer[]) {
  let asked = 0;
  const server = createServer((request, response) => {
    answers[Math.min(asked, answers.length - 1)]?.(request, response);
    asked += 1;
  });
  const { url, stop } = await listen(server, 0);
  return { url, asked: () => asked, [Symbol.asyncDispose]: stop };
}

const hangUp: Answer = (request) => request.socket.destroy();
const json =
  (status: number, body: object): Answer =>
  (_, response) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

test("a call that fails does not end the others", async () => {
  const ending = new AbortController();
  const end: Answer = (_, response) => {
    ending.abort();
    response.end();
  };
  await using server = await answering(hangUp, json(200, {}), end);
  await sendDemoTraffic({ url: server.url, key: "k", models: ["m"], signal: ending.signal });
  expect(server.asked()).toBe(3);
});

test("the failure is told where no call was answered", async () => {
  const ending = new AbortController();
  await using server = await answering(json(503, { error: "busy" }), () => ending.abort());
  const { signal } = ending;
  await expect(sendDemoTraffic({ url: server.url, key: "k", models: ["m"], signal })).rejects.toThrow(
    /503.*busy/,
  );
});

test("a call is waited for until it is counted, and no longer than the signal says", async () => {
  const usage = (calls: number) => json(200, { totals: { calls } });
  await using counting = await answering(usage(0), json(503, {}), usage(1));
  await untilCounted({ url: counting.url, key: "k", signal: AbortSignal.timeout(10_000) });
  expect(counting.asked()).toBe(3);
  await using empty = await answering(usage(0));
  await expect(untilCounted({ url: empty.url, key: "k", signal: AbortSignal.timeout(50) })).rejects.toThrow();
});
