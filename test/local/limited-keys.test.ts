/** Limited keys and changing plans end to end: the operator and the key routes, over the built bundles. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { wholeAnswers } from "#test/support/answers.ts";
import { crossedCatalog } from "#test/support/crossed.ts";
import { type LocalGateway, operator, startLocal } from "#test/support/local.ts";
import { completion, expectCleanAudit, post, providerKey } from "#test/support/money.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

const folder = mkdtempSync(join(tmpdir(), "limited-keys-"));
const catalogFile = join(folder, "catalog.json");
let upstream: Upstream;
let gateway: LocalGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  upstream.json(completion);
  const plan = (calls: number, rpm: number) => ({
    quota: { monthly: calls, quarterly: calls + 1, yearly: calls + 2 },
    rpm,
    tpm: null,
    tpd: 100_000,
    price: { monthly: "0", quarterly: "0", yearly: "0" },
  });
  const catalog = {
    ...(crossedCatalog(upstream.url) as object),
    plans: { small: plan(9, 5), large: plan(90, 50) },
  };
  writeFileSync(catalogFile, JSON.stringify(catalog));
  // The demo's organizations ask for plans of the default catalog.
  const named = { ...catalog, plans: { ...catalog.plans, free: plan(9, 5), pro: plan(90, 50) } };
  const env = { ...providerKey, OPENAI_API_KEY: "upstream-secret" };
  gateway = await startLocal({ catalog: named, env });
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const operate = (...words: string[]) => operator(gateway, ...words, "--catalog", catalogFile);

async function newOrganization(): Promise<string> {
  const { value } = await operate("org", "create", "--name", "Test", "--plan", "small", "--points", "10");
  return String(value.id);
}

/** A new key, which no running gateway has in its cache yet. */
async function newKey(organization: string, ...flags: string[]): Promise<string> {
  const mode = ["key", "create", "--org", organization, "--mode", "subscription"];
  return String((await operate(...mode, ...flags)).value.key);
}

describe("a key's limits", () => {
  test("are given by the operator, shown, and kept", async () => {
    const organization = await newOrganization();
    const key = ["key", "create", "--org", organization, "--mode"];
    const { value } = await operate(
      ...key,
      "subscription",
      "--rpm",
      "1",
      "--tpd",
      "100000",
      "--max-concurrency",
      "7",
    );
    expect(value.limits).toEqual({ rpm: 1, tpd: 100_000, max_concurrency: 7 });
    const secret = String(value.key);
    expect((await post(gateway.url, secret)).status).toBe(200);
    const refused = await post(gateway.url, secret);
    expect([refused.status, await refused.text()]).toEqual([
      429,
      expect.stringContaining("key's limit of 1 requests"),
    ]);
    for (const [flags, why] of [
      [["subscription", "--rpm", "6"], "at most the plan's 5"],
      [["subscription", "--rpm", "0"], "--rpm takes a whole number from 1 on"],
      [["subscription", "--max-concurrency", "many"], "--max-concurrency takes a whole number from 1 on"],
      [["payg", "--rpm", "1"], "pay-as-you-go"],
    ] as const) {
      const { code, error } = await operate(...key, ...flags);
      expect([code, error]).toEqual([2, expect.stringContaining(why)]);
    }
  });

  test("a wish of the cache is given by the operator or over HTTP, shown and kept, on subscriptions alone", async () => {
    const organization = await newOrganization();
    const key = ["key", "create", "--org", organization, "--mode"];
    const { value } = await operate(...key, "subscription", "--cache", "semantic", "--manage-keys");
    expect(value.cache).toBe("semantic");
    expect((await operate(...key, "payg", "--cache", "exact")).error).toContain("pay-as-you-go");
    const send = async (method: string, body?: object) => {
      const headers = { authorization: `Bearer ${value.key}` };
      const reply = await fetch(`${gateway.url}/api/v1/keys`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
      return (await reply.json()) as { cache?: string; error?: object; data?: { cache: string | null }[] };
    };
    for (const cache of ["off", "exact", undefined]) {
      const created = await send("POST", { billing_mode: "subscription", cache });
      expect(created.cache).toBe(cache ?? null);
    }
    for (const body of [
      { billing_mode: "subscription", cache: "auto" },
      { billing_mode: "payg", cache: "off" },
    ]) {
      expect((await send("POST", body)).error).toMatchObject({
        code: 40000,
        message: expect.stringContaining("`cache`"),
      });
    }
    const kept = (await send("GET")).data?.map(({ cache }) => cache);
    expect(kept).toEqual(["semantic", "off", "exact", null]);
  });

  test.each<[mode: string, limits: unknown, param: string | undefined]>([
    ["subscription", { rpm: 5, tpm: 1_000_000_000, tpd: 100_000, max_concurrency: 10_000 }, undefined],
    ["subscription", { rpm: null }, undefined],
    ["payg", { max_concurrency: 1 }, undefined],
    ["subscription", { rpm: 6 }, "limits.rpm"],
    ["subscription", { tpd: 100_001 }, "limits.tpd"],
    ["subscription", { tpm: 0 }, "limits.tpm"],
    ["subscription", { rpm: 1.5 }, "limits.rpm"],
    ["subscription", { rpm: "1" }, "limits.rpm"],
    ["subscription", { max_concurrency: 10_001 }, "limits.max_concurrency"],
    ["payg", { max_concurrency: 0 }, "limits.max_concurrency"],
    ["payg", { rpm: 1 }, "limits.rpm"],
    ["payg", { tpd: 1, max_concurrency: 1 }, "limits.tpd"],
    ["subscription", { surprise: 1 }, "limits.surprise"],
    ["subscription", [1], "limits"],
  ])("over HTTP, of a %s key: %j", async (mode, limits, param) => {
    manager ??= await newKey(await newOrganization(), "--manage-keys");
    const reply = await fetch(`${gateway.url}/api/v1/keys`, {
      method: "POST",
      headers: { authorization: `Bearer ${manager}` },
      body: JSON.stringify({ billing_mode: mode, limits }),
    });
    const body = (await reply.json()) as { limits?: object; error?: { message: string } };
    expect(reply.status).toBe(param === undefined ? 200 : 400);
    if (param === undefined) expect(body.limits ?? { rpm: null }).toEqual(limits);
    else expect(body.error?.message).toContain(`\`${param}\``);
  });
  let manager: string | undefined;
});

test("a plan changes, ends and is renewed by the operator, and the next new key sees it", async () => {
  const organization = await newOrganization();
  const change = async (...words: string[]) => (await operate("org", ...words)).value.subscription as object;
  const limit = async () =>
    (await post(gateway.url, await newKey(organization))).headers.get("x-ratelimit-limit-requests");
  expect(await limit()).toBe("5");
  expect(await change("plan", organization, "--plan", "large")).toMatchObject({ plan: "large", next: null });
  expect(await limit()).toBe("50");
  const due = { plan: "small", period: "yearly", from: expect.stringMatching(/T00:00:00\.000Z$/) };
  expect(await change("plan", organization, "--plan", "small", "--period", "yearly")).toMatchObject({
    plan: "large",
    period: "monthly",
    next: due,
  });
  expect(await limit()).toBe("50");
  expect(await change("lapse", organization, "--at", "2040-01-01T00:00:00+08:00")).toMatchObject({
    ends_at: "2039-12-31T16:00:00.000Z",
  });
  expect(await limit()).toBe("50");
  await change("lapse", organization);
  const lapsed = await post(gateway.url, await newKey(organization));
  expect([lapsed.status, await lapsed.json()]).toMatchObject([402, { error: { code: "40202" } }]);
  expect(await change("renew", organization)).toMatchObject({ ends_at: null, next: due });
  expect(await limit()).toBe("50");
  for (const words of [
    ["plan", organization, "--plan", "none"],
    ["plan", organization, "--plan", "large", "--period", "weekly"],
    ["lapse", organization, "--at", "tomorrow"],
    ["renew", gateway.organizations.payg],
  ]) {
    expect((await operate("org", ...words)).code, words.join(" ")).toBe(2);
  }
  await expectCleanAudit(gateway);
});

test("a key's defaults hold from its first call on, and a change of them from its next one", async () => {
  const ask = async (key: string, method: string, path: string, body: object, headers = {}) => {
    const reply = await fetch(gateway.url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    const json = (await reply.json()) as Record<string, unknown>;
    return { status: reply.status, json, dropped: reply.headers.get("x-gateway-dropped") };
  };
  upstream.json(wholeAnswers.openai);
  const { manager } = gateway.keys;
  const wanted = { billing_mode: "payg", defaults: { allow_drop: ["tools"] } };
  const made = (await ask(manager, "POST", "/api/v1/keys", wanted)).json;
  expect(made.defaults).toEqual(wanted.defaults);
  const search = { model: "openai/model-1", input: "Hello", tools: [{ type: "web_search" }] };
  const call = async (headers = {}) => {
    const { status, dropped } = await ask(String(made.key), "POST", "/v1/responses", search, headers);
    return [status, dropped];
  };
  expect(await call()).toEqual([200, "tools.web_search"]);
  expect(await call({ "x-gateway-allow-drop": "none" })).toEqual([400, null]);
  const path = `/api/v1/keys/${String(made.id)}`;
  const changed = { defaults: { allow_drop: null, cache_points: "off" } };
  expect((await ask(String(made.key), "PATCH", path, changed)).status).toBe(403);
  const { json } = await ask(manager, "PATCH", path, changed);
  expect(json).toMatchObject({ id: made.id, defaults: { cache_points: "off" } });
  expect(await call()).toEqual([400, null]);
  await expectCleanAudit(gateway);
});
