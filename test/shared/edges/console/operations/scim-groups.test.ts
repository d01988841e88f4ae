/** SCIM's groups, and the roles that follow from them. */
import { expect, test } from "vitest";
import { scimLimits } from "#shared/people/scim/bounds.ts";
import type { Directories } from "#shared/people/scim/directory.ts";
import { openProvisioned, patchOf, scimAsker } from "#test/support/scim.ts";
import { type Browser, giveAddress, newBrowser, useSignOn } from "#test/support/sign-on.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const desk = useSignOn(db);

const rules = [
  { group: "bosses", role: "admin" },
  { group: "books", role: "finance" },
];

const company = async (more: object = {}) => await openProvisioned(desk, { rules, ...more });

/** The role of a member; undefined for somebody who is none. */
async function roleOf(owner: Browser, id: string): Promise<string | undefined> {
  const { body } = await desk.ask(owner, "GET /api/v1/members");
  return body.data.find((each: { id: string }) => each.id === id)?.role;
}

const member = (...ids: string[]) => ids.map((value) => ({ value }));

test("the first rule that fits gives the role, as people come and go, and as groups are renamed and deleted", async () => {
  const { provider, browser, at } = await company();
  const [ann, bob] = [await provider.add(at("ann")), await provider.add(at("bob"))];
  const books = await provider.group("books", ann, bob);
  expect([await roleOf(browser, ann), await roleOf(browser, bob)]).toEqual(["finance", "finance"]);
  const bosses = await provider.group("bosses");
  await provider.ask(`PATCH /Groups/${bosses}`, patchOf({ op: "add", path: "members", value: member(ann) }));
  expect(await roleOf(browser, ann)).toBe("admin");
  await provider.ask(
    `PATCH /Groups/${bosses}`,
    patchOf({ op: "remove", path: `members[value eq "${ann}"]` }),
  );
  expect(await roleOf(browser, ann)).toBe("finance");
  await provider.ask(
    `PATCH /Groups/${books}`,
    patchOf({ op: "replace", value: { id: books, displayName: "staff" } }),
  );
  expect([await roleOf(browser, ann), await roleOf(browser, bob)]).toEqual(["member", "member"]);
  await provider.ask(`PUT /Groups/${books}`, { displayName: "books", members: member(bob) });
  expect([await roleOf(browser, ann), await roleOf(browser, bob)]).toEqual(["member", "finance"]);
  expect((await provider.ask(`DELETE /Groups/${books}`)).status).toBe(204);
  expect(await roleOf(browser, bob)).toBe("member");
  const { body } = await provider.ask(`GET /Users/${bob}`);
  expect(body.groups).toEqual([]);
});

test("a group that is renamed moves everybody in it, also where a crash has left some", async () => {
  const { provider, browser, at } = await company();
  const [ann, bob] = [await provider.add(at("ann")), await provider.add(at("bob"))];
  const group = await provider.group("books", ann, bob);
  const { directories } = desk.deps;
  // The name is written, and then the process dies before anybody has moved.
  desk.deps.directories = { ...directories, change: () => Promise.reject(new Error("died")) };
  const rename = () =>
    provider.ask(`PATCH /Groups/${group}`, patchOf({ op: "replace", value: { displayName: "staff" } }));
  expect((await rename()).status).toBe(500);
  desk.deps.directories = directories;
  expect([await roleOf(browser, ann), await roleOf(browser, bob)]).toEqual(["finance", "finance"]);
  expect((await rename()).status).toBe(200);
  expect([await roleOf(browser, ann), await roleOf(browser, bob)]).toEqual(["member", "member"]);
});

test("without a default role, who is in no group is no member, and loses the session", async () => {
  const { provider, browser, at } = await company({ default_role: null });
  const id = await provider.add(at("ann"));
  expect(await roleOf(browser, id)).toBeUndefined();
  const group = await provider.group("books", id);
  expect(await roleOf(browser, id)).toBe("finance");
  const ann = newBrowser();
  await desk.signOn(ann, { subject: at("ann") });
  expect((await desk.ask(ann, "GET /api/v1/account")).status).toBe(200);
  await provider.ask(`PATCH /Groups/${group}`, patchOf({ op: "remove", path: "members", value: member(id) }));
  expect(await roleOf(browser, id)).toBeUndefined();
  expect((await desk.ask(ann, "GET /api/v1/account")).status).toBe(401);
});

test("groups of SCIM decide at a sign-in, and not those of the claims; without any the claims do", async () => {
  const { provider, browser, at } = await company();
  const id = await provider.add(at("ann"));
  await desk.signOn(newBrowser(), { subject: at("ann"), groups: "books" });
  expect(await roleOf(browser, id)).toBe("finance");
  // A change without groups in SCIM leaves the role that the claims gave.
  await provider.ask(`PATCH /Users/${id}`, patchOf({ op: "replace", path: "displayName", value: "Ann" }));
  expect(await roleOf(browser, id)).toBe("finance");
  await provider.group("bosses", id);
  await desk.signOn(newBrowser(), { subject: at("ann"), groups: "books" });
  expect(await roleOf(browser, id)).toBe("admin");
});

test("who loses the role that manages keys loses the keys that manage keys", async () => {
  const { provider, at } = await company();
  const id = await provider.add(at("ann"));
  const group = await provider.group("bosses", id);
  const ann = newBrowser();
  await desk.signOn(ann, { subject: at("ann") });
  await desk.ask(ann, "POST /api/v1/keys", { billing_mode: "payg", permissions: ["manage_keys"] });
  await provider.ask(`PATCH /Groups/${group}`, patchOf({ op: "remove", path: "members" }));
  const { body } = await desk.ask(ann, "GET /api/v1/keys");
  expect(body.data.map(({ status }: { status: string }) => status)).toEqual(["revoked"]);
});

/** An admin who came by a code, in a company whose groups alone let people in. */
async function admin() {
  const made = await company({ default_role: null });
  const ann = await desk.desk.newMember(made.organization, "admin", "Ann");
  await giveAddress(db, ann.user.id, made.at("ann"));
  const own: Browser = { ...newBrowser(), token: await ann.token(made.organization) };
  return { ...made, own, ann: ann.user.id, bosses: await made.provider.group("bosses") };
}

test("a member whom SCIM names keeps membership and keys until their groups come", async () => {
  const { provider, browser, organization, at, own, ann, bosses } = await admin();
  await desk.ask(own, "POST /api/v1/keys", { billing_mode: "payg", permissions: ["manage_keys"] });
  const before = await desk.deps.members.membership(organization.id, ann);
  expect(await provider.add(at("ann"))).toBe(ann);
  expect(await desk.deps.members.membership(organization.id, ann)).toEqual(before);
  const change = (op: object) => provider.ask(`PATCH /Groups/${bosses}`, patchOf(op));
  await change({ op: "add", path: "members", value: member(ann) });
  expect(await roleOf(browser, ann)).toBe("admin");
  const { body } = await desk.ask(own, "GET /api/v1/keys");
  expect(body.data.map(({ status }: { status: string }) => status)).toEqual(["active"]);
  await change({ op: "remove", path: "members" });
  expect(await roleOf(browser, ann)).toBeUndefined();
});

test("a member whom SCIM names as not active is none with that answer", async () => {
  const { provider, browser, at, ann } = await admin();
  expect(await provider.add(at("ann"), { active: false })).toBe(ann);
  expect(await roleOf(browser, ann)).toBeUndefined();
});

test("a member who is removed meanwhile is not whom SCIM names", async () => {
  const { provider, browser, at, ann } = await admin();
  const real = desk.deps.directories;
  let isDone = false;
  const directories: Directories = {
    ...real,
    change: async (...args) => {
      if (!isDone) await desk.ask(browser, `DELETE /api/v1/members/${ann}`);
      isDone = true;
      return await real.change(...args);
    },
  };
  const slow = scimAsker(desk, { directories })(`Bearer ${provider.token}`);
  const { status, body } = await slow("POST /Users", { userName: at("ann") });
  expect([status, body.id === ann]).toEqual([201, false]);
});

test("a list finds by name and members, and leaves members out where nobody asks for them", async () => {
  const { provider, at } = await company();
  const ann = await provider.add(at("ann"));
  const books = await provider.group("Books", ann);
  await provider.group("others");
  const found = async (filter: string, more = "") => {
    const { body } = await provider.ask(`GET /Groups?filter=${encodeURIComponent(filter)}${more}`);
    return body.Resources;
  };
  const shown = { value: ann, display: at("ann") };
  expect(await found('displayName eq "books"')).toMatchObject([{ id: books, members: [shown] }]);
  const [without] = await found('displayName eq "books"', "&excludedAttributes=members");
  expect([without.id, without.members]).toEqual([books, undefined]);
  expect(await found(`id eq "${books}" and members eq "${ann}"`)).toHaveLength(1);
  expect(await found(`members.value eq "${ann}"`)).toHaveLength(1);
  expect(await found(`members eq "nobody"`)).toEqual([]);
  const page = await provider.ask("GET /Groups?startIndex=2&count=1&excludedAttributes=members");
  expect(page.body).toMatchObject({ totalResults: 2, startIndex: 2, itemsPerPage: 1 });
});

test("a name belongs to one group, and a member must be a user of this organization", async () => {
  const [one, other] = [await company(), await company()];
  const books = await one.provider.group("books");
  const twice = await one.provider.ask("POST /Groups", { displayName: "BOOKS" });
  expect([twice.status, twice.body.scimType]).toEqual([409, "uniqueness"]);
  const foreign = await other.provider.add(other.at("eve"));
  for (const value of [foreign, "usr_x", "../x", "x".repeat(5_000)]) {
    const answer = await one.provider.ask(
      `PATCH /Groups/${books}`,
      patchOf({ op: "add", path: "members", value: [{ value }] }),
    );
    expect([answer.status, answer.body.scimType]).toEqual([400, "invalidValue"]);
  }
  expect((await one.provider.ask(`GET /Groups/${books}`)).body.members).toEqual([]);
  // To take out somebody who is not there changes nothing.
  const out = patchOf({ op: "remove", path: "members", value: [{ value: foreign }] });
  expect((await one.provider.ask(`PATCH /Groups/${books}`, out)).status).toBe(200);
});

test("members, operations and bodies have bounds", async () => {
  const { provider } = await company();
  const group = await provider.group("books");
  const many = (count: number) => Array.from({ length: count }, (_, at) => ({ value: `u${at}` }));
  const members = await provider.ask(`PUT /Groups/${group}`, {
    displayName: "books",
    members: many(scimLimits.membersMax + 1),
  });
  expect(members.body).toMatchObject({ status: "400", scimType: "invalidValue" });
  const step = { op: "add", path: "displayName", value: "x" };
  const steps = await provider.ask(
    `PATCH /Groups/${group}`,
    patchOf(...Array.from({ length: scimLimits.operationsMax + 1 }, () => step)),
  );
  expect(steps.body).toMatchObject({ status: "400", scimType: "invalidSyntax" });
  const large = await provider.ask("POST /Groups", JSON.stringify({ displayName: "x".repeat(300_000) }));
  expect(large.body).toMatchObject({ status: "413" });
});
