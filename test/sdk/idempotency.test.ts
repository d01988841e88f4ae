/** Repetitions as SDKs make them, against the whole local gateway: billed once, also over a kill −9. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { parsePoints } from "#shared/books/billing/points.ts";
import { balanceOf, type LocalGateway, startLocal } from "#test/support/local.ts";
import { catalogAt, completion, cost, expectCleanAudit, providerKey } from "#test/support/money.ts";
import { delta, done, frame, streamOf } from "#test/support/scenario.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

const messages = [{ role: "user" as const, content: "Hello" }];
const call = { model: "test/model-1", max_tokens: 100, messages };
const { usage } = completion;
const frames = [delta("Hel"), delta("lo"), frame({ id: "c", choices: [], usage }), done];

const dataDir = mkdtempSync(join(tmpdir(), "idempotency-"));
let upstream: Upstream;
let gateway: LocalGateway;
let before: bigint;
let keys = 0;

const start = () => startLocal({ catalog: catalogAt(upstream.url), dataDir, env: providerKey });
const balance = async () => parsePoints(await balanceOf(gateway, gateway.keys.payg));
/** What the calls of a test were charged, once all of them are settled: that comes after their last bytes. */
const charged = async () => {
  await expectCleanAudit(gateway);
  return before - (await balance());
};

beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await start();
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});
beforeEach(async () => {
  upstream.reset();
  before = await balance();
  keys += 1;
});

/** The SDK with a key of this test, and how often it asked; `lose` of its first answers never arrive. */
function sdk(lose = 0): { client: OpenAI; asked: () => number } {
  let asked = 0;
  const client = new OpenAI({
    apiKey: gateway.keys.payg,
    baseURL: `${gateway.url}/v1`,
    defaultHeaders: { "Idempotency-Key": `order-${keys}` },
    async fetch(input, init) {
      asked += 1;
      const reply = await fetch(input, init);
      if (asked > lose) return reply;
      await reply.text();
      throw new TypeError("fetch failed");
    },
  });
  return { client, asked: () => asked };
}

test("an answer that got lost is asked for again by the SDK itself, and billed once", async () => {
  upstream.json(completion);
  const { client, asked } = sdk(1);
  const { data, response } = await client.chat.completions.create(call).withResponse();
  expect(data.choices[0]?.message.content).toBe("Hi");
  expect([asked(), upstream.requests.length, await charged()]).toEqual([2, 1, cost]);
  const replayed = response.headers.get("x-gateway-replayed");
  const receipt = await fetch(`${gateway.url}/api/v1/requests/${replayed}`, {
    headers: { authorization: `Bearer ${gateway.keys.payg}` },
  });
  expect(await receipt.json()).toMatchObject({ id: replayed, model: "test/model-1" });
});

test("a stream that got lost is read whole the second time", async () => {
  upstream.on(streamOf(...frames));
  const { client, asked } = sdk(1);
  const stream = await client.chat.completions.create({ ...call, stream: true });
  let text = "";
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
  expect([text, asked(), upstream.requests.length, await charged()]).toEqual(["Hello", 2, 1, cost]);
});

test("a twin of a running call is a ConflictError that the SDK does not repeat", async () => {
  const sent = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  upstream.on(async (_, response) => {
    sent.resolve();
    await answer.promise;
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(completion));
  });
  const first = sdk().client.chat.completions.create(call);
  const running = first.then(({ choices }) => choices[0]?.message.content);
  await sent.promise;
  const { client, asked } = sdk();
  await expect(client.chat.completions.create(call)).rejects.toThrow(OpenAI.ConflictError);
  expect(asked()).toBe(1);
  answer.resolve();
  expect(await running).toBe("Hi");
  expect([upstream.requests.length, await charged()]).toEqual([1, cost]);
});

test("20 twins at once are one call and one charge", async () => {
  upstream.json(completion);
  const twins = Array.from({ length: 20 }, () =>
    sdk()
      .client.chat.completions.create(call)
      .then(
        () => 200,
        (error: InstanceType<typeof OpenAI.APIError>) => error.status,
      ),
  );
  const statuses = new Set(await Promise.all(twins));
  expect(statuses.has(200)).toBe(true);
  expect([...statuses].filter((status) => status !== 200 && status !== 409)).toEqual([]);
  expect([upstream.requests.length, await charged()]).toEqual([1, cost]);
});

test("who has seen the end before a kill −9 is given it again after it, and pays once", async () => {
  upstream.on(streamOf(...frames));
  const read = async () => {
    const stream = await sdk().client.chat.completions.create({ ...call, stream: true });
    const chunks = await Array.fromAsync(stream);
    return chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("");
  };
  expect(await read()).toBe("Hello");
  await gateway.stop("SIGKILL");
  gateway = await start();
  expect(await read()).toBe("Hello");
  expect([upstream.requests.length, await charged()]).toEqual([1, cost]);
});
