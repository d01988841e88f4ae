/** SCIM under attack: tokens of others, addresses of others, and two writers of one person. */
import { describe, expect, test } from "vitest";
import { scimLimits } from "#shared/people/scim/bounds.ts";
import type { Directories } from "#shared/people/scim/directory.ts";
import { openProvider, openProvisioned, patchOf, scimAsker } from "#test/support/scim.ts";
import { codeOf, newBrowser, newDomain, openSignOn, refusalOf, useSignOn } from "#test/support/sign-on.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const desk = useSignOn(db);

const company = async (more: object = {}) => await openProvisioned(desk, more);

const off = patchOf({ op: "replace", value: { active: false } });

describe("a token", () => {
  test("is of one organization: what another one has is not there", async () => {
    const [one, other] = [await company(), await company()];
    const id = await other.provider.add(other.at("ann"));
    const group = await other.provider.group("books", id);
    for (const route of [`Users/${id}`, `Groups/${group}`])
      for (const [method, body] of [
        ["GET", undefined],
        ["PUT", { userName: "x", displayName: "x" }],
        ["PATCH", off],
        ["DELETE", undefined],
      ] as const) {
        const answer = await one.provider.ask(`${method} /${route}`, body);
        expect([method, route, answer.status]).toEqual([method, route, 404]);
      }
    for (const name of ["Users", "Groups"])
      expect((await one.provider.ask(`GET /${name}`)).body.totalResults).toBe(0);
    expect((await other.provider.ask(`GET /Users/${id}`)).body.active).toBe(true);
    // The id of another organization in the token does not make it that one's.
    const mixed = one.provider.token.replace(/org_\w+/, other.organization.id);
    expect((await scimAsker(desk)(`Bearer ${mixed}`)("GET /Users")).status).toBe(401);
  });

  test("is taken by no other route, and SCIM takes no session and no API key", async () => {
    const { provider, browser } = await company();
    const key = await desk.ask(browser, "POST /api/v1/keys", { billing_mode: "payg" });
    for (const bearer of [browser.token, key.body.key, "scim", "", `${provider.token}x`]) {
      const answer = await scimAsker(desk)(`Bearer ${bearer}`)("GET /Users");
      expect([answer.status, answer.body.status, answer.headers["www-authenticate"]]).toEqual([
        401,
        "401",
        "Bearer",
      ]);
    }
    expect((await scimAsker(desk)(provider.token)("GET /ServiceProviderConfig")).status).toBe(401);
    const asProvider = { ...newBrowser(), token: provider.token };
    for (const route of ["GET /api/v1/account", "GET /api/v1/members", "POST /api/v1/provisioning/token"])
      expect(codeOf(await desk.ask(asProvider, route))).toBe(40103);
  });

  test("is made and ended by an owner alone, shown once, and the one before ends at once", async () => {
    const { provider, browser, organization } = await company();
    const admin = await desk.desk.newMember(organization, "admin");
    const asAdmin = { ...newBrowser(), token: await admin.token(organization) };
    for (const route of ["GET /api/v1/provisioning", "POST /api/v1/provisioning/token"])
      expect(codeOf(await desk.ask(asAdmin, route))).toBe(40300);
    const shown = await desk.ask(browser, "GET /api/v1/provisioning");
    expect(shown.body).toMatchObject({ enabled: true, people: 0, groups: 0, called_at: null });
    expect(JSON.stringify(shown.body)).not.toContain(provider.token.slice(-20));
    const second = await openProvider(desk, browser);
    expect((await provider.ask("GET /Users")).status).toBe(401);
    expect((await second.ask("GET /Users")).status).toBe(200);
    expect((await desk.ask(browser, "GET /api/v1/provisioning")).body.called_at).toMatch(/Z$/);
    await desk.ask(browser, "DELETE /api/v1/provisioning/token");
    expect((await second.ask("GET /Users")).status).toBe(401);
    expect(codeOf(await desk.ask(browser, "DELETE /api/v1/provisioning/token"))).toBe(40400);
    const { body } = await desk.ask(browser, "GET /api/v1/audit-log");
    const kinds = body.data.map(({ kind }: { kind: string }) => kind);
    expect(kinds.slice(0, 3)).toEqual([
      "provisioning_token_removed",
      "provisioning_token_made",
      "provisioning_token_made",
    ]);
  });

  test("needs a provider of the organization's own", async () => {
    const { browser } = await desk.newOwner();
    expect(refusalOf(await desk.ask(browser, "POST /api/v1/provisioning/token"))).toEqual([
      40400,
      "sign_on_unknown",
    ]);
  });

  test("makes so many calls a minute", async () => {
    const { provider } = await company();
    const most = scimLimits.callsAMinuteMax;
    let calls = 0;
    let answer = await provider.ask("GET /ServiceProviderConfig");
    while (answer.status === 200 && calls <= 2 * most) {
      calls += 1;
      answer = await provider.ask("GET /ServiceProviderConfig");
    }
    expect([answer.status, calls <= 2 * most]).toEqual([429, true]);
    expect(answer.headers["retry-after"]).toMatch(/^\d+$/);
  });
});

test("a path or a method that is not there is refused in SCIM's form", async () => {
  const { provider } = await company();
  for (const [route, status] of [
    ["GET /Bulk", 404],
    ["GET /Users/x/y", 404],
    ["GET /__proto__", 404],
    ["GET /Users/%ff", 404],
    ["GET /Schemas/x", 404],
    ["DELETE /Users", 405],
    ["POST /Schemas", 405],
  ] as const) {
    const { body, status: got } = await provider.ask(route);
    expect([route, got, body.status]).toEqual([route, status, String(status)]);
  }
  for (const route of ["Schemas", "ResourceTypes"]) {
    const { body } = await provider.ask(`GET /${route}`);
    for (const { id } of body.Resources)
      expect((await provider.ask(`GET /${route}/${encodeURIComponent(id)}`)).body.id).toBe(id);
  }
});

describe("an address", () => {
  test("that is not verified, or in a domain that is not proved, finds nobody", async () => {
    const { provider, at, browser } = await company();
    await desk.connect(browser, { admits: "everybody" });
    await provider.add(at("ann"));
    await provider.add("bob@elsewhere.example");
    const unverified = await desk.ask(newBrowser(), "POST /api/v1/auth/sign-on", { email: at("x") });
    expect(unverified.status).toBe(200);
    for (const said of [
      { subject: at("ann"), verified: false },
      { subject: "bob@elsewhere.example", verified: true },
    ]) {
      const visitor = newBrowser();
      const begun = await desk.begin(visitor, at("x"));
      const done = await desk.finish(visitor, await desk.visit(begun.body.url, said));
      expect(refusalOf(done)).toEqual([40300, "sign_on_not_provisioned"]);
    }
  });

  test("finds a person once: another subject with it gets nothing", async () => {
    const play: Parameters<typeof openSignOn>[1] = {};
    const own = await openSignOn(db, play);
    const domain = newDomain();
    const { browser } = await own.company(domain);
    const provider = await openProvider(own, browser);
    const id = await provider.add(`ann@${domain}`);
    expect((await own.signOn(newBrowser(), { subject: `ann@${domain}` })).body.user.id).toBe(id);
    play.idToken = (claims, sign) => sign({ ...claims, sub: "another subject" });
    expect(refusalOf(await own.signOn(newBrowser(), { subject: `ann@${domain}` }))).toEqual([
      40300,
      "sign_on_not_provisioned",
    ]);
    await own.provider.stop();
  });

  test("of somebody who came before SCIM named them shuts them out once SCIM deactivates that person", async () => {
    const { provider, at, organization } = await company();
    const bob = await desk.desk.newMember(organization, "member", "Bob");
    const browser = { cookies: new Map(), token: await bob.token(organization) };
    const double = await provider.add(at("bob"));
    const begun = await desk.ask(browser, "POST /api/v1/auth/sign-on/link");
    const joined = await desk.finish(browser, await desk.visit(begun.body.url, { subject: at("bob") }));
    expect(joined.body.user.id).toBe(bob.user.id);
    const provided = newBrowser();
    expect((await desk.signOn(provided, { subject: at("bob") })).status).toBe(200);
    await provider.ask(`PATCH /Users/${double}`, patchOf({ op: "replace", value: { active: false } }));
    expect(refusalOf(await desk.signOn(newBrowser(), { subject: at("bob") }))).toEqual([
      40300,
      "sign_on_deactivated",
    ]);
    expect((await desk.ask(provided, "GET /api/v1/account")).status).toBe(401);
  });

  test("of somebody with an account of their own, or in another organization, finds no account", async () => {
    const [one, other] = [await company(), await company()];
    const theirs = await other.provider.add(one.at("ann"));
    const mine = await one.provider.add(one.at("ann"));
    expect(mine).not.toBe(theirs);
    const signed = await desk.signOn(newBrowser(), { subject: one.at("ann") });
    expect(signed.body.user.id).toBe(mine);
    expect((await other.provider.ask(`GET /Users/${theirs}`)).body.active).toBe(true);
  });
});

describe("of two writers of one person", () => {
  /** Directories in which something else is done before the next write. */
  function interrupted(act: () => Promise<unknown>): Directories {
    const real = desk.deps.directories;
    let isDone = false;
    return {
      ...real,
      change: async (...args) => {
        if (!isDone) {
          isDone = true;
          await act();
        }
        return await real.change(...args);
      },
    };
  }

  test("two changes both act", async () => {
    const { provider, at } = await company();
    const id = await provider.add(at("ann"));
    const rename = patchOf({ op: "replace", path: "displayName", value: "Ann" });
    const directories = interrupted(() => provider.ask(`PATCH /Users/${id}`, off));
    const slow = scimAsker(desk, { directories })(`Bearer ${provider.token}`);
    expect((await slow(`PATCH /Users/${id}`, rename)).body).toMatchObject({
      active: false,
      displayName: "Ann",
    });
  });

  test("two new ones with one name are one", async () => {
    const { provider, at } = await company();
    const directories = interrupted(() => provider.add(at("ann")));
    const slow = scimAsker(desk, { directories })(`Bearer ${provider.token}`);
    expect((await slow("POST /Users", { userName: at("ann") })).status).toBe(409);
    expect((await provider.ask("GET /Users")).body.totalResults).toBe(1);
  });

  test("a sign-in that has read an active person fails once they are deactivated", async () => {
    const own = await openSignOn(db);
    const domain = newDomain();
    const { browser } = await own.company(domain);
    const provider = await openProvider(own, browser);
    const id = await provider.add(`ann@${domain}`);
    const { signOns } = own.deps;
    let isDone = false;
    own.deps.signOns = {
      ...signOns,
      enter: async (entrance) => {
        if (!isDone) {
          isDone = true;
          expect((await provider.ask(`PATCH /Users/${id}`, off)).status).toBe(200);
        }
        return await signOns.enter(entrance);
      },
    };
    expect(refusalOf(await own.signOn(newBrowser(), { subject: `ann@${domain}` }))).toEqual([
      40300,
      "sign_on_deactivated",
    ]);
    expect(await own.deps.sessions.list(id, 10)).toEqual([]);
    await own.provider.stop();
  });

  test("a new person of a token that ends meanwhile is not made", async () => {
    const { provider, browser, at } = await company();
    const directories = interrupted(() => desk.ask(browser, "DELETE /api/v1/provisioning/token"));
    const slow = scimAsker(desk, { directories })(`Bearer ${provider.token}`);
    expect((await slow("POST /Users", { userName: at("ann") })).status).toBe(401);
  });

  test("a repetition ends the keys that a crash has left", async () => {
    const { provider, at } = await company({ rules: [{ group: "boss", role: "admin" }] });
    const id = await provider.add(at("ann"));
    await provider.group("boss", id);
    const ann = newBrowser();
    await desk.signOn(ann, { subject: at("ann") });
    await desk.ask(ann, "POST /api/v1/keys", { billing_mode: "payg", permissions: ["manage_keys"] });
    const { auditedKeys, accounts } = desk.deps;
    const dying = { ...auditedKeys, revoke: () => Promise.reject(new Error("the process died")) };
    const slow = scimAsker(desk, { auditedKeys: dying })(`Bearer ${provider.token}`);
    expect((await slow(`DELETE /Users/${id}`)).status).toBe(500);
    const states = async () =>
      (await accounts.keys(provider.token.split(".")[1] ?? "", { limit: 9 })).keys.map(
        ({ status }) => status,
      );
    expect(await states()).toEqual(["active"]);
    expect((await provider.ask(`DELETE /Users/${id}`)).status).toBe(204);
    expect(await states()).toEqual(["revoked"]);
  });
});
