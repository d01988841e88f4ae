/** SCIM's users: what a provider says of people, and what they may then do. */
import { describe, expect, test } from "vitest";
import { openProvider, openProvisioned, patchOf, type ScimProvider } from "#test/support/scim.ts";
import { type Browser, codeOf, newBrowser, newDomain, refusalOf, useSignOn } from "#test/support/sign-on.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const desk = useSignOn(db);

const company = async (more: object = {}) => await openProvisioned(desk, more);

const off = patchOf({ op: "Replace", value: { active: false } });
const on = patchOf({ op: "replace", path: "active", value: true });

const membersOf = async (owner: Browser): Promise<Record<string, string>> => {
  const { body } = await desk.ask(owner, "GET /api/v1/members");
  return Object.fromEntries(body.data.map((each: { id: string; role: string }) => [each.id, each.role]));
};
const kindsOf = async (owner: Browser) => {
  const { body } = await desk.ask(owner, "GET /api/v1/audit-log");
  return body.data as { kind: string; subject: string; actor: { id: string; name: string } }[];
};

describe("somebody whom the provider has provisioned", () => {
  test("is a member at once, and the same person when they first sign in", async () => {
    const { provider, browser, at } = await company();
    const made = await provider.ask("POST /Users", {
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
      userName: at("Ann"),
      externalId: "00u1",
      name: { givenName: "Ann", familyName: "Lee" },
      emails: [{ value: at("ann"), type: "work", primary: true }],
      active: true,
    });
    expect([made.status, made.headers["content-type"]]).toEqual([201, "application/scim+json"]);
    expect(made.headers.location).toBe(made.body.meta.location);
    const { id } = made.body;
    expect(await membersOf(browser)).toMatchObject({ [id]: "member" });
    const signed = await desk.signOn(newBrowser(), { subject: at("ann") });
    expect(signed.body).toMatchObject({ user: { id, name: "Ann Lee" }, organization: { role: "member" } });
    expect((await desk.signOn(newBrowser(), { subject: at("ann") })).body.user.id).toBe(id);
    const lines = await kindsOf(browser);
    expect(lines.map(({ kind }) => kind).slice(0, 3)).toEqual([
      "account_linked",
      ...["member_joined", "person_provisioned"].toSorted(
        (one, other) =>
          lines.findIndex(({ kind }) => kind === one) - lines.findIndex(({ kind }) => kind === other),
      ),
    ]);
    expect(JSON.stringify(lines.filter(({ kind }) => kind.startsWith("person")))).not.toContain(at("ann"));
  });

  test("who is deactivated loses session, program keys and keys that manage keys with that answer", async () => {
    const { provider, at } = await company({ rules: [{ group: "boss", role: "admin" }] });
    const id = await provider.add(at("eve"));
    await provider.group("boss", id);
    const eve = newBrowser();
    expect((await desk.signOn(eve, { subject: at("eve") })).body.organization.role).toBe("admin");
    const key = async (body: object) => (await desk.ask(eve, "POST /api/v1/keys", body)).body.id as string;
    const managing = await key({ billing_mode: "payg", permissions: ["manage_keys"] });
    const plain = await key({ billing_mode: "payg" });
    expect(await provider.ask(`PATCH /Users/${id}`, off)).toMatchObject({
      status: 200,
      body: { active: false },
    });
    expect(codeOf(await desk.ask(eve, "GET /api/v1/account"))).toBe(40103);
    expect(refusalOf(await desk.signOn(newBrowser(), { subject: at("eve") }))).toEqual([
      40300,
      "sign_on_deactivated",
    ]);
    const page = await desk.deps.accounts.keys(await organizationOf(provider), { limit: 50 });
    const states = Object.fromEntries(page.keys.map((each) => [each.id, each.status]));
    expect(states).toEqual({ [managing]: "revoked", [plain]: "active" });

    await provider.ask(`PATCH /Users/${id}`, on);
    // The membership is back. The session and the key are not.
    expect(codeOf(await desk.ask(eve, "GET /api/v1/account"))).toBe(40103);
    const again = newBrowser();
    expect((await desk.signOn(again, { subject: at("eve") })).body).toMatchObject({
      user: { id },
      organization: { role: "admin" },
    });
    const { body } = await desk.ask(again, "GET /api/v1/keys");
    const active = body.data.filter(({ status }: { status: string }) => status === "active");
    expect(active.map((each: { id: string }) => each.id)).toEqual([plain]);
  });

  test("who is deleted is gone, and comes back only as the provider says", async () => {
    const { provider, browser, at } = await company();
    const id = await provider.add(at("bob"), { externalId: "e-bob" });
    const bob = newBrowser();
    await desk.signOn(bob, { subject: at("bob") });
    expect((await provider.ask(`DELETE /Users/${id}`)).status).toBe(204);
    expect(codeOf(await desk.ask(bob, "GET /api/v1/account"))).toBe(40103);
    expect((await provider.ask(`GET /Users/${id}`)).status).toBe(404);
    expect((await provider.ask(`DELETE /Users/${id}`)).status).toBe(404);
    expect(refusalOf(await desk.signOn(newBrowser(), { subject: at("bob") }))).toEqual([
      40300,
      "sign_on_not_provisioned",
    ]);
    // The provider says that it is the same person.
    expect(await provider.add(at("bob"), { externalId: "e-bob" })).toBe(id);
    expect((await desk.signOn(newBrowser(), { subject: at("bob") })).body.user.id).toBe(id);
    expect(Object.keys(await membersOf(browser))).toContain(id);
  });

  test("who is deactivated before the first sign-in gets no account another way", async () => {
    const { provider, browser, at } = await company();
    const id = await provider.add(at("kim"), { active: false });
    expect(Object.keys(await membersOf(browser))).not.toContain(id);
    const refused = await desk.signOn(newBrowser(), { subject: at("kim") });
    expect(refusalOf(refused)).toEqual([40300, "sign_on_deactivated"]);
  });

  test("whom SCIM has made is called as the provider calls them", async () => {
    const { provider, at, browser } = await company();
    const id = await provider.add(at("ann"), { displayName: "Ann" });
    await provider.ask(
      `PATCH /Users/${id}`,
      patchOf({ op: "replace", path: "displayName", value: "Ann B." }),
    );
    const { body } = await desk.ask(browser, "GET /api/v1/members");
    expect(body.data.find((each: { id: string }) => each.id === id).name).toBe("Ann B.");
  });
});

const organizationOf = async ({ token }: ScimProvider) => token.split(".")[1] ?? "";

describe("while the provider provisions", () => {
  test("nobody whom it has not provisioned becomes a member, and who is one stays", async () => {
    const domain = newDomain();
    const { browser } = await desk.company(domain);
    const before = newBrowser();
    const known = await desk.signOn(before, { subject: `old@${domain}` });
    await openProvider(desk, browser);
    expect(refusalOf(await desk.signOn(newBrowser(), { subject: `new@${domain}` }))).toEqual([
      40300,
      "sign_on_not_provisioned",
    ]);
    expect((await desk.signOn(newBrowser(), { subject: `old@${domain}` })).body.user.id).toBe(
      known.body.user.id,
    );
    await desk.ask(browser, "DELETE /api/v1/provisioning/token");
    expect((await desk.signOn(newBrowser(), { subject: `new@${domain}` })).status).toBe(200);
  });

  test("who signed in before is the person that SCIM then names, and is deactivated by it", async () => {
    const domain = newDomain();
    const { browser } = await desk.company(domain);
    const ann = newBrowser();
    const { user } = (await desk.signOn(ann, { subject: `ann@${domain}`, name: "Ann" })).body;
    const provider = await openProvider(desk, browser);
    expect(await provider.add(`Ann@${domain}`, { displayName: "Somebody" })).toBe(user.id);
    const { body } = await desk.ask(browser, "GET /api/v1/members");
    expect(body.data.find((each: { id: string }) => each.id === user.id).name).toBe("Ann");
    await provider.ask(`PATCH /Users/${user.id}`, off);
    expect(codeOf(await desk.ask(ann, "GET /api/v1/account"))).toBe(40103);
  });

  test("an owner is not touched: neither deactivated, nor deleted, nor given another role", async () => {
    const { provider, browser, owner, at } = await company({ rules: [{ group: "x", role: "member" }] });
    const begun = await desk.ask(browser, "POST /api/v1/auth/sign-on/link");
    await desk.finish(browser, await desk.visit(begun.body.url, { subject: at("owner") }));
    const id = await provider.add(at("owner"));
    expect(id).toBe(owner.user.id);
    await provider.group("x", id);
    expect((await provider.ask(`PATCH /Users/${id}`, off)).status).toBe(403);
    expect((await provider.ask(`DELETE /Users/${id}`)).status).toBe(403);
    expect(await membersOf(browser)).toMatchObject({ [id]: "owner" });
    expect((await desk.ask(browser, "GET /api/v1/account")).status).toBe(200);
  });
});

describe("a list", () => {
  test("finds by user name in any case, by address and external id, and by nothing injected", async () => {
    const { provider, at } = await company();
    const id = await provider.add(at("ann"), {
      externalId: "Ext-1",
      emails: [{ value: at("mail"), primary: true }],
    });
    await provider.add(at("bob"), { externalId: "Ext-2", active: false });
    const found = async (filter: string) => {
      const { body, status } = await provider.ask(`GET /Users?filter=${encodeURIComponent(filter)}`);
      return status === 200 ? body.Resources.map((each: { id: string }) => each.id) : body.scimType;
    };
    for (const filter of [
      `userName eq "${at("ANN")}"`,
      `username Eq "${at("ann")}"`,
      `externalId eq "Ext-1"`,
      `emails.value eq "${at("mail")}"`,
      `emails[type eq "work"].value eq "${at("mail")}"`,
      `active eq true and externalId eq "Ext-1"`,
      `id eq "${id}"`,
    ])
      expect([filter, await found(filter)]).toEqual([filter, [id]]);
    for (const filter of [
      `userName eq "${at("mail")}"`,
      `externalId eq "ext-1"`,
      `externalId eq "Ext-1" and active eq false`,
      'userName eq "\\" or active eq true"',
      'id eq "../Users"',
      'userName eq "*"',
    ])
      expect([filter, await found(filter)]).toEqual([filter, []]);
    for (const filter of [
      'userName ne "x"',
      "userName eq x",
      'userName eq "x" or active eq true',
      'userName eq "x" active eq true',
      'password eq "x"',
      '(userName eq "x")',
      `userName eq "${"x".repeat(2_000)}"`,
      'a eq "x" and '.repeat(9),
      'userName eq "\\u12"',
    ])
      expect([filter.slice(0, 30), await found(filter)]).toEqual([filter.slice(0, 30), "invalidFilter"]);
  });

  test("has pages that miss nobody and tell all", async () => {
    const { provider, at } = await company();
    const all: string[] = [];
    for (const name of ["a", "b", "c", "d", "e"]) {
      await provider.add(at(name));
      all.push(at(name));
    }
    const seen: string[] = [];
    for (let start = 1; start <= 6; start += 2) {
      const { body } = await provider.ask(`GET /Users?startIndex=${start}&count=2`);
      expect(body).toMatchObject({ totalResults: 5, startIndex: start });
      expect(body.itemsPerPage).toBe(body.Resources.length);
      seen.push(...body.Resources.map((each: { userName: string }) => each.userName));
    }
    expect(seen).toEqual(all);
    const none = await provider.ask("GET /Users?count=0");
    expect(none.body).toMatchObject({ totalResults: 5, itemsPerPage: 0, Resources: [] });
    const some = await provider.ask("GET /Users?startIndex=-3&count=1&attributes=userName&sortBy=userName");
    expect(Object.keys(some.body.Resources[0])).toEqual(["schemas", "id", "userName"]);
    expect((await provider.ask("GET /Users?count=x")).body.scimType).toBe("invalidValue");
  });

  test("a name or main address belongs to one person", async () => {
    const { provider, at } = await company();
    await provider.add(at("ann"));
    const bob = await provider.add(at("bob"));
    const twice = await provider.ask("POST /Users", { userName: at("ANN") });
    expect([twice.status, twice.body.scimType, twice.body.status]).toEqual([409, "uniqueness", "409"]);
    const moved = await provider.ask(
      `PATCH /Users/${bob}`,
      patchOf({ op: "replace", value: { userName: at("ann") } }),
    );
    expect(moved.status).toBe(409);
    // A name that was given up is free.
    await provider.ask(`PATCH /Users/${bob}`, patchOf({ op: "replace", path: "userName", value: at("rob") }));
    expect(await provider.add(at("bob"))).not.toBe(bob);
    expect((await desk.signOn(newBrowser(), { subject: at("rob") })).body.user.id).toBe(bob);
  });
});

test("a whole body with null, and with names that are no attribute's, is taken", async () => {
  const { provider, at } = await company();
  const odd = { "a[b": 1, "": 2, "two words": 3, active: null, name: null, emails: null, externalId: null };
  const made = await provider.ask("POST /Users", { userName: at("ann"), ...odd });
  expect([made.status, made.body.active, made.body.emails]).toEqual([201, true, []]);
  await provider.ask(`PATCH /Users/${made.body.id}`, patchOf({ op: "replace", value: { active: false } }));
  const put = await provider.ask(`PUT /Users/${made.body.id}`, { userName: at("ann"), ...odd });
  expect([put.status, put.body.active]).toEqual([200, false]);
});
