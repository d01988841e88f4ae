/** What Okta and Microsoft Entra send, as they document it, and bodies that nobody should send. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openProvisioned, patchOf } from "#test/support/scim.ts";
import { useSignOn } from "#test/support/sign-on.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const desk = useSignOn(db);

const opened = async () => await openProvisioned(desk);

const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

/** Operations of one PATCH on a user who is active and has a work address, and what the user then has. */
const patches: [string, object[], object][] = [
  ["Okta deactivates", [{ op: "replace", value: { active: false } }], { active: false }],
  ["Entra deactivates, with a text", [{ op: "Replace", path: "active", value: "False" }], { active: false }],
  [
    "Entra changes names by paths",
    [
      { op: "Replace", path: "displayName", value: "Ann B." },
      { op: "Add", path: "name.givenName", value: "Ann" },
      { op: "Replace", path: "name.familyName", value: "B." },
    ],
    { displayName: "Ann B.", name: { givenName: "Ann", familyName: "B." } },
  ],
  [
    "Entra changes an address by its type",
    [{ op: "Replace", path: 'emails[type eq "work"].value', value: "new@example.com" }],
    { emails: [{ value: "new@example.com", type: "work", primary: true }] },
  ],
  [
    "Entra adds an address of a type that is not there",
    [{ op: "Add", path: 'emails[type eq "home"].value', value: "home@example.com" }],
    { emails: [expect.anything(), { value: "home@example.com", type: "home", primary: false }] },
  ],
  [
    "Entra sends paths as names, without a path",
    [
      {
        op: "replace",
        value: {
          "name.familyName": "C.",
          'emails[type eq "work"].value': "c@example.com",
          [`${enterprise}:department`]: "Sales",
        },
      },
    ],
    { name: { familyName: "C." }, emails: [expect.objectContaining({ value: "c@example.com" })] },
  ],
  [
    "attributes that are not kept are left out",
    [
      { op: "Add", path: "title", value: "Boss" },
      { op: "Add", path: 'addresses[type eq "work"].country', value: "DE" },
      { op: "Add", path: `${enterprise}:manager`, value: "x" },
      { op: "Replace", path: "roles", value: [{ value: "owner" }] },
      { op: "Replace", path: "externalId", value: "e-2" },
    ],
    { externalId: "e-2" },
  ],
  [
    "Entra filters by a boolean as a text, and by two conditions",
    [
      { op: "Replace", path: 'emails[primary eq "True"].value', value: "p@example.com" },
      { op: "Add", path: 'addresses[type eq "work" and primary eq "True"].country', value: "DE" },
      { op: "Add", path: 'roles[primary eq "True"].value', value: "owner" },
      { op: "Add", path: 'photos[type ne "x" or primary pr].value', value: "x" },
      { op: "Replace", path: 'emails[type eq "work" and primary eq true].type', value: "other" },
    ],
    { emails: [{ value: "p@example.com", type: "other", primary: true }] },
  ],
  [
    "active of null, an empty path, and a name that is no attribute's say nothing",
    [
      { op: "replace", path: "active", value: null },
      { op: "replace", path: "", value: { "no attribute": 1, active: null, displayName: "B" } },
    ],
    { active: true, displayName: "B" },
  ],
  ["an attribute is removed", [{ op: "Remove", path: "displayName" }], {}],
];

describe("a user of", () => {
  test.each(patches)("%s", async (_, operations, wanted) => {
    const { provider, at } = await opened();
    const id = await provider.add(at("ann"), {
      displayName: "Ann",
      emails: [{ value: at("ann"), type: "work", primary: true }],
    });
    const answer = await provider.ask(`PATCH /Users/${id}`, patchOf(...operations));
    expect([answer.status, answer.body]).toEqual([200, expect.objectContaining(wanted)]);
    const { body } = await provider.ask(`GET /Users/${id}`);
    expect(body).toEqual(answer.body);
    const known = ["schemas", "id", "externalId", "userName", "displayName", "name", "emails", "active"];
    expect(Object.keys(body).filter((name) => ![...known, "groups", "meta"].includes(name))).toEqual([]);
  });

  test("Okta is made with all that it sends, and replaced by PUT", async () => {
    const { provider, at } = await opened();
    const body = {
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
      userName: at("test.user"),
      name: { givenName: "Test", familyName: "User" },
      emails: [{ primary: true, value: at("test.user"), type: "work" }],
      displayName: "Test User",
      locale: "en-US",
      externalId: "00ujl29u0le5T6Aj10h7",
      groups: [],
      password: "1mz050nq",
      active: true,
    };
    const made = await provider.ask("POST /Users", body);
    expect(made).toMatchObject({
      status: 201,
      body: { userName: at("test.user"), externalId: body.externalId },
    });
    expect(JSON.stringify(made.body)).not.toContain("1mz050nq");
    const { id, meta } = made.body;
    const put = { ...body, id, meta, name: { givenName: "Another" }, displayName: null, active: undefined };
    const replaced = await provider.ask(`PUT /Users/${id}`, put);
    expect(replaced.body).toMatchObject({ id, name: { givenName: "Another" }, active: true });
    expect(replaced.body.displayName).toBeUndefined();
  });

  test("Entra is made with its extension, and looked for before", async () => {
    const { provider, at } = await opened();
    const filter = encodeURIComponent(`userName eq "${at("new")}"`);
    expect((await provider.ask(`GET /Users?filter=${filter}`)).body).toMatchObject({
      totalResults: 0,
      Resources: [],
    });
    const made = await provider.ask("POST /Users", {
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:User", enterprise],
      externalId: "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef",
      userName: at("new"),
      active: true,
      emails: [{ primary: true, type: "work", value: at("mail") }],
      meta: { resourceType: "User" },
      name: { formatted: "Ryan L.", familyName: "L.", givenName: "Ryan" },
      roles: [],
      [enterprise]: { department: "Sales", manager: { value: "x" } },
    });
    expect([made.status, made.body.name.formatted]).toEqual([201, "Ryan L."]);
    expect((await provider.ask(`GET /Users?filter=${filter}`)).body.Resources[0].id).toBe(made.body.id);
  });
});

test("nothing that a body says makes an owner, another id, another organization or a key", async () => {
  const { provider, at } = await opened();
  const other = await opened();
  const theirs = await other.provider.add(other.at("eve"));
  const made = await provider.ask("POST /Users", {
    userName: at("eve"),
    id: theirs,
    organization: other.provider.token.split(".")[1],
    ...{ role: "owner", roles: [{ value: "owner", primary: true }], linked_issuer: null, made: false },
    ...{
      groups: [{ value: "owners" }],
      revision: 99,
      permissions: ["manage_keys"],
      __proto__: { role: "owner" },
    },
  });
  expect(made.status).toBe(201);
  expect(made.body.id).not.toBe(theirs);
  const { organization } = { organization: provider.token.split(".")[1] ?? "" };
  expect(await desk.deps.members.membership(organization, made.body.id)).toMatchObject({ role: "member" });
  const stored = await desk.deps.directories.person(organization, made.body.id);
  expect(stored).toMatchObject({ organization, made: true, revision: 1, groups: [] });
  expect(Object.hasOwn(stored ?? {}, "role")).toBe(false);
});

/** Refused bodies, with what SCIM calls the fault. */
const wrong: [string, string, string | object, string | undefined][] = [
  ["POST /Users", "no JSON", "{", "invalidSyntax"],
  ["POST /Users", "an array", "[]", "invalidSyntax"],
  ["POST /Users", "no user name", {}, "invalidValue"],
  ["POST /Users", "a user name of spaces", { userName: "  " }, "invalidValue"],
  ["POST /Users", "a number", { userName: 5 }, "invalidValue"],
  ["POST /Users", "half a surrogate pair", '{"userName":"a\\ud800"}', "invalidValue"],
  ["POST /Users", "a long name", { userName: "x".repeat(300) }, "invalidValue"],
  ["POST /Users", "a name that is a text", { userName: "x", name: "Ann" }, "invalidValue"],
  ["POST /Users", "active as a number", { userName: "x", active: 1 }, "invalidValue"],
  ["POST /Users", "an address without value", { userName: "x", emails: [{ type: "work" }] }, "invalidValue"],
  ["POST /Users", "six addresses", { userName: "x", emails: [1, 2, 3, 4, 5, 6].map(String) }, "invalidValue"],
  ["POST /Groups", "no name", { members: [] }, "invalidValue"],
  ["POST /Groups", "members without value", { displayName: "x", members: [{}] }, "invalidValue"],
  ["PATCH /Users/ID", "no operations", {}, "invalidSyntax"],
  ["PATCH /Users/ID", "an unknown operation", patchOf({ op: "move", path: "active" }), "invalidSyntax"],
  ["PATCH /Users/ID", "an operation that is none", patchOf("x" as unknown as object), "invalidSyntax"],
  ["PATCH /Users/ID", "a path that is none", patchOf({ op: "add", path: "a[b", value: 1 }), "invalidPath"],
  [
    "PATCH /Users/ID",
    "a filter that is none",
    patchOf({ op: "add", path: "emails[type ne 1].value", value: "x" }),
    "invalidPath",
  ],
  [
    "PATCH /Users/ID",
    "a filter of a kept attribute in an object",
    patchOf({ op: "add", value: { "emails[type ne 1].value": "x" } }),
    "invalidPath",
  ],
  ["PATCH /Users/ID", "a removal without a path", patchOf({ op: "remove" }), "invalidPath"],
  ["PATCH /Users/ID", "no user name", patchOf({ op: "remove", path: "userName" }), "mutability"],
  ["PATCH /Users/ID", "an empty user name", patchOf({ op: "replace", path: "userName" }), "invalidValue"],
  ["PATCH /Users/ID", "a text as value", patchOf({ op: "add", value: "x" }), "invalidSyntax"],
];

test.each(wrong)("%s with %s is refused, and changes nothing", async (route, _, body, scimType) => {
  const { provider, at } = await opened();
  const id = await provider.add(at("ann"));
  const before = (await provider.ask(`GET /Users/${id}`)).body;
  const answer = await provider.ask(route.replace("ID", id), body);
  expect(answer.body).toEqual({
    schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
    status: "400",
    scimType,
    detail: expect.stringMatching(/\S/),
  });
  expect(answer.headers["content-type"]).toBe("application/scim+json");
  expect((await provider.ask(`GET /Users/${id}`)).body).toEqual(before);
  expect(await provider.names()).toEqual([at("ann")]);
});

test("a member that cannot be made a text is refused, or not believed", async () => {
  const { provider, at } = await opened();
  const id = await provider.add(at("ann"));
  const odd = { toString: 1 };
  expect((await provider.ask(`PATCH /Users/${id}`, patchOf({ op: odd, path: "active" }))).status).toBe(400);
  const emails = [{ value: at("bob"), primary: odd }];
  const { status, body } = await provider.ask("POST /Users", { userName: at("bob"), emails });
  expect([status, body.emails[0].primary]).toEqual([201, false]);
});

test("whatever a body is, the answer is no fault of ours", async () => {
  const { provider, at } = await opened();
  const id = await provider.add(at("ann"));
  const group = await provider.group("g", id);
  const names = [
    "userName",
    "emails",
    "name",
    "active",
    "members",
    "displayName",
    "externalId",
    "x",
    "__proto__",
  ];
  const path = fc.oneof(
    fc.constantFrom(...names, 'emails[type eq "work"].value', `members[value eq "${id}"]`, "name.givenName"),
    fc.string({ maxLength: 12 }),
  );
  const step = fc.record(
    { op: fc.constantFrom("add", "Remove", "replace", "x"), path, value: fc.jsonValue({ maxDepth: 2 }) },
    { requiredKeys: ["op"] },
  );
  const fields = fc.dictionary(fc.constantFrom(...names), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 5 });
  const bodies = fc.oneof(
    fc.record({ Operations: fc.array(step, { maxLength: 4 }) }),
    fields,
    fc.jsonValue(),
  );
  const routes = fc.constantFrom(
    ...["POST /Users", "POST /Groups", `PUT /Users/${id}`, `PATCH /Users/${id}`],
    ...[`PUT /Groups/${group}`, `PATCH /Groups/${group}`],
  );
  await fc.assert(
    fc.asyncProperty(routes, bodies, async (route, body) => {
      const answer = await provider.ask(route, JSON.stringify(body));
      // The clock goes on, so that the count of a minute is not what is met.
      desk.pass(1_000);
      expect([route, answer.status < 500 && answer.status !== 429, answer.body]).toEqual([
        route,
        true,
        answer.body,
      ]);
    }),
    { numRuns: 300, seed: 20261130 },
  );
  const filters = fc.oneof(
    fc.string(),
    fc.constantFrom('userName eq "', "userName eq", '" and "', "a.b eq true"),
  );
  await fc.assert(
    fc.asyncProperty(filters, async (filter) => {
      desk.pass(1_000);
      const { status } = await provider.ask(`GET /Users?filter=${encodeURIComponent(filter)}`);
      expect([filter, [200, 400].includes(status)]).toEqual([filter, true]);
    }),
    { numRuns: 200, seed: 20261130 },
  );
});
