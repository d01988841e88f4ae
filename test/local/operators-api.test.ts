/**
 * The operators' API of `npm start`, over HTTP. The command makes tokens, and every operation answers as its document says.
 * Two persons book a large credit, and the books hold. No credential of a customer opens a route, and no token one of theirs.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { routes } from "#shared/base/http/routes.ts";
import { newDirectoryToken } from "#shared/people/scim/token.ts";
import { closeMonthBeforeLast } from "#test/support/closing.ts";
import { type LocalGateway, operator, startLocal } from "#test/support/local.ts";
import { customer, expectCleanAudit } from "#test/support/money.ts";
import { adminDocument, exampleOf, expectDocumented, type Operation } from "#test/support/openapi.ts";

const { documented, openApi } = adminDocument;

let gateway: LocalGateway;
let acme: { id: string; key: string };
let tokens: Record<"ann" | "bob" | "reader", string>;
beforeAll(async () => {
  gateway = await startLocal();
  acme = await customer(gateway, { points: 10n * 10n ** 18n });
  const make = async (name: string, scope: string) => {
    const flags = ["--name", name, "--for", `${name}@example.com`, "--scope", scope, "--days", "1"];
    return String((await operator(gateway, "token", "make", ...flags)).value.token);
  };
  tokens = {
    ann: await make("ann", "finance"),
    bob: await make("bob", "finance,support"),
    reader: await make("reader", "read"),
  };
});
afterAll(() => gateway?.stop());

// biome-ignore lint/suspicious/noExplicitAny: tests look at fields that they know.
type Body = any;
const answered = new Set<string>();

interface Asking {
  token?: string;
  id?: string;
  key?: string;
  query?: string;
  body?: object | undefined;
  headers?: Record<string, string>;
}

const operationOf = (name: string): Operation => {
  const found = documented.find(({ operationId }) => operationId === name);
  if (!found) throw new Error(`the document has no ${name}`);
  return found;
};

async function send(
  { method, path }: Operation,
  { token, id = "x", key = "x", query = "", body, headers }: Asking,
) {
  return await fetch(`${gateway.console_url}${path.replace("{key}", key).replace(/\{\w+\}/, id)}${query}`, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { "content-type": "application/json", "idempotency-key": crypto.randomUUID() }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
}

/** Asks an operation as its document says, which must answer with this status. */
async function ask(name: string, status: number, asking: Asking = {}): Promise<Body> {
  const operation = operationOf(name);
  const response = await send(operation, { token: tokens.ann, ...asking });
  expect([name, response.status, response.ok ? "" : await response.clone().text()]).toEqual([
    name,
    status,
    response.ok ? "" : expect.any(String),
  ]);
  if (response.ok) answered.add(name);
  return await expectDocumented(operation, response, adminDocument);
}

test("operators read what their commands print", async () => {
  const { id } = acme;
  await operator(gateway, "project", "create", "--org", id, "--name", "Search");
  expect((await ask("showOwnToken", 200, { token: tokens.reader })).scopes).toBe("read");
  const named = await ask("listOrganizations", 200, { query: "?limit=50" });
  const listed = (await operator(gateway, "org", "list")).value as Body;
  expect(named.data).toEqual(listed.organizations);
  expect(await ask("showOrganization", 200, { id })).toEqual(
    (await operator(gateway, "org", "show", id)).value,
  );
  expect((await ask("listKeys", 200, { id })).data).toEqual(
    (await operator(gateway, "key", "list", "--org", id)).value,
  );
  expect((await ask("listProjects", 200, { id })).data).toEqual(
    (await operator(gateway, "project", "list", "--org", id)).value,
  );
  expect((await ask("listCredits", 200, { id })).data).toEqual(
    ((await operator(gateway, "org", "credits", id)).value as Body).credits,
  );
  for (const name of ["listOrders", "listInvoices"]) expect((await ask(name, 200, { id })).data).toEqual([]);
  expect((await ask("listAuditLog", 200, { id })).data).toMatchObject([{ kind: "project_created" }, {}]);
  expect((await ask("listReviews", 200)).data).toEqual([]);
  expect((await ask("listWaitingInvoices", 200)).data).toEqual([]);
  await ask("showOrder", 404);
  await ask("showInvoice", 404);
  const { data: channels } = await ask("listChannels", 200, { query: "?model=demo/three-ways" });
  expect(channels).toHaveLength(3);
  expect((await ask("showChannel", 200, { id: channels[0].id })).channels).toHaveLength(1);
  const { data: models } = await ask("listModels", 200, { query: "?like=three-ways" });
  expect(models).toMatchObject([{ model: "demo/three-ways" }]);
  await ask("showModel", 200, { id: encodeURIComponent("demo/three-ways") });
});

test("a closed month shows what its command shows", async () => {
  const { outcome, month } = await closeMonthBeforeLast(gateway);
  const { data } = await ask("listMonths", 200);
  expect(data).toEqual((await operator(gateway, "month", "list")).value);
  expect(data).toMatchObject([{ month, sha256: outcome.sha256 }]);
  const { signed_text, sha256, signature, public_key, ...summary } = await ask("showMonth", 200, {
    id: month,
  });
  expect(summary).toEqual(outcome.summary);
  const shown = (await operator(gateway, "month", "show", month)).value;
  expect(shown).toEqual({ month, summary: signed_text, sha256, signature, public_key });
});

test("a small credit is booked, a large one by two persons, and the books hold", async () => {
  const { id } = acme;
  const reason = "ticket 4711";
  const small = { points: "5", reference: "small", reason };
  const dry = await ask("creditOrganization", 200, { id, body: small, query: "?dry_run=true" });
  expect(dry).toMatchObject({
    object: "dry_run",
    would: "book",
    balance_points: "10",
    balance_points_after: "15",
  });
  expect((await ask("creditOrganization", 200, { id, body: small })).credit).toMatchObject({
    points: "5",
    booked: true,
  });
  await ask("creditOrganization", 403, { id, body: small, token: tokens.reader });
  await ask("creditOrganization", 400, { id, body: { ...small, meter: "mtr_1" } });
  const large = { points: "1000.5", reference: "large", reason };
  const proposal = await ask("creditOrganization", 202, { id, body: large });
  expect(proposal).toMatchObject({ state: "open", proposed_by: { person: "ann@example.com" } });
  await ask("confirmProposal", 409, { id: proposal.id, body: { reason } });
  const confirmed = await ask("confirmProposal", 200, {
    id: proposal.id,
    body: { reason },
    token: tokens.bob,
  });
  expect(confirmed.organization.wallet.balance_points).toBe("1015.5");
  await ask("showProposal", 200, { id: proposal.id, token: tokens.reader });
  const other = await ask("creditOrganization", 202, { id, body: { ...large, reference: "other" } });
  await ask("refuseProposal", 200, { id: other.id, body: { reason }, token: tokens.bob });
  expect((await ask("listProposals", 200)).data).toMatchObject([
    { state: "refused" },
    { state: "confirmed" },
  ]);
  const { data } = await ask("listAuditLog", 200, { id });
  expect(data.slice(0, 2)).toMatchObject([
    { kind: "points_credited", actor: { id: "operator", name: "bob" }, after: { reference: "large" } },
    {
      kind: "points_credited",
      actor: { id: "operator", name: "ann" },
      after: { reference: "small", reason },
    },
  ]);
  await expectCleanAudit(gateway);
});

test("a key is refused, let in again and refused for good, as its next calls feel", async () => {
  const { id, key: secret } = await customer(gateway, { points: 10n * 10n ** 18n });
  const [{ id: key }] = (await operator(gateway, "key", "list", "--org", id)).value as Body;
  const call = async () =>
    (
      await fetch(`${gateway.url}/api/business/v1/customer/balance`, {
        headers: { authorization: `Bearer ${secret}` },
      })
    ).status;
  const body = { reason: "leaked" };
  for (const [name, status] of [
    ["disableKey", 401],
    ["enableKey", 200],
    ["revokeKey", 401],
  ] as const) {
    await ask(name, 403, { id, key, body });
    expect((await ask(name, 200, { id, key, body, token: tokens.bob })).id).toBe(key);
    expect([name, await call()]).toEqual([name, status]);
  }
  await ask("enableKey", 404, { id, key, body, token: tokens.bob });
});

test("every operation has answered, but for those of orders and invoices, of which there are none", () => {
  const left = documented.map(({ operationId }) => operationId).filter((name) => !answered.has(name));
  const others = ["issueInvoice", "rejectInvoice", "reviewOrder", "showInvoice", "showOrder"];
  expect(left.toSorted()).toEqual(others);
});

test.each(documented.map((each) => [each.operationId, each] as const))(
  "%s refuses who has no token of operators, as the document says",
  async (_, operation) => {
    const body = exampleOf(operation);
    const scim = newDirectoryToken(acme.id, Date.now()).text;
    for (const token of [undefined, acme.key, scim, "eyJ.eyJ.x", "gwadmin_x"]) {
      const response = await send(operation, { ...(token !== undefined && { token }), body });
      const refused = (await expectDocumented(operation, response, adminDocument)) as Body;
      expect([token, response.status, refused.error.code]).toEqual([token, 401, 40100]);
    }
    const cookie = { cookie: `__Host-session=${tokens.ann}`, "sec-fetch-site": "same-origin" };
    expect((await send(operation, { body, headers: cookie })).status).toBe(401);
  },
);

test("a token of operators opens no route of the gateway that nobody's request opens", async () => {
  const statuses = async (headers: Record<string, string>) =>
    await Promise.all(
      routes.map(async ({ method, path }) => {
        const url = `${gateway.url}${path.replaceAll(/\{\w+\}/g, "x")}`;
        const body = method === "GET" ? {} : { body: "{}" };
        const type = { "content-type": "application/json" };
        const response = await fetch(url, { method, headers: { ...type, ...headers }, ...body });
        await response.text();
        return `${method} ${path} ${response.status}`;
      }),
    );
  const anybody = await statuses({});
  expect(anybody.filter((line) => line.endsWith(" 401")).length).toBeGreaterThan(40);
  expect(await statuses({ authorization: `Bearer ${tokens.ann}` })).toEqual(anybody);
  expect(await statuses({ "x-api-key": tokens.ann })).toEqual(anybody);
});

test("a revoked token is refused with its next request", async () => {
  const own = await ask("showOwnToken", 200, { token: tokens.reader });
  const { value } = await operator(gateway, "token", "revoke", own.id);
  expect(value).toMatchObject({ id: own.id, state: "revoked" });
  await ask("showOwnToken", 401, { token: tokens.reader });
  const listed = JSON.stringify((await operator(gateway, "token", "list")).value);
  expect(listed).toContain(own.id);
  for (const token of Object.values(tokens)) expect(listed).not.toContain(token.slice(-43));
});

test("the served document is the kept one", async () => {
  const response = await fetch(`${gateway.console_url}/admin-openapi.json`);
  expect([response.status, await response.json()]).toEqual([200, openApi]);
});

test.each([
  ["no days", ["--name", "x", "--for", "x@example.com", "--scope", "read"], "--days is needed"],
  [
    "too many days",
    ["--name", "x", "--for", "x@example.com", "--scope", "read", "--days", "91"],
    "--days takes 1 to 90",
  ],
  [
    "an unknown scope",
    ["--name", "x", "--for", "x@example.com", "--scope", "all", "--days", "1"],
    "--scope must be one of",
  ],
  ["no person", ["--name", "x", "--for", "x", "--scope", "read", "--days", "1"], "e-mail address"],
  [
    "an address as the name",
    ["--name", "x@example.com", "--for", "x@example.com", "--scope", "read", "--days", "1"],
    "no @",
  ],
  ["no name", ["--name", " ", "--for", "x@example.com", "--scope", "read", "--days", "1"], "1 to 64 visible"],
])("token make refuses %s", async (_, flags, said) => {
  const { code, error } = await operator(gateway, "token", "make", ...flags);
  expect([code, error]).toEqual([2, expect.stringContaining(said)]);
});
