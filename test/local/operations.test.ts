/**
 * What the gateway answers by itself, over the real stores and the built bundles: keys, models, reports,
 * unknown paths, each in its route's error style.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectLocally } from "#infra/operator/connection.ts";
import { timeOf } from "#shared/base/platform/id.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { balanceOf, type LocalGateway, operator, startLocal } from "#test/support/local.ts";
import { catalogAt, completion, customer, expectCleanAudit, post, providerKey } from "#test/support/money.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

let upstream: Upstream;
let gateway: LocalGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  upstream.json(completion);
  gateway = await startLocal({ catalog: catalogAt(upstream.url), env: providerKey });
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
});

type Json = Record<string, unknown>;

async function ask(
  path: string,
  key?: string,
  init: RequestInit = {},
): Promise<{ status: number; body: Json; headers: Headers }> {
  const headers = key ? { authorization: `Bearer ${key}` } : {};
  const reply = await fetch(gateway.url + path, { ...init, headers });
  return { status: reply.status, body: (await reply.json()) as Json, headers: reply.headers };
}

const create = (key: string, body: object) =>
  ask("/api/v1/keys", key, { method: "POST", body: JSON.stringify(body) });

describe("keys", () => {
  test("create, use, list in pages, revoke", async () => {
    const { key } = await customer(gateway, { points: parsePoints("10") });
    const created = await create(key, { name: "first", billing_mode: "payg", project_id: "p-1" });
    expect(created.status).toBe(200);
    expect(created.body).toMatchObject({
      id: expect.stringMatching(/^key_/),
      object: "api_key",
      key: expect.stringMatching(/^sk-payg-.{49}$/),
      name: "first",
      billing_mode: "payg",
      project_id: "p-1",
      permissions: [],
      limits: null,
      status: "active",
    });
    const secret = String(created.body.key);
    expect(created.body.last_four).toBe(secret.slice(-4));
    expect((await post(gateway.url, secret)).status).toBe(200);

    const firstPage = await ask("/api/v1/keys?limit=1", key);
    expect(firstPage.body).toMatchObject({ object: "list", has_more: true });
    const last = String(firstPage.body.last_id);
    const secondPage = await ask(`/api/v1/keys?limit=1&after=${last}`, key);
    expect(secondPage.body).toMatchObject({ has_more: false, data: [{ id: created.body.id }] });
    expect(JSON.stringify([firstPage.body, secondPage.body])).not.toContain(secret);

    const id = String(created.body.id);
    const revoked = await ask(`/api/v1/keys/${id}`, key, { method: "DELETE" });
    expect(revoked.body).toEqual({ id, object: "api_key", deleted: true });
    expect((await post(gateway.url, secret)).status).toBe(401);
    expect((await ask("/v1/models", secret)).body).toMatchObject({ error: { code: "40101" } });
    expect((await ask(`/api/v1/keys/${id}`, key, { method: "DELETE" })).body).toMatchObject({
      error: { code: 40401 },
    });
  });

  test("no secret is anywhere in the tables", async () => {
    const { aws, tables } = connectLocally(gateway.readyFile);
    const dump = await Promise.all(
      Object.values(tables).map((table) =>
        aws("dynamodb", "Scan", { TableName: table, ConsistentRead: true }),
      ),
    );
    const stored = JSON.stringify(dump);
    for (const secret of Object.values(gateway.keys)) expect(stored).not.toContain(secret);
    expect(stored).not.toContain("sk-payg-");
  });

  test.each<[body: object, status: number, code: number]>([
    [{}, 400, 40000],
    [{ billing_mode: "free" }, 400, 40000],
    [{ billing_mode: "subscription" }, 400, 40000],
    [{ billing_mode: "payg", name: 1 }, 400, 40000],
    [{ billing_mode: "payg", name: "x".repeat(129) }, 400, 40000],
    [{ billing_mode: "payg", name: "half a pair \ud800" }, 400, 40000],
    [{ billing_mode: "payg", project_id: "\udc00" }, 400, 40000],
    [{ billing_mode: "payg", limits: { rpm: 1 } }, 400, 40000],
    [{ billing_mode: "payg", permissions: ["root"] }, 400, 40000],
    [{ billing_mode: "payg", permissions: ["manage_keys"], project_id: "p" }, 400, 40000],
    [{ billing_mode: "payg", expires_at: "2020-01-01T00:00:00Z" }, 400, 40000],
    [{ billing_mode: "payg", expires_at: "tomorrow" }, 400, 40000],
    [{ billing_mode: "payg", surprise: true }, 400, 40000],
    [{ billing_mode: "payg", permissions: ["AVG_V2"] }, 403, 40300],
  ])("creating with %j is %i", async (body, status, code) => {
    const reply = await create(gateway.keys.manager, body);
    expect([reply.status, reply.body]).toMatchObject([status, { error: { code } }]);
  });

  test("keys of another organization do not exist; managing needs the permission", async () => {
    const { key } = await customer(gateway, { points: 1n });
    const foreign = ((await ask("/api/v1/keys", gateway.keys.manager)).body.data as Json[])[0]?.id;
    const reply = await ask(`/api/v1/keys/${foreign}`, key, { method: "DELETE" });
    expect(reply.body).toMatchObject({ error: { code: 40401, type: "not_found_error" } });
    for (const [path, method] of [
      ["/api/v1/keys", "GET"],
      ["/api/v1/keys", "POST"],
      [`/api/v1/keys/${foreign}`, "DELETE"],
    ] as const) {
      expect((await ask(path, gateway.keys.payg, { method })).status).toBe(403);
    }
  });
});

describe("reports", () => {
  test("any range equals the entries in it, for the organization and for a project", async () => {
    const { key } = await customer(gateway, { points: parsePoints("10") });
    const project = String((await create(key, { billing_mode: "payg", project_id: "p-1" })).body.key);
    const ids: string[] = [];
    for (const caller of [key, project, key, project, project]) {
      ids.push((await post(gateway.url, caller)).headers.get("x-request-id") ?? "");
    }
    await expectCleanAudit(gateway);
    const times = ids.map(timeOf);
    const usage = async (caller: string, from: number, to: number) => {
      const query = new URLSearchParams({
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
      });
      return (await ask(`/api/business/v1/customer/usage?${query}`, caller)).body as {
        totals: Json;
        by_model: Json[];
        project_id: string;
      };
    };
    const day = 86_400_000;
    const everything = await usage(key, Date.now() - day, Date.now() + day);
    expect(everything).toMatchObject({
      project_id: "",
      totals: { calls: 5, input_tokens: 50, output_tokens: 20, cost_points: "0.000325" },
    });
    expect(everything.by_model).toEqual([{ model: "test/model-1", ...everything.totals }]);
    expect(await usage(project, Date.now() - day, Date.now() + day)).toMatchObject({
      project_id: "p-1",
      totals: { calls: 3 },
    });
    for (const [index, from] of times.entries()) {
      const until = times.filter((time) => time >= from);
      expect((await usage(key, from, Date.now() + 1)).totals, `from call ${index}`).toMatchObject({
        calls: until.length,
      });
      expect((await usage(key, 0 + Date.now() - day, from)).totals).toMatchObject({
        calls: times.filter((time) => time < from).length,
      });
    }
    expect(await usage(key, 5, 5)).toMatchObject({ by_model: [], totals: { calls: 0, cost_points: "0" } });
  });

  test.each(["today", "week", "month"])("the running %s", async (period) => {
    const { key } = await customer(gateway, { points: parsePoints("10") });
    await (await post(gateway.url, key)).text();
    await expectCleanAudit(gateway);
    expect((await ask(`/api/v1/usage?period=${period}`, key)).body).toMatchObject({ totals: { calls: 1 } });
  });

  test.each(["year", "", "TODAY"])("the period %j is 40002", async (period) => {
    const reply = await ask(`/api/v1/usage?period=${period}`, gateway.keys.payg);
    expect([reply.status, reply.body]).toMatchObject([
      400,
      { error: { code: 40002, type: "invalid_request_error" } },
    ]);
  });

  test.each([
    "",
    "from=2026-11-21T00:00:00Z",
    "from=2026-11-21&to=2026-11-22",
    "from=2026-02-30T00:00:00Z&to=2026-11-22T00:00:00Z",
    "from=2026-11-22T00:00:00Z&to=2026-11-21T00:00:00Z",
    "from=2024-11-21T00:00:00Z&to=2026-11-21T00:00:00Z",
  ])("a range of %j is a problem", async (query) => {
    const reply = await ask(`/api/business/v1/customer/usage?${query}`, gateway.keys.payg);
    expect(reply.status).toBe(400);
    expect(reply.headers.get("content-type")).toBe("application/problem+json");
    expect(reply.body).toMatchObject({
      type: "about:blank",
      title: "Bad Request",
      status: 400,
      errors: expect.arrayContaining([
        expect.objectContaining({ code: 40000, location: expect.stringMatching(/^query\.(from|to)$/) }),
      ]),
    });
  });

  test.each([
    "from=0000-01-01T00:00:00%2B23:00&to=0000-01-02T00:30:00Z",
    "from=1969-12-31T23:30:00Z&to=1970-01-01T00:00:00Z",
    "from=9999-12-31T22:30:00Z&to=9999-12-31T23:30:00-05:00",
  ])("a range of %j, in which nothing can be, is empty", async (query) => {
    const reply = await ask(`/api/business/v1/customer/usage?${query}`, gateway.keys.payg);
    expect([reply.status, reply.body]).toMatchObject([200, { by_model: [], totals: { calls: 0 } }]);
  });

  test("an offset's plus sign is read as meant, encoded or not", async () => {
    for (const plus of ["+", "%2B"]) {
      const reply = await ask(
        `/api/business/v1/customer/usage?from=2026-11-21T00:00:00${plus}08:00&to=2026-11-21T00:00:00Z`,
        gateway.keys.payg,
      );
      expect(reply.body).toMatchObject({ from: "2026-11-20T16:00:00.000Z" });
    }
  });

  test("balance without a wallet is 0; without a key it is a problem", async () => {
    expect(await balanceOf(gateway, gateway.keys.subscription)).toBe("0");
    const reply = await ask("/api/business/v1/customer/balance");
    expect(reply.body).toMatchObject({ status: 401, errors: [{ code: 40100 }] });
  });
});

describe("paths and methods", () => {
  test.each<[method: string, path: string, status: number, body: object]>([
    ["GET", "/v1/none", 404, { error: { code: "40400", type: "not_found_error" } }],
    ["PUT", "/v1/chat/completions", 405, { error: { code: "40500" } }],
    ["PUT", "/v1/messages", 405, { type: "error", error: { type: "invalid_request_error" } }],
    ["GET", "/api/none", 404, { error: { code: 40400 } }],
    ["PATCH", "/api/v1/keys", 405, { error: { code: 40500 } }],
    ["POST", "/api/v3/none", 404, { error: { code: "InvalidEndpointOrModel.NotFound" } }],
    ["GET", "/api/v3/contents/none", 404, { error: { code: "NOT_FOUND" } }],
    ["POST", "/api/v1beta/none", 404, { error: { code: 404, status: "NOT_FOUND" } }],
    ["GET", "/api/business/none", 404, { status: 404 }],
  ])("%s %s is %i in its family's style, without a key", async (method, path, status, body) => {
    const reply = await ask(path, undefined, { method });
    expect(reply.status).toBe(status);
    expect(reply.body).toMatchObject(body);
    expect(reply.headers.get("x-request-id")).toMatch(/^req_/);
  });

  test("a body over the bound is 41300 and an encoded one 41500, over HTTP too", async () => {
    const send = (init: RequestInit) =>
      fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", ...init }).then(
        async (reply) => (await reply.json()) as Json,
      );
    const headers = { authorization: `Bearer ${gateway.keys.payg}`, "content-type": "application/json" };
    expect(await send({ headers, body: " ".repeat(5_600_000) })).toMatchObject({ error: { code: "41300" } });
    expect(await send({ headers: { ...headers, "content-encoding": "compress" }, body: "x" })).toMatchObject({
      error: { code: "41500" },
    });
  });

  test("the public list needs no key, and a wrong one does not matter", async () => {
    for (const key of [undefined, "wrong"]) {
      const { status, body } = await ask("/api/v1/models", key);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        object: "list",
        has_more: false,
        first_id: "test/model-1",
        models: expect.arrayContaining([expect.objectContaining({ name: "models/test/model-1" })]),
      });
    }
  });
});

test("the operator seals the days that are over", async () => {
  const { code, value } = await operator(gateway, "seal");
  expect(code).toBe(0);
  expect(value).toMatchObject({ day: expect.stringMatching(/^20\d\d-\d\d-\d\d$/), failed: 0 });
});

test("the operator refuses what makes no sense, and says why", async () => {
  for (const words of [
    ["org", "show", "org_none"],
    ["org", "freeze", gateway.organizations.payg, gateway.organizations.free],
    ["org", "create"],
    ["org", "create", "--name", ""],
    ["org", "create", "--name", "x", "--period", "yearly"],
    ["org", "create", "--name", "x", "--plan", "none"],
    ["org", "create", "--name", "x", "--points", "-1"],
    ["org", "credit", gateway.organizations.payg, "--points", "1e3", "--reference", "r"],
    ["org", "credit", gateway.organizations.payg, "--points", "0", "--reference", "r"],
    ["org", "credit", gateway.organizations.payg, "--points", `1${"0".repeat(18)}.1`, "--reference", "r"],
    ["org", "grant", gateway.organizations.payg, "EVERYTHING"],
    ["key", "create", "--org", gateway.organizations.payg, "--mode", "free"],
    ["none"],
  ]) {
    const { code, error } = await operator(gateway, ...words);
    expect(code, words.join(" ")).toBe(2);
    expect(error).not.toMatch(/\n\s+at /);
  }
});
