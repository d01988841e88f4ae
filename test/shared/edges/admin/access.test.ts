/**
 * Who may ask which route of the operators' API: every row × every kind of credential. And a token of operators opens no
 * route of a customer: every row of the console, and SCIM.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { newApiKey } from "#shared/base/platform/api-key.ts";
import { dayMs } from "#shared/books/billing/period.ts";
import { isAdmin } from "#shared/edges/admin/path.ts";
import type { AdminRoute } from "#shared/edges/admin/route.ts";
import { adminRoutes } from "#shared/edges/admin/routes.ts";
import type { ConsoleAnswers, ConsoleRequest } from "#shared/edges/console/call.ts";
import { scimAnswers } from "#shared/edges/console/operations/scim.ts";
import type { ScimDeps } from "#shared/edges/console/operations/scim-deps.ts";
import { createConsole } from "#shared/edges/console/pipeline.ts";
import type { ConsoleRoute } from "#shared/edges/console/route.ts";
import { consoleRoutes } from "#shared/edges/console/routes.ts";
import { createScim } from "#shared/edges/console/scim.ts";
import { revokeAdminToken } from "#shared/edges/operator/admin-tokens.ts";
import { createCallers } from "#shared/edges/store/identity/callers.ts";
import { adminLimits } from "#shared/people/admin/bounds.ts";
import { type AdminScope, adminScopes } from "#shared/people/admin/token.ts";
import { identify } from "#shared/people/identity/identify.ts";
import { newDirectoryToken } from "#shared/people/scim/token.ts";
import { openAdmin } from "#test/support/admin.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const rows: readonly AdminRoute[] = adminRoutes;
const named = rows.map((row): [string, AdminRoute] => [`${row.method} ${row.path}`, row]);
const asked = ({ method, path }: AdminRoute) => `${method} ${path.replaceAll(/\{\w+\}/g, "x")}`;

type Open = ReturnType<typeof openAdmin>;
let open: Open;
/** Every credential that is no token of operators, as bearer; undefined for none. */
let strangers: Record<string, string | undefined>;
beforeAll(async () => {
  open = openAdmin(db);
  const { desk } = open;
  const acme = await desk.newOrganization();
  const owner = await desk.newMember(acme, "owner");
  const scim = newDirectoryToken(acme.id, desk.clock.now);
  const key = await desk.ask([owner, acme], "POST /api/v1/keys", { name: "k", billing_mode: "payg" });
  const gone = await open.tokenOf(["finance", "support", "ops"]);
  await revokeAdminToken(gone.id, "operator", { tokens: open.tokens, now: desk.deps.now });
  const [stored] = await open.tokens.all();
  const good = await open.tokenOf(["read"]);
  strangers = {
    nothing: undefined,
    "a customer's key": String(key.body.key),
    "a key of a subscription": newApiKey("subscription").secret,
    "an owner's session": await owner.token(acme),
    "a token of SCIM": scim.text,
    "a revoked token": gone.token,
    "the hash of a token": stored?.hash ?? "",
    "the id of a token": good.id,
    "a token with another secret": good.token.slice(0, -43) + gone.token.slice(-43),
    "a text that is none": "gwadmin_",
  };
});

test("the table has rows, no operation is in it twice, and all of them lie below one path", () => {
  expect(rows.length).toBeGreaterThan(20);
  expect(new Set(rows.map(({ operation }) => operation)).size).toBe(rows.length);
  expect(rows.every(isAdmin)).toBe(true);
  expect((consoleRoutes as readonly ConsoleRoute[]).some(isAdmin)).toBe(false);
});

describe.each(named)("%s", (_, row) => {
  test("is opened by no credential of a customer, and by no token that is not in force", async () => {
    for (const [what, bearer] of Object.entries(strangers)) {
      const { status, body } = await open.ask(bearer, asked(row), { body: row.method === "POST" ? {} : "" });
      expect([what, status, body.error.code]).toEqual([what, 401, 40100]);
    }
  });

  test("looks at no cookie, and at no other header", async () => {
    const { token } = await open.tokenOf([...adminScopes]);
    for (const headers of [
      { cookie: `__Host-session=${token}; token=${token}` },
      { "x-api-key": token },
      { "x-goog-api-key": token },
      { authorization: token },
      { authorization: `Basic ${token}` },
      { authorization: `Bearer ${token} ${token}` },
    ]) {
      const { status, body } = await open.ask(undefined, asked(row), { headers });
      expect([headers, status, body.error.code]).toEqual([headers, 401, 40100]);
    }
  });

  test("is open to the scope that its row says", async () => {
    for (const scope of adminScopes) {
      const { token } = await open.tokenOf([scope as AdminScope]);
      const { status, body } = await open.ask(token, asked(row), { body: row.method === "POST" ? {} : "" });
      const may = row.scope === "read" || row.scope === scope;
      if (may) expect([scope, status === 401 || status === 403 || status >= 500]).toEqual([scope, false]);
      else expect([scope, status, body.error.code]).toEqual([scope, 403, 40300]);
    }
  });
});

test("each request leaves one line with who, where and what became of it, and never a token", async () => {
  const { desk, ask, tokenOf, lines } = openAdmin(db);
  const { id, token } = await tokenOf(["read"]);
  const acme = await desk.newOrganization();
  const told = async (bearer: string | undefined, route: string) => {
    lines.length = 0;
    await ask(bearer, route, { body: route.startsWith("POST") ? {} : "" });
    return lines.filter(({ event }) => event === "admin_request").map(({ fields }) => fields);
  };
  const [path, ip] = ["/api/admin/v1/organizations/{id}", "203.0.113.7"];
  const common = { request: expect.stringMatching(/^req_/), ip };
  expect(await told(token, `GET /organizations/${acme.id}`)).toEqual([
    { ...common, route: path, operation: "show_organization", token: id, organization: acme.id, status: 200 },
  ]);
  const { id: organization } = acme;
  const credits = { ...common, route: `${path}/credits`, operation: "credit_organization", organization };
  const wrong = `${token.slice(0, -43)}${"x".repeat(43)}`;
  const credit = `POST /organizations/${acme.id}/credits`;
  expect(await told(token, credit)).toEqual([{ ...credits, token: id, status: 403 }]);
  expect(await told(wrong, credit)).toEqual([{ ...credits, token: id, status: 401 }]);
  expect(await told("sk-x", credit)).toEqual([{ ...credits, status: 401 }]);
  expect(await told(undefined, "GET /nothing")).toEqual([{ ...common, status: 404 }]);
  const odd = { ...common, route: path, operation: "show_organization", token: id, status: 404 };
  expect(await told(token, "GET /organizations/a%0Ab")).toEqual([odd]);
  for (let n = 3; n < adminLimits.callsAMinuteMax; n++) await ask(token, "GET /token");
  expect(await told(token, "GET /token")).toMatchObject([{ token: id, status: 429 }]);
});

test("a token ends by itself, and by a revocation with the next request", async () => {
  const { desk, ask, tokenOf, tokens } = openAdmin(db);
  const [one, other] = [await tokenOf(["read"]), await tokenOf(["read"])];
  const status = async (token: string) => (await ask(token, "GET /token")).status;
  expect([await status(one.token), await status(other.token)]).toEqual([200, 200]);
  await revokeAdminToken(one.id, "operator", { tokens, now: desk.deps.now });
  expect([await status(one.token), await status(other.token)]).toEqual([401, 200]);
  desk.clock.now += 30 * dayMs;
  expect(await status(other.token)).toBe(401);
});

test("a token's name shows customers no address, and all of it", async () => {
  const { tokenOf } = openAdmin(db);
  for (const [name, said] of [
    ["ann@example.com", "no @"],
    ["Ann\u2028Bob", "visible"],
    ["Ann\u202e", "visible"],
    ["A\ud800", "visible"],
  ] as const)
    await expect(tokenOf(["read"], "ann@example.com", name)).rejects.toThrow(said);
});

test("lists that read a whole table are few a minute, and nothing else is in their way", async () => {
  const { desk, ask, tokenOf } = openAdmin(db);
  const [one, other] = [await tokenOf(["read"]), await tokenOf(["read"])];
  const lists = ["GET /organizations", "GET /orders/in-review"];
  const list = async (n: number, { token } = one) => await ask(token, lists[n % 2] ?? "");
  for (let n = 0; n < adminLimits.scansAMinuteMax; n++) expect((await list(n)).status).toBe(200);
  for (let n = 0; n < 2; n++) {
    const { status, body } = await list(n);
    expect([status, body.error.code, body.error.message]).toEqual([
      429,
      42901,
      expect.stringContaining("whole"),
    ]);
  }
  expect((await ask(one.token, "GET /token")).status).toBe(200);
  expect((await list(0, other)).status).toBe(200);
  desk.clock.now += 60_000;
  expect((await list(0)).status).toBe(200);
});

test("a token makes so many calls a minute, and another one is not in its way", async () => {
  const { desk, ask, tokenOf } = openAdmin(db);
  const [one, other] = [await tokenOf(["read"]), await tokenOf(["read"])];
  for (let n = 0; n < adminLimits.callsAMinuteMax; n++)
    expect((await ask(one.token, "GET /token")).status).toBe(200);
  const refused = await ask(one.token, "GET /token");
  expect([refused.status, refused.body.error.code]).toEqual([429, 42901]);
  expect((await ask(other.token, "GET /token")).status).toBe(200);
  desk.clock.now += 60_000;
  expect((await ask(one.token, "GET /token")).status).toBe(200);
});

test("an unknown path is 40400, another method 40500, and no answer may be kept or read by another origin", async () => {
  const { ask, tokenOf } = openAdmin(db);
  const { token } = await tokenOf(["read"]);
  expect((await ask(token, "GET /nothing")).body.error.code).toBe(40400);
  expect((await ask(token, "GET /api/admin/v2/token")).body.error.code).toBe(40400);
  const { status, headers, body } = await ask(token, "POST /token");
  expect([status, body.error.code, headers.allow]).toEqual([405, 40500, "GET"]);
  const good = await ask(token, "GET /token", { headers: { origin: "https://evil.example" } });
  expect(good.headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
  expect(Object.keys(good.headers).filter((name) => /access-control|set-cookie/.test(name))).toEqual([]);
});

describe("a token of operators at a customer's door", () => {
  const closed = (consoleRoutes as readonly ConsoleRoute[]).filter(
    ({ access }) => access !== "public" && access !== "cookie",
  );

  test.each(closed.map((row) => [`${row.method} ${row.path}`, row] as const))(
    "%s has no session for it",
    async (_, row) => {
      const { desk } = open;
      const { token } = await open.tokenOf([...adminScopes]);
      const callers = createCallers(db.aws, db.tables);
      const serve = createConsole({} as ConsoleAnswers, {
        log: () => {},
        identify: (request) => identify(request, { keys: desk.deps.keys, callers, now: desk.deps.now }),
        asset: async () => undefined,
      });
      const reply = await serve(requestOf(row.method, row.path, token));
      expect([reply.status, JSON.parse(String(reply.body)).error.code]).toEqual([401, 40103]);
    },
  );

  test.each(["GET /Users", "POST /Users", "PATCH /Users/x", "GET /Groups", "GET /Schemas"])(
    "SCIM's %s refuses it",
    async (route) => {
      const { desk } = open;
      const { token } = await open.tokenOf([...adminScopes]);
      const deps = { ...desk.deps, directories: desk.deps.directories } as unknown as ScimDeps;
      const [method = "", path = ""] = route.split(" ");
      const reply = await createScim(scimAnswers(deps), deps)(requestOf(method, `/scim/v2${path}`, token));
      expect(reply.status).toBe(401);
    },
  );
});

function requestOf(method: string, path: string, token: string): ConsoleRequest {
  const { now } = open.desk.clock;
  return {
    ...{ id: "req_1", method, path: path.replaceAll(/\{\w+\}/g, "x"), query: new URLSearchParams() },
    ...{ headers: { authorization: `Bearer ${token}` }, body: Buffer.alloc(0), ip: "203.0.113.7" },
    ...{ received_at: now, deadline_at: now + 30_000 },
  };
}
