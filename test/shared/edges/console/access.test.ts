/**
 * Who may call which of the console's routes: every row of the table, with every role, in the own organization and in
 * another one. The operations are stand-ins, so a route is covered before and after its operation is written.
 */
import { describe, expect, test } from "vitest";
import { jsonReply } from "#shared/base/http/message.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import type { ConsoleAnswers, ConsoleRequest } from "#shared/edges/console/call.ts";
import { createConsole } from "#shared/edges/console/pipeline.ts";
import type { ConsoleRoute, RouteAccess } from "#shared/edges/console/route.ts";
import { consoleRoutes } from "#shared/edges/console/routes.ts";
import { createCallers } from "#shared/edges/store/identity/callers.ts";
import { createSessions } from "#shared/edges/store/identity/sessions.ts";
import { createUserStatuses } from "#shared/edges/store/identity/user-statuses.ts";
import { identify } from "#shared/people/identity/identify.ts";
import { mayDo } from "#shared/people/identity/roles.ts";
import { type Role, roles } from "#shared/people/identity/user.ts";
import { openMembers, type Person } from "#test/support/members.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const rows: readonly ConsoleRoute[] = consoleRoutes;
const named = rows.map((row): [string, ConsoleRoute] => [`${row.method} ${row.path}`, row]);

const isOpenTo = (access: RouteAccess, role: Role): boolean =>
  access === "public" || access === "cookie" || access === "member" || mayDo(role, access);

/** A console whose every operation answers with its own name and the caller's organization. */
function openStandIns(desk: ReturnType<typeof openMembers>) {
  const answers = Object.fromEntries(
    rows.map(({ operation }) => [
      operation,
      async ({ caller }: { caller: { organization: Organization } | null }) =>
        jsonReply({ operation, organization: caller?.organization.id ?? null }),
    ]),
  );
  const callers = createCallers(db.aws, db.tables);
  const serve = createConsole(answers as unknown as ConsoleAnswers, {
    log: () => {},
    identify: (request) => identify(request, { keys: desk.deps.keys, callers, now: desk.deps.now }),
    asset: async () => undefined,
  });
  return async ({ method, path }: ConsoleRoute, authorization?: string) => {
    const request: ConsoleRequest = {
      ...{ id: newId("request", desk.clock.now), method, path: path.replaceAll(/\{\w+\}/g, "x") },
      ...{ query: new URLSearchParams(), body: Buffer.alloc(0), ip: "203.0.113.7" },
      headers: authorization === undefined ? {} : { authorization },
      ...{ received_at: desk.clock.now, deadline_at: desk.clock.now + 30_000 },
    };
    const reply = await serve(request);
    return { status: reply.status, body: JSON.parse(String(reply.body)) };
  };
}

async function opened() {
  const desk = openMembers(db);
  const [acme, other] = [await desk.newOrganization(), await desk.newOrganization()];
  const people = await Promise.all(
    roles.map(async (role): Promise<[Role, Person]> => [role, await desk.newMember(acme, role)]),
  );
  return { desk, acme, other, people, ask: openStandIns(desk) };
}

test("the table has rows, and no operation is in it twice", () => {
  expect(rows.length).toBeGreaterThan(20);
  expect(new Set(rows.map(({ operation }) => operation)).size).toBe(rows.length);
});

describe.each(named)("%s", (_, row) => {
  test("is open to the roles that its row says, each for the own organization alone", async () => {
    const { acme, other, people, ask } = await opened();
    for (const [role, person] of people) {
      const own = await ask(row, `Bearer ${await person.token(acme)}`);
      const foreign = await ask(row, `Bearer ${await person.token(other)}`);
      const needsNobody = row.access === "public" || row.access === "cookie";
      if (isOpenTo(row.access, role)) {
        const organization = needsNobody ? null : acme.id;
        expect([role, own]).toEqual([
          role,
          { status: 200, body: { operation: row.operation, organization } },
        ]);
      } else expect([role, own.status, own.body.error.code]).toEqual([role, 403, 40300]);
      // Who is no member of the organization that the token names has no session there.
      if (!needsNobody) expect([role, foreign.status, foreign.body.error.code]).toEqual([role, 401, 40103]);
    }
  });

  test("asks for a session where its row does", async () => {
    const { ask } = await opened();
    const needsNobody = row.access === "public" || row.access === "cookie";
    for (const [authorization, code] of [
      [undefined, 40100],
      ["Bearer ey.a.b", 40103],
      ["Bearer sk-payg-x", 40103],
    ] as const) {
      const { status, body } = await ask(row, authorization);
      if (needsNobody) expect(status).toBe(200);
      else expect([status, body.error.code]).toEqual([401, code]);
    }
  });

  test.skipIf(row.access === "public" || row.access === "cookie")(
    "shuts out who is frozen, signed out or removed, with the next call",
    async () => {
      const { desk, acme, people, ask } = await opened();
      const [, owner] = people[0] as [Role, Person];
      const other = await desk.newMember(acme, "owner");
      const token = `Bearer ${await owner.token(acme)}`;
      const code = async () => (await ask(row, token)).body.error?.code;
      const statuses = createUserStatuses(db.aws, db.tables);
      expect(await code()).toBeUndefined();
      desk.clock.now += 601_000;
      expect(await code()).toBe(40103);
      desk.clock.now -= 601_000;
      await statuses.set(owner.user.id, "frozen");
      expect(await code()).toBe(40110);
      await statuses.set(owner.user.id, "active");
      expect(await code()).toBeUndefined();
      await createSessions(db.aws, db.tables).end(other.user.id, other.session.id, desk.clock.now);
      expect((await ask(row, `Bearer ${await other.token(acme)}`)).body.error.code).toBe(40103);
      const third = await desk.newMember(acme, "owner");
      await desk.ask([third, acme], `DELETE /api/v1/members/${owner.user.id}`);
      expect(await code()).toBe(40103);
    },
  );
});
