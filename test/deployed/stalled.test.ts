/**
 * A client of the bundles that deploy keeps its connection and stops reading: in AWS's own Node runtime, and behind
 * the local function URL. The process's time is short here, so that its end is near.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { startFunction } from "#infra/local/emulators/lambda.ts";
import { listen } from "#infra/local/emulators/listen.ts";
import { limits } from "#shared/base/limits.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { parseUsageEvent, type UsageEvent } from "#shared/books/ledger/usage-event.ts";
import type { Meter } from "#shared/books/meters/meter.ts";
import { createMeterUpkeep } from "#shared/edges/store/meters/upkeep.ts";
import { type Customer, openCustomer } from "#test/support/customer.ts";
import { type Emulators, startEmulators } from "#test/support/emulators.ts";
import { testCatalog } from "#test/support/memory.ts";
import { startRuntime } from "#test/support/runtime.ts";
import { delta, done, sse, usageFrame } from "#test/support/scenario.ts";

const parts = new AsyncDisposableStack();
const piece = delta("x".repeat(64 * 1024));
/** Far more than lies in the sockets between provider and client. */
const pieces = 400;
const path = "/v1/chat/completions";
const body = JSON.stringify({
  model: "test/model-1",
  max_tokens: 100,
  stream: true,
  messages: [{ role: "user", content: "Say much." }],
});
/** Milliseconds a call may take: after three seconds who is not reading is gone. */
const timeMs = limits.settlementReserveMs + limits.readerLeadMs + 3_000;

let emulators: Emulators;
let customer: Customer;

beforeAll(async () => {
  const provider = createServer((incoming, response) => void answerLong(incoming, response));
  const { url, stop } = await listen(provider, 0);
  parts.defer(stop);
  emulators = await startEmulators(testCatalog(url), { TEST_API_KEY: "upstream-secret" });
  parts.defer(emulators.stop);
});

beforeEach(async () => {
  customer = await openCustomer(emulators, "100");
});

afterAll(() => parts.disposeAsync());

async function answerLong(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  incoming.resume();
  response.writeHead(200, sse);
  for (let sent = 0; sent < pieces; sent++) if (!response.write(piece)) await once(response, "drain");
  response.end(usageFrame + done);
}

it("on Lambda the call is billed what was reported, and its process is given up afterwards", async () => {
  const { environment, ...bundle } = emulators.functionNamed("Gateway");
  const gateway = await startRuntime({ ...bundle, environment });
  parts.defer(gateway.stop);
  const answer = await gateway.invoke(eventOf(customer.key), timeMs);
  expect(String((await answer.body.next()).value)).toContain("data: ");
  answer.done.catch(() => {});
  expect(await gateway.exited).toBe(1);
  expect(await usageOf(answer.headers["x-request-id"] ?? "")).toMatchObject(reported);
  await expectSettled();
});

it("behind a local function URL the others are served on, and the connection is broken off", async () => {
  const { environment, ...bundle } = emulators.functionNamed("Gateway");
  const resource = {
    ...bundle,
    environment,
    name: "Gateway",
    memoryMb: 512,
    logGroup: "GatewayLogs",
    hasUrl: true,
    hasBufferedUrl: false,
  };
  const local = await startFunction({ ...resource, timeoutSeconds: timeMs / 1000 }, environment, (error) => {
    throw error;
  });
  parts.defer(() => local.stop(0));
  const url = await local.listen(0);
  const stalled = await ask(url);
  await once(stalled, "readable");
  const read = async () => (await text(await ask(url))).length;
  expect(await read()).toBe(pieces * piece.length + (usageFrame + done).length);
  expect(await usageOf(idOf(stalled))).toMatchObject(reported);
  await expectSettled(2n);
  stalled.resume();
  await expect(once(stalled, "end")).rejects.toThrow("aborted");
  expect(await read()).toBeGreaterThan(0);
});

const reported = { outcome: "completed", evidence: "reported", calls: 1, cost_points: "0.000065" };

async function ask(url: string): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${customer.key}`, "content-type": "application/json" };
  const call = request(url + path, { method: "POST", headers, agent: false }).end(body);
  const [response] = (await once(call, "response")) as [IncomingMessage];
  response.on("error", () => {});
  return response;
}

const idOf = ({ headers }: IncomingMessage) => String(headers["x-request-id"]);

function eventOf(key: string): unknown {
  return {
    version: "2.0",
    rawPath: path,
    rawQueryString: "",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    requestContext: { http: { method: "POST", path } },
    body,
    isBase64Encoded: false,
  };
}

const seen = new Map<string, UsageEvent>();

/** The event of a call from the queue, as soon as it is there. */
async function usageOf(id: string): Promise<UsageEvent> {
  const input = { QueueUrl: emulators.usageQueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 };
  for (let looks = 0; looks < 20; looks++) {
    const found = seen.get(id);
    if (found) return found;
    const { Messages = [] } = await emulators.aws("sqs", "ReceiveMessage", input);
    for (const event of Messages.map(({ Body }) => parseUsageEvent(Body ?? ""))) seen.set(event.id, event);
  }
  return expect.fail("the queue has no event of this call");
}

/** Nothing is held any more, and so many calls are charged. */
async function expectSettled(calls = 1n): Promise<void> {
  let item: Meter | undefined;
  for (let looks = 0; looks < 40 && item?.holds.size !== 0; looks++) {
    if (looks > 0) await new Promise((resolve) => setTimeout(resolve, 50));
    item = await createMeterUpkeep(emulators.aws, emulators.tables).readMeter(customer.meter, 0);
  }
  expect(item?.holds.size).toBe(0);
  expect(item?.used).toBe(calls * parsePoints(reported.cost_points));
}
