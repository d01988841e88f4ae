/** What strangers can take of a server: nobody else's room, time or connection (functions/front/README.md). */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { PrincipalCache } from "#shared/calls/access/authenticate.ts";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createLook } from "#shared/calls/gateway/look.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { echo, head, speak, useFronts } from "#test/support/front.ts";
import { chatBody, chatPath, completion, useScenario } from "#test/support/scenario.ts";
import { bodyBounds, bodyCheckMs } from "../../../functions/front/bounds.ts";

const scenario = useScenario();
const fronts = useFronts();
afterEach(() => {
  vi.useRealTimers();
});

/** A front over the whole pipeline, which knows the keys that the front has looked at. */
async function openWhole(options = {}, more: { now?: () => number } = {}) {
  const deps = { ...scenario.memory.deps, keys: new PrincipalCache() };
  const look = createLook(deps);
  scenario.upstream.json(completion);
  return await fronts.open(createPipeline({} as LocalAnswers, deps), options, { look, ...more });
}

const keyed = () => `authorization: Bearer ${scenario.key}`;
const json = "content-type: application/json";

/** A customer's call, whose answer is waited for. */
async function callOf({ port }: { port: number }, body = JSON.stringify(chatBody)): Promise<number> {
  const headers = { ...scenario.bearer(), "content-type": "application/json" };
  const reply = await fetch(`http://127.0.0.1:${port}${chatPath}`, { method: "POST", headers, body });
  await reply.text();
  return reply.status;
}

const largeBody = JSON.stringify({
  ...chatBody,
  messages: [{ role: "user", content: "a".repeat(200_000) }],
});

describe("57 connections without a key that hold back their last byte", () => {
  const declared = `content-length: ${limits.bodyBytesMax}`;
  // Nobody is looked at because time has passed.
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));

  test.each([
    ["no key", [], "40100"],
    ["a key that nobody has", ["authorization: Bearer sk-payg-unknown"], "40101"],
  ])(
    "have %s: each is refused by its head, and customers are served",
    async (_, headers, code) => {
      const front = await openWhole();
      const strangers = await Promise.all(Array.from({ length: 57 }, () => speak(front)));
      for (const stranger of strangers) {
        stranger.send(head(`POST ${chatPath}`, declared, json, ...headers));
        stranger.send(Buffer.alloc(10_000, "a"));
      }
      const refusals = await Promise.all(strangers.map((stranger) => stranger.until("}}")));
      for (const refusal of refusals) expect(refusal).toMatch(new RegExp(`^HTTP/1.1 401 .*"${code}"`, "s"));
      expect(await callOf(front)).toBe(200);
      expect(await callOf(front, largeBody)).toBe(200);
      for (const { socket } of strangers) socket.destroy();
    },
    5_000,
  );

  test("are not told to send their bodies, which a customer is", async () => {
    const front = await openWhole();
    const [stranger, customer] = await Promise.all([speak(front), speak(front)]);
    const asked = [`content-length: ${largeBody.length}`, json, "expect: 100-continue"];
    stranger.send(head(`POST ${chatPath}`, ...asked));
    customer.send(head(`POST ${chatPath}`, ...asked, keyed()));
    expect(await stranger.until("}}")).toMatch(/^HTTP\/1.1 401 /);
    expect(await customer.until("\r\n\r\n")).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    customer.send(largeBody);
    expect(await customer.until('"usage"')).toContain("HTTP/1.1 200 OK");
  });
});

test("a customer's large body costs one read of the key, as a small one does", async () => {
  const find = vi.spyOn(scenario.memory.deps.accounts, "findPrincipal");
  const front = await openWhole();
  expect(await callOf(front, largeBody)).toBe(200);
  expect(find).toHaveBeenCalledTimes(1);
  expect(await callOf(front, largeBody)).toBe(200);
  expect(find).toHaveBeenCalledTimes(1);
});

describe("bodies that come byte by byte", () => {
  let passed = 0;
  beforeEach(() => {
    passed = 0;
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  });
  const pass = async (ms: number) => {
    passed += ms;
    vi.advanceTimersByTime(bodyCheckMs);
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  };
  const start = Date.now();
  const now = () => start + passed;
  const body = JSON.stringify(chatBody);
  /** Sends so many bytes, each by itself. */
  const trickle = async (client: Awaited<ReturnType<typeof speak>>, text: string) => {
    for (const byte of text) await new Promise<void>((resolve) => client.socket.write(byte, () => resolve()));
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  };
  const asked = (...headers: string[]) =>
    head(`POST ${chatPath}`, `content-length: ${body.length}`, json, ...headers);

  test("end after two seconds without a key, and after ten more with one", async () => {
    const front = await openWhole({}, { now });
    const [stranger, customer] = await Promise.all([speak(front), speak(front)]);
    for (const [client, headers] of [
      [stranger, []],
      [customer, [keyed()]],
    ] as const) {
      client.send(asked(...headers));
      await trickle(client, body.slice(0, 10));
    }
    await pass(bodyBounds.strangerBodyMs);
    expect(await stranger.until("}}")).toMatch(/^HTTP\/1.1 401 /);
    await pass(bodyBounds.bodyRateMs);
    const refusal = await customer.until("}}");
    expect(refusal).toMatch(/^HTTP\/1.1 400 .*"The request did not arrive in time\."/s);
    expect(refusal.toLowerCase()).toContain("connection: close");
  });

  test("are served where their key is good and they end in time", async () => {
    const front = await openWhole({}, { now });
    const customer = await speak(front);
    customer.send(asked(keyed()));
    await trickle(customer, body.slice(0, 10));
    await pass(bodyBounds.strangerBodyMs);
    await pass(bodyBounds.bodyRateMs - 1);
    await trickle(customer, body.slice(10));
    expect(await customer.until('"usage"')).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe("connections beyond the most", () => {
  test("close those that have never asked for anything, and leave those that are owed an answer", async () => {
    const { serve } = echo();
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const front = await fronts.open(
      async (request) => {
        if (request.path === "/long") await end;
        return await serve(request);
      },
      { connectionsMax: 8, headMs: 600_000, requestMs: 600_000 },
    );
    const long = await speak(front);
    long.send(head("GET /long"));
    const kept = await speak(front);
    kept.send(head("GET /kept"));
    await kept.until("}");
    const idle = await Promise.all(Array.from({ length: 30 }, () => speak(front)));
    const late = await speak(front);
    late.send(head("GET /late"));
    expect(await late.until("}")).toContain('"/late"');
    resolve();
    expect(await long.until("}")).toContain('"/long"');
    await Promise.all(idle.slice(0, 20).map((client) => client.closed()));
    kept.send(head("GET /again"));
    expect(await kept.until('"/again"')).toContain('"/again"');
  });

  test("close nobody else where all are owed an answer", async () => {
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const { serve } = echo();
    const front = await fronts.open(
      async (request) => {
        await end;
        return await serve(request);
      },
      { connectionsMax: 3 },
    );
    const busy = await Promise.all([speak(front), speak(front), speak(front)]);
    for (const [at, client] of busy.entries()) client.send(head(`GET /${at}`));
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    const late = await speak(front);
    expect(await late.closed()).toBe("");
    resolve();
    for (const [at, client] of busy.entries()) expect(await client.until("}")).toContain(`"/${at}"`);
  });
});
