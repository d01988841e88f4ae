/**
 * Sessions on the gateway: every route with every kind of token. A route takes a session or knows API keys alone, and
 * says so in its own form of errors.
 */
import { describe, expect, test } from "vitest";
import { type Route, routes } from "#shared/base/http/routes.ts";
import { sessionAccess } from "#shared/calls/access/sessions.ts";
import { publicOperations } from "#shared/calls/gateway/local-answers.ts";
import { createUserStatuses } from "#shared/edges/store/identity/user-statuses.ts";
import { mayDo, type Right } from "#shared/people/identity/roles.ts";
import { type Role, roles } from "#shared/people/identity/user.ts";
import { openMembers, type Person } from "#test/support/members.ts";
import { openSessionGateway } from "#test/support/session-gateway.ts";
import { eventOf, noon, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const stores = useStores();
const { db, ledger } = stores;

const openGateway = (
  desk: ReturnType<typeof openMembers>,
  options?: Parameters<typeof openSessionGateway>[2],
) => openSessionGateway(desk, stores, options);

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const asksForKey = ({ operation }: Route) =>
  operation !== "page" && !publicOperations.has(operation as never);
const takesSession = ({ operation }: Route) => Object.hasOwn(sessionAccess, operation);
const named = (rows: readonly Route[]) =>
  rows.map((row): [string, Route] => [`${row.method} ${row.path} ${row.client ?? ""}`.trim(), row]);

async function opened() {
  const desk = openMembers(db);
  const [acme, other] = [await desk.newOrganization(), await desk.newOrganization()];
  const people = await Promise.all(
    roles.map(async (role): Promise<[Role, Person]> => [role, await desk.newMember(acme, role)]),
  );
  return { desk, acme, other, people, owner: (people[0] as [Role, Person])[1] };
}

test("the routes that take a session are these", () => {
  expect(named(routes.filter(takesSession)).map(([name]) => name)).toEqual([
    "POST /api/v1/keys",
    "GET /api/v1/keys",
    "PATCH /api/v1/keys/{id}",
    "DELETE /api/v1/keys/{id}",
    "POST /api/v1/keys/{id}/rotate",
    "POST /api/v1/keys/{id}/disable",
    "POST /api/v1/keys/{id}/enable",
    "GET /api/v1/requests/{id}",
    "GET /api/v1/calls",
    "GET /api/v1/usage",
  ]);
});

describe.each(named(routes.filter(takesSession)))("%s", (_, row) => {
  test("takes a session of a role that may, and no other", async () => {
    const { desk, acme, people } = await opened();
    const gateway = openGateway(desk);
    const access = sessionAccess[row.operation as keyof typeof sessionAccess] ?? "member";
    for (const [role, person] of people) {
      const { status, json } = await gateway.ask(row, bearer(await person.token(acme)));
      if (access === "member" || mayDo(role, access as Right))
        expect([role, status, json()]).toEqual([
          role,
          200,
          { operation: row.operation, member: acme.id, isKey: false },
        ]);
      else expect([role, status, json()]).toMatchObject([role, 403, { error: { code: 40300 } }]);
    }
  });

  test("is 40103 for a token that is bad, old, of nobody or of another organization, and 40110 for a frozen user", async () => {
    const { desk, acme, other, owner, people } = await opened();
    const gateway = openGateway(desk);
    const [head = "", body = "", proof = ""] = (await owner.token(acme)).split(".");
    const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString("base64url");
    const bad = [`${head}.${body}.`, `${none}.${body}.`, `${head}.${body}.${proof}A`, "ey..", "eyJ.a.b"];
    for (const token of [...bad, await owner.token(other)])
      expect((await gateway.ask(row, bearer(token))).json()).toMatchObject({ error: { code: 40103 } });
    const [, admin] = people[1] as [Role, Person];
    await createUserStatuses(db.aws, db.tables).set(admin.user.id, "frozen");
    expect((await gateway.ask(row, bearer(await admin.token(acme)))).json()).toMatchObject({
      error: { code: 40110 },
    });
    const late = await owner.token(acme);
    desk.clock.now += 601_000;
    expect((await gateway.ask(row, bearer(late))).json()).toMatchObject({ error: { code: 40103 } });
  });

  test("goes by x-api-key where both are sent, and knows only keys where the function has no accounts", async () => {
    const { desk, acme, owner } = await opened();
    const gateway = openGateway(desk);
    const token = await owner.token(acme);
    const key = gateway.memory.addKey();
    const both = await gateway.ask(row, { ...bearer(token), "x-api-key": key });
    expect(both.json()).toMatchObject({ member: null, isKey: true });
    expect((await gateway.ask(row, { "x-api-key": token })).json()).toMatchObject({
      error: { code: 40101 },
    });
    expect((await gateway.ask(row, {})).json()).toMatchObject({ error: { code: 40100 } });
    expect(gateway.opened()).toBe(0);
    const without = openGateway(desk, { withSessions: false });
    expect((await without.ask(row, bearer(token))).json()).toMatchObject({ error: { code: 40101 } });
  });
});

describe.each(named(routes.filter((row) => asksForKey(row) && !takesSession(row))))("%s", (_, row) => {
  test("takes a session for a wrong API key, and loads nothing for it", async () => {
    const { desk, acme, owner } = await opened();
    const gateway = openGateway(desk);
    const client: Record<string, string> =
      row.client === "anthropic"
        ? { "anthropic-version": "2023-06-01" }
        : row.client
          ? { "x-goog-api-client": "a" }
          : {};
    const { status, text } = await gateway.ask(row, { ...bearer(await owner.token(acme)), ...client });
    expect(status).toBe(401);
    // The message of 40101, which every style has in some place.
    expect(text).toContain("The API key is not valid.");
    expect(gateway.opened()).toBe(0);
    expect(gateway.memory.events).toEqual([]);
  });
});

describe("with a session", () => {
  const keysPath = { method: "POST", path: "/api/v1/keys" } as const;

  test("a member makes, lists and revokes keys, which leaves the same lines as in the console", async () => {
    const { desk, acme, owner, people } = await opened();
    const gateway = openGateway(desk, { real: true });
    const [, member] = people[3] as [Role, Person];
    const headers = bearer(await member.token(acme));
    const made = (await gateway.ask(keysPath, headers, { billing_mode: "payg" })).json();
    expect(made).toMatchObject({
      created_by: { id: member.user.id },
      key: expect.stringMatching(/^sk-payg-/),
    });
    await gateway.ask(keysPath, bearer(await owner.token(acme)), { billing_mode: "payg" });
    const list = (await gateway.ask({ method: "GET", path: "/api/v1/keys" }, headers)).json();
    expect(list.data).toMatchObject([{ id: made.id }]);
    desk.clock.now += 1;
    const gone = await gateway.ask({ method: "DELETE", path: `/api/v1/keys/${made.id}` }, headers);
    expect(gone.json()).toEqual({ id: made.id, object: "api_key", deleted: true });
    const { entries } = await desk.deps.auditLog.entries(acme.id, { limit: 10 });
    expect(entries[0]).toMatchObject({
      kind: "key_revoked",
      actor: member.user.id,
      ip: null,
      subject: made.id,
    });
    expect(entries.map(({ kind }) => kind)).toContain("key_created");
  });

  test("a member sees the calls and receipts of their own keys, and an owner all of them", async () => {
    const { desk, acme, owner, people } = await opened();
    const gateway = openGateway(desk, { real: true });
    const [, member] = people[3] as [Role, Person];
    const ids: string[] = [];
    for (const person of [member, owner]) {
      const made = (
        await gateway.ask(keysPath, bearer(await person.token(acme)), { billing_mode: "payg" })
      ).json();
      const hold = walletHold(acme.wallet?.meter ?? "", "1", noon, String(made.id));
      const event = eventOf(hold, "0.5", { organization: acme.id });
      await ledger.record([event]);
      ids.push(event.id);
    }
    const seen = async (person: Person) => {
      const headers = bearer(await person.token(acme));
      const calls = (await gateway.ask({ method: "GET", path: "/api/v1/calls" }, headers)).json();
      const receipts = await Promise.all(
        ids.map((id) => gateway.ask({ method: "GET", path: `/api/v1/requests/${id}` }, headers)),
      );
      return [
        (calls.data as { id: string }[]).map(({ id }) => id).toSorted(),
        receipts.map(({ status }) => status),
      ];
    };
    expect(await seen(member)).toEqual([[ids[0]], [200, 404]]);
    expect(await seen(owner)).toEqual([ids.toSorted(), [200, 200]]);
    const usage = { method: "GET", path: "/api/v1/usage" } as const;
    const refused = (await gateway.ask(usage, bearer(await member.token(acme)))).json();
    expect(refused).toMatchObject({
      error: {
        code: 40300,
        message: expect.stringContaining("The console shows the usage of your own keys."),
      },
    });
  });
});
