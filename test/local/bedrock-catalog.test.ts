/** `npm start` with the catalog `bedrock`: every model of Bedrock answers in every protocol, and nobody has an account. */
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readCatalog } from "#infra/catalog/catalog-files.ts";
import { defaultCatalog } from "#infra/catalog/default-catalog.ts";
import { least, pathOf, speeches } from "#test/support/crossed.ts";
import { type LocalGateway, startLocal } from "#test/support/local.ts";
import { expectCleanAudit } from "#test/support/money.ts";

const folder = join(defaultCatalog, "../bedrock");
const { providers, models } = readCatalog(folder);
const isBedrock = (name: string) =>
  providers[name]?.auth === "aws_role" && providers[name]?.host === "bedrock";
const served = models.filter(
  ({ capabilities, channels }) =>
    capabilities.includes("chat") && channels.some(({ provider }) => isBedrock(provider)),
);

let gateway: LocalGateway;
beforeAll(async () => {
  // What a developer's machine knows of an account of AWS is not used.
  const strangers = {
    AWS_ACCESS_KEY_ID: "AKIASTRANGER",
    AWS_SECRET_ACCESS_KEY: "stranger",
    AWS_PROFILE: "none",
  };
  const env = { CATALOG: folder, STREAM_WAIT_SCALE: "0.001", ...strangers };
  gateway = await startLocal({ env, args: ["--strict"] });
  // Claude is also at Anthropic, which is asked first.
  const others = new Set(served.flatMap(({ channels }) => channels.map(({ provider }) => provider)));
  for (const name of others)
    if (!isBedrock(name))
      await fetch(`${gateway.endpoints.demoProvider}/weather/${name}`, { method: "PUT", body: "outage" });
});
afterAll(() => gateway?.stop());

test.each(speeches)("a client of %s is answered by each of them, whole and in a stream", async (client) => {
  expect(served.length).toBeGreaterThan(40);
  const wrong: string[] = [];
  const ask = async (model: string, stream: boolean) => {
    const named = client === "gemini" ? {} : { model, stream };
    const reply = await fetch(gateway.url + pathOf(client, model, stream), {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.keys.payg}`, "content-type": "application/json" },
      body: JSON.stringify({ ...named, ...least[client] }),
    });
    const text = await reply.text();
    const provider = reply.headers.get("x-gateway-provider") ?? "";
    const isRight = reply.status === 200 && isBedrock(provider) && text.includes("Hello");
    if (!isRight || /"error":\s*\{/.test(text))
      wrong.push(`${model} ${stream}: ${reply.status} ${provider} ${text}`);
  };
  for (const { id } of served) await Promise.all([ask(id, false), ask(id, true)]);
  expect(wrong).toEqual([]);
});

/** The models with a price of their own for a tier, and each such tier. */
const tiered = served.flatMap(({ id, price }) => {
  const { service_tier = {} } = (price?.rates ?? {}) as { service_tier?: Record<string, unknown> };
  return Object.keys(service_tier).map((tier) => [id, tier] as const);
});

test.each(speeches)("a client of %s is served in the tiers that a model has", async (client) => {
  expect(tiered.length).toBeGreaterThan(20);
  const wrong: string[] = [];
  for (const [model, tier] of tiered) {
    const named = client === "gemini" ? { serviceTier: tier } : { model, service_tier: tier };
    const reply = await fetch(gateway.url + pathOf(client, model, false), {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.keys.payg}`, "content-type": "application/json" },
      body: JSON.stringify({ ...named, ...least[client] }),
    });
    const text = await reply.text();
    const tells = new RegExp(`"service_?[tT]ier":"${tier}"`).test(text);
    if (reply.status !== 200 || !tells || reply.headers.get("x-gateway-dropped") !== null)
      wrong.push(`${model} ${tier}: ${reply.status} ${text}`);
  }
  expect(wrong).toEqual([]);
});

test("tokens are counted for each of them, and the books balance", async () => {
  for (const { id } of served) {
    const { messages } = least.anthropic;
    const reply = await fetch(`${gateway.url}/v1/messages/count_tokens`, {
      method: "POST",
      headers: { "x-api-key": gateway.keys.payg, "content-type": "application/json" },
      body: JSON.stringify({ model: id, messages }),
    });
    expect([
      id,
      reply.status,
      Number(((await reply.json()) as { input_tokens: number }).input_tokens) > 0,
    ]).toEqual([...[id, 200, true]]);
  }
  await expectCleanAudit(gateway);
});
