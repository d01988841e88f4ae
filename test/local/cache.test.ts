/** The cache end to end: the gateway on its stores, what a customer is told, and how it is emptied. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalGateway, startLocal } from "#test/support/local.ts";
import { catalogAt, customer, expectCleanAudit, providerKey } from "#test/support/money.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

type Json = Record<string, unknown>;

let upstream: Upstream;
let gateway: LocalGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  const catalog = catalogAt(upstream.url) as { plans: { pro: object } };
  const quota = { monthly: 1_000, quarterly: 1_000, yearly: 1_000 };
  const plans = { ...catalog.plans, pro: { ...catalog.plans.pro, quota, cache: true } };

  gateway = await startLocal({ catalog: { ...catalog, plans }, env: providerKey });
  upstream.json({
    choices: [{ index: 0, message: { role: "assistant", content: "An acid." }, finish_reason: "stop" }],
    usage: { prompt_tokens: 10, completion_tokens: 4 },
  });
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
});

async function send(key: string, method: string, path: string, body?: Json): Promise<[Response, Json]> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const reply = await fetch(gateway.url + path, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  return [reply, (await reply.json()) as Json];
}

const question = (content: string) => ({
  model: "test/model-1",
  temperature: 0,
  messages: [{ role: "user", content }],
});

/** Asks, and gives what the answer says of the cache, and its id. */
async function ask(key: string, content = "What is DNA?"): Promise<{ told: string; id: string }> {
  const [reply] = await send(key, "POST", "/v1/chat/completions", question(content));
  expect(reply.status).toBe(200);
  const { headers } = reply;
  return { told: headers.get("x-gateway-cache") ?? "", id: headers.get("x-request-id") ?? "" };
}

/** The receipt of a call, once it is booked. */
async function receiptOf(key: string, id: string): Promise<Json> {
  const receipt = async () => (await send(key, "GET", `/api/v1/requests/${id}`))[1];
  await expect.poll(async () => (await receipt()).status).toBe("settled");
  return await receipt();
}

test("a hit is billed one call, and its receipt explains it; feedback and a new epoch remove it", async () => {
  const { key } = await customer(gateway, { plan: "pro" });
  const fresh = await ask(key);
  expect(fresh.told).toBe("miss");
  // What is kept is written after the answer has left.
  await expect.poll(async () => (await ask(key)).told).toMatch(/^hit; level=exact/);
  const hit = await ask(key);
  expect(await receiptOf(key, hit.id)).toMatchObject({
    evidence: "cache",
    calls: 1,
    cost_points: "0",
    list_points: "0",
    lines: [],
    provider: null,
    flags: ["cache_exact"],
    cache: { level: "exact", entry: hit.told.split("entry=")[1], saved_points: "0.000065" },
    reason: expect.stringContaining("out of the cache"),
  });
  expect((await ask(key, "what is DNA")).told).toMatch(/^hit; level=canonical/);

  const feedback = { request: hit.id, wrong: true };
  const other = await customer(gateway, { plan: "pro" });
  expect((await send(other.key, "POST", "/api/v1/cache/feedback", feedback))[0].status).toBe(404);
  const missed = { request: fresh.id, wrong: true };
  await receiptOf(key, fresh.id);
  expect((await send(key, "POST", "/api/v1/cache/feedback", missed))[0].status).toBe(400);
  expect((await send(key, "POST", "/api/v1/cache/feedback", feedback))[1]).toMatchObject({ removed: true });
  expect((await send(key, "POST", "/api/v1/cache/feedback", feedback))[1]).toMatchObject({ removed: false });
  expect((await ask(key)).told).toBe("miss");

  expect((await send(key, "DELETE", "/api/v1/cache"))[1]).toMatchObject({
    emptied: true,
    within_seconds: 30,
  });
  await expectCleanAudit(gateway);

  const month = { object: "cache", month: new Date().toISOString().slice(0, 7), project: null };
  const semantic = { lookups: 0, candidates: 0, wrong_share_below: null, switched_off: 0 };
  const shown = async () => (await send(key, "GET", "/api/v1/cache"))[1];
  // The answers that were out of the cache are booked, and then counted.
  await expect.poll(async () => (await shown()).hits).toMatchObject({ canonical: 1 });
  const { hits, saved_points, ...rest } = (await shown()) as {
    hits: { exact: number };
    saved_points: string;
  };
  expect(rest).toMatchObject({ ...month, semantic });
  expect(Number(saved_points)).toBeCloseTo(0.000065 * (hits.exact + 1), 9);
  expect((await send(other.key, "GET", "/api/v1/cache"))[1]).toMatchObject({ saved_points: "0" });
});
