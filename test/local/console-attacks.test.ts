/**
 * An outsider at the console of `npm start`, over HTTP. Every answer to a bad request is a 4xx in the form of contract
 * §7.1, and nothing that is kept has changed after it.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readPeppers } from "#shared/base/platform/pepper.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import type { ConsoleRoute } from "#shared/edges/console/route.ts";
import { consoleRoutes } from "#shared/edges/console/routes.ts";
import { createSessions } from "#shared/edges/store/identity/sessions.ts";
import { createUserStatuses } from "#shared/edges/store/identity/user-statuses.ts";
import { type IdentityKeys, keysOf } from "#shared/people/identity/identity-keys.ts";
import { mayDo } from "#shared/people/identity/roles.ts";
import { refreshToken } from "#shared/people/identity/session.ts";
import { signAccessToken } from "#shared/people/identity/session-token.ts";
import { roles } from "#shared/people/identity/user.ts";
import { type Attacked, fieldValues, ids, openAttack, queryValues, wrongBodies } from "#test/local/attack.ts";
import type { Person } from "#test/support/members.ts";
import { exampleOf, type Operation } from "#test/support/openapi.ts";

let attacked: Attacked;
beforeAll(async () => {
  attacked = await openAttack();
});
afterAll(() => attacked?.stop());

const rows: readonly ConsoleRoute[] = consoleRoutes;
const closed = rows.filter(({ access }) => access !== "public" && access !== "cookie");
/** The platforms' own route: it answers in their forms. */
const asked = rows.filter(({ anyForm }) => !anyForm);
const line = ({ method, path }: Pick<ConsoleRoute, "method" | "path">) => `${method} ${path}`;

/** Asks every row as somebody, and gives the codes by row. A row's own example is its body. */
async function askEach(some: readonly ConsoleRoute[], headers: Record<string, string>, id = "x") {
  const answers = some.map(async (row) => {
    const body = exampleOf(attacked.operationOf(row));
    const path = row.path.replace(/\{\w+\}/, id);
    const sent = { method: row.method, path, headers, ...(body && { body: JSON.stringify(body) }) };
    return [line(row), await attacked.refused(sent)] as const;
  });
  return Object.fromEntries(await Promise.all(answers));
}

/** What every row should say. */
const all = (some: readonly ConsoleRoute[], code: number) =>
  Object.fromEntries(some.map((row) => [line(row), code]));

describe("who is not let in", () => {
  test.each([
    ["nobody", {}, 40100],
    ["a password", { authorization: "Basic YTpi" }, 40100],
    ["two tokens", { authorization: "Bearer a b" }, 40100],
    ["an API key", { authorization: `Bearer sk-payg-${"a".repeat(43)}` }, 40103],
    ["bytes that are no token", { authorization: "Bearer \u00e9" }, 40103],
    ["a token of 12 KB", { authorization: `Bearer ${"a".repeat(12_000)}` }, 40103],
    ["a token without a signature", { authorization: `Bearer ${tokenOf({ alg: "none" })}` }, 40103],
    [
      "a token of a key called __proto__",
      { authorization: `Bearer ${tokenOf({ kid: "__proto__" })}` },
      40103,
    ],
    ["a token of a key that is a number", { authorization: `Bearer ${tokenOf({ kid: 1 })}` }, 40103],
    ["a token with demands", { authorization: `Bearer ${tokenOf({ crit: ["x"], x: 1 })}` }, 40103],
  ])("%s", async (_, headers, code) => {
    expect(await attacked.unchanged(() => askEach(closed, headers))).toEqual(all(closed, code));
  });

  /** Somebody with the role of an owner, and what has happened to them. */
  const fallen: [string, (person: Person, acme: Organization) => Promise<string>, number][] = [
    [
      "frozen",
      async (person, acme) => {
        await createUserStatuses(attacked.place.aws, attacked.place.tables).set(person.user.id, "frozen");
        return await person.token(acme);
      },
      40110,
    ],
    [
      "signed out",
      async (person, acme) => {
        const sessions = createSessions(attacked.place.aws, attacked.place.tables);
        expect(await sessions.end(person.user.id, person.session.id, Date.now())).toBe(true);
        return await person.token(acme);
      },
      40103,
    ],
    ["no member", async (person) => await person.token(await attacked.desk.newOrganization()), 40103],
    [
      "signed in under a version of the secret that is gone",
      signedBy(() => ({ ...attacked.keys, version: 9 })),
      40103,
    ],
    ["signed in under another secret", signedBy(() => foreignKeys), 40103],
    ["signed in eleven minutes ago", signedBy(() => attacked.keys, 660_000), 40103],
  ];

  test.each(fallen)("who is %s", async (_, fall, code) => {
    const person = await attacked.desk.newMember(attacked.acme, "owner");
    const authorization = `Bearer ${await fall(person, attacked.acme)}`;
    expect(await attacked.unchanged(() => askEach(closed, { authorization }))).toEqual(all(closed, code));
  });

  test.each(["x", "a.b.c.d", "usr_1.ses_1.1.x", "=", ";;;", "__proto__"])(
    "with the cookie %s",
    async (text) => {
      const headers = { cookie: `__Host-session=${text}`, "sec-fetch-site": "same-origin" };
      const sent = { method: "POST", path: "/api/v1/auth/refresh", headers };
      expect(await attacked.unchanged(() => attacked.refused(sent))).toBe(40103);
    },
  );

  test("with a cookie of another secret, or from a page of another site", async () => {
    const { user, session } = await attacked.desk.newMember(attacked.acme, "owner");
    const token = { user: user.id, session: session.id, generation: 1 };
    const foreign = refreshToken(token, foreignKeys);
    const own = refreshToken(token, attacked.keys);
    const refresh = async (cookie: string, site: string) =>
      await attacked.refused({
        method: "POST",
        path: "/api/v1/auth/refresh",
        headers: { cookie: `__Host-session=${cookie}`, "sec-fetch-site": site },
      });
    const codes = async () => [await refresh(foreign, "same-origin"), await refresh(own, "cross-site")];
    expect(await attacked.unchanged(codes)).toEqual([40103, 40300]);
  });

  test.each(roles)("%s, where the role has no right", async (role) => {
    const barred = closed.filter(({ access }) => access !== "member" && !mayDo(role, access as never));
    const { acme, desk } = attacked;
    const authorization = `Bearer ${await (await desk.newMember(acme, role)).token(acme)}`;
    const codes = await attacked.unchanged(() => askEach(barred, { authorization }));
    expect(codes).toEqual(all(barred, 40300));
  });

  test("an owner of another organization, with the ids of this one", async () => {
    const { desk, acme } = attacked;
    const ann = await desk.newMember(acme, "owner");
    const other = await desk.newOrganization();
    const headers = { authorization: `Bearer ${await (await desk.newMember(other, "owner")).token(other)}` };
    const invited = await desk.ask([ann, acme], "POST /api/v1/invitations", { role: "member" });
    const key = await desk.ask([ann, acme], "POST /api/v1/keys", { billing_mode: "payg" });
    const theirs: [string, string, number][] = [
      ["/api/v1/members/{id}", ann.user.id, 40400],
      ["/api/v1/invitations/{id}", invited.body.id, 40400],
      ["/api/v1/keys/{id}", key.body.id, 40401],
      ["/api/v1/auth/sessions/{id}", ann.session.id, 40400],
    ];
    for (const [path, id, code] of theirs) {
      const some = rows.filter((row) => row.path === path);
      expect(await attacked.unchanged(() => askEach(some, headers, id))).toEqual(all(some, code));
    }
  });

  test("a frozen organization spends nothing", async () => {
    const { desk } = attacked;
    const frozen = await desk.newOrganization({ status: "frozen" });
    const headers = {
      authorization: `Bearer ${await (await desk.newMember(frozen, "owner")).token(frozen)}`,
    };
    const some = rows.filter(({ operation }) => ["create_key", "create_recharge"].includes(operation));
    expect(await attacked.unchanged(() => askEach(some, headers))).toEqual(all(some, 40102));
  });
});

describe("what is not taken", () => {
  /** A new owner's headers: a session makes 120 calls a minute. */
  const owner = async () => {
    const { desk, acme } = attacked;
    const authorization = `Bearer ${await (await desk.newMember(acme, "owner")).token(acme)}`;
    return { authorization, "content-type": "application/json", "sec-fetch-site": "same-origin" };
  };
  const withBody = (): [ConsoleRoute, Operation, Record<string, unknown>][] =>
    asked.flatMap((row) => {
      const operation = attacked.operationOf(row);
      const example = exampleOf(operation);
      return example ? [[row, operation, example] as [ConsoleRoute, Operation, typeof example]] : [];
    });
  const pathOf = ({ path }: ConsoleRoute) => path.replace(/\{\w+\}/, "x");

  test.each(wrongBodies)("a body that is %s", async (_, { body, headers = {}, code }) => {
    const own = await owner();
    const codes = await attacked.unchanged(
      async () =>
        await Promise.all(
          withBody().map(async ([row, _operation, example]) => {
            const sent = { method: row.method, path: pathOf(row), headers: { ...own, ...headers } };
            return [line(row), await attacked.refused({ ...sent, body: body(example) })] as const;
          }),
        ),
    );
    expect(codes.filter(([, got]) => got !== code)).toEqual([]);
    expect(codes.length).toBeGreaterThan(12);
  });

  test("a field of the wrong kind: what is taken is a text where any text will do", async () => {
    const taken = new Map<string, string[]>();
    for (const [row, { requestBody }, example] of withBody()) {
      const schema = requestBody?.content["application/json"]?.schema as { properties?: object } | undefined;
      for (const field of Object.keys(schema?.properties ?? example)) {
        // Nobody reads it until an address has asked for many codes.
        if (field === "human") continue;
        const headers = await owner();
        const ask = async (body: string) =>
          await attacked.answer({ method: row.method, path: pathOf(row), headers, body });
        const values = Object.entries(fieldValues);
        const answers: Awaited<ReturnType<typeof ask>>[] = [];
        // One after another: changes of one record at the same moment may refuse each other.
        for (const [, text] of values)
          answers.push(
            await ask(
              JSON.stringify({ ...example, [field]: 0 }).replace(`"${field}":0`, `"${field}":${text}`),
            ),
          );
        const good = values.filter(
          (__, at) => answers[at]?.status !== undefined && (answers[at]?.status ?? 0) < 400,
        );
        if (good.length > 0)
          taken.set(
            `${row.operation}.${field}`,
            good.map(([name]) => name),
          );
        for (const answer of answers) if (answer.status >= 400) attacked.expectStyle(answer);
      }
    }
    const anyText = ["wide digits", "other digits", "the name of a prototype"];
    expect(Object.fromEntries(taken)).toEqual({
      ...{ "change_account.name": anyText, "change_organization.name": anyText },
      "change_budget.id": [...anyText, "turned around", "space"],
      // A switch, and a number.
      "change_organization.keys_make_managers": ["true"],
      "set_wallet_thresholds.below_days": ["number"],
      "change_policy.id": [...anyText, "turned around", "space"],
      // An empty one takes every rule away.
      "change_policy.policy": ["object"],
      "create_key.name": [...anyText, "turned around", "empty", "space"],
      // Nobody is a member of such a project.
      "create_project.members": ["array"],
      "create_project.name": [...anyText, "turned around"],
    });
  });

  test("a place, a query or a method that there is not", async () => {
    const named = asked.filter(({ path }) => path.includes("{"));
    const headersById = await Promise.all(ids.map(async (id) => [id, await owner()] as const));
    const codes = await attacked.unchanged(async () => {
      const found = new Set<number>();
      for (const [id, headers] of headersById) {
        // The test before has given such projects a budget.
        const unknown = named.filter(({ path }) => !path.includes("/projects/") || !/^(?:_|%E2)/.test(id));
        for (const code of Object.values(await askEach(unknown, headers, id))) found.add(code);
      }
      return [...found].toSorted();
    });
    expect(codes.filter((code) => ![40000, 40400, 40401, 40410, 40411].includes(code))).toEqual([]);
    const found = new Map<string, number>();
    for (const row of asked) {
      for (const { name, in: at } of attacked.operationOf(row).parameters) {
        if (at !== "query") continue;
        // A session may ask so often a minute, and some lists have many parameters.
        const headers = await owner();
        for (const value of queryValues) {
          const answer = await attacked.answer({
            method: row.method,
            path: `${pathOf(row)}?${name}=${value}`,
            headers,
          });
          if (answer.status >= 400) attacked.expectStyle(answer);
          found.set(`${answer.status}`, (found.get(`${answer.status}`) ?? 0) + 1);
        }
      }
    }
    expect([...found.keys()].toSorted()).toEqual(["200", "400"]);
    for (const method of ["PUT", "OPTIONS", "TRACE", "PROPFIND"])
      expect(await attacked.refused({ method, path: "/api/v1/account", headers: {} })).toBe(40500);
    for (const path of [
      "/api/v1/account/",
      "/api/v1/account%00",
      "/api/v1/%61ccount",
      "/api/__proto__",
      "/api/v1/keys/%ff",
    ])
      expect(await attacked.refused({ method: "GET", path, headers: {} })).toBe(40400);
  });
});

const foreignKeys = keysOf(readPeppers("another secret")).current;

/** The token of an owner that these keys signed so many milliseconds ago. */
function signedBy(keys: () => IdentityKeys, ago = 0) {
  return async ({ user, session }: Person, { id: organization }: Organization): Promise<string> => {
    const claims = { user: user.id, session: session.id, organization, role: "owner" as const };
    return await signAccessToken(claims, Date.now() - ago, keys());
  };
}

/** A token whose head says this, and which nobody has signed. */
function tokenOf(head: object): string {
  const parts = [{ alg: "HS256", typ: "at+jwt", kid: "1", ...head }, { sub: "usr_1" }];
  return `${parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".")}.AAAA`;
}
