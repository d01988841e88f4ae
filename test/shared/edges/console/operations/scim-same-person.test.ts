/** Who is whose person in SCIM: names that others get, subjects that change, invitations, and groups that change meanwhile. */
import { describe, expect, test } from "vitest";
import type { ProviderPlay } from "#infra/local/sandbox/identity-provider.ts";
import { createMembers } from "#shared/edges/store/identity/members.ts";
import type { Directories } from "#shared/people/scim/directory.ts";
import { openProvider, patchOf, scimAsker } from "#test/support/scim.ts";
import {
  type Browser,
  codeOf,
  newBrowser,
  newDomain,
  openSignOn,
  refusalOf,
  useSignOn,
} from "#test/support/sign-on.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const play: ProviderPlay = {};
const desk = useSignOn(db, play);

async function company(more: object = {}) {
  const domain = newDomain();
  const made = await desk.company(domain, more);
  const provider = await openProvider(desk, made.browser);
  return { ...made, domain, provider, at: (name: string) => `${name}@${domain}` };
}

/** Somebody signs in at the provider with an account of this subject, whose address is another text. */
async function signOnAs(sub: string, subject: string, browser: Browser = newBrowser()) {
  play.idToken = (claims, sign) => sign({ ...claims, sub });
  try {
    return await desk.signOn(browser, { subject });
  } finally {
    delete play.idToken;
  }
}

const off = patchOf({ op: "replace", value: { active: false } });
const notProvisioned = [40300, "sign_on_not_provisioned"];

describe("a user name that the provider gives again", () => {
  test.each<[string, object, object]>([
    ["with another external id", { externalId: "e1" }, { externalId: "e2" }],
    ["without one", { externalId: "e1" }, {}],
    ["where there was none", {}, {}],
  ])("%s is another person, who gets nothing of the one before", async (_, first, second) => {
    const { provider, at } = await company();
    const old = await provider.add(at("ann"), first);
    await signOnAs("subject 1", at("ann"));
    await provider.ask(`DELETE /Users/${old}`);
    const anew = await provider.add(at("ann"), second);
    expect(anew).not.toBe(old);
    expect((await signOnAs("subject 2", at("ann"))).body.user.id).toBe(anew);
    // The account of the one before finds nobody any more.
    expect(refusalOf(await signOnAs("subject 1", at("ann")))).toEqual(notProvisioned);
  });

  test("is the new person's also by the account of before, where nobody else has come by it", async () => {
    const { provider, at } = await company();
    const old = await provider.add(at("ann"));
    await signOnAs("subject 1", at("ann"));
    await provider.ask(`DELETE /Users/${old}`);
    const anew = await provider.add(at("ann"));
    expect((await signOnAs("subject 1", at("ann"))).body.user.id).toBe(anew);
    expect((await signOnAs("subject 1", at("ann"))).body.user.id).toBe(anew);
    expect(refusalOf(await signOnAs("subject 2", at("ann")))).toEqual(notProvisioned);
  });

  test("of a member whom an admin has removed is another person", async () => {
    const domain = newDomain();
    const { browser } = await desk.company(domain);
    const left = await desk.signOn(newBrowser(), { subject: `ann@${domain}` });
    await desk.ask(browser, `DELETE /api/v1/members/${left.body.user.id}`);
    const provider = await openProvider(desk, browser);
    expect(await provider.add(`ann@${domain}`)).not.toBe(left.body.user.id);
  });
});

describe("an address that several have", () => {
  test("is no conflict, and finds none of them", async () => {
    const { provider, at } = await company();
    const emails = [{ value: at("support"), primary: true }];
    const [one, other] = [
      await provider.add(at("ann"), { emails }),
      await provider.add(at("bob"), { emails }),
    ];
    expect(one).not.toBe(other);
    expect(refusalOf(await desk.signOn(newBrowser(), { subject: at("support") }))).toEqual(notProvisioned);
    expect((await desk.signOn(newBrowser(), { subject: at("ann") })).body.user.id).toBe(one);
    // It is free as a user name, and then finds still nobody.
    await provider.add(at("support"));
    expect(refusalOf(await desk.signOn(newBrowser(), { subject: at("support") }))).toEqual(notProvisioned);
  });

  test("is found while one alone has it, and not once they have signed in", async () => {
    const { provider, at } = await company();
    const id = await provider.add("ann", { emails: [{ value: at("ann"), primary: true }] });
    expect((await signOnAs("subject 1", at("ann"))).body.user.id).toBe(id);
    expect(refusalOf(await signOnAs("subject 2", at("ann")))).toEqual(notProvisioned);
    const taken = await provider.ask("POST /Users", { userName: "ANN" });
    expect([taken.status, taken.body.scimType]).toEqual([409, "uniqueness"]);
    expect((await provider.ask("POST /Users", { userName: at("ann") })).status).toBe(201);
  });
});

describe("an owner releases a sign-in", () => {
  const release = (owner: Browser, id: string) => desk.ask(owner, `DELETE /api/v1/members/${id}/sign-on`);

  test("so that another subject is the same person, and the one before is nobody", async () => {
    const { provider, at, browser } = await company();
    const id = await provider.add(at("ann"));
    const before = newBrowser();
    await signOnAs("subject 1", at("ann"), before);
    expect(refusalOf(await signOnAs("subject 2", at("ann")))).toEqual(notProvisioned);
    expect((await release(browser, id)).body).toMatchObject({ id, deleted: true });
    // What they had by the provider has ended.
    expect(codeOf(await desk.ask(before, "GET /api/v1/account"))).toBe(40103);
    expect((await signOnAs("subject 2", at("ann"))).body.user.id).toBe(id);
    expect(refusalOf(await signOnAs("subject 1", at("ann")))).toEqual(notProvisioned);
    expect((await signOnAs("subject 2", at("ann"))).body.user.id).toBe(id);
    const { body } = await desk.ask(browser, "GET /api/v1/audit-log");
    const line = body.data.find(({ kind }: { kind: string }) => kind === "sign_on_released");
    expect(line).toMatchObject({ subject: id, before: { issuer: desk.provider.url } });
  });

  test("so that the same subject may link again, once", async () => {
    const { provider, at, browser } = await company();
    const id = await provider.add(at("ann"));
    await signOnAs("subject 1", at("ann"));
    await release(browser, id);
    expect((await signOnAs("subject 1", at("ann"))).body.user.id).toBe(id);
    expect(refusalOf(await signOnAs("subject 2", at("ann")))).toEqual(notProvisioned);
  });

  test("and an account that was released ends nothing of the one that came after it", async () => {
    const { provider, at, browser } = await company();
    const id = await provider.add(at("ann"));
    await signOnAs("subject 1", at("ann"));
    await release(browser, id);
    const ann = newBrowser();
    await signOnAs("subject 2", at("ann"), ann);
    play.idToken = (claims, sign) => sign({ ...claims, sub: "subject 1", email_verified: false });
    const refused = await desk.signOn(newBrowser(), { subject: at("ann") });
    delete play.idToken;
    expect(refusalOf(refused)).toEqual([40300, "sign_on_unverified"]);
    expect((await desk.ask(ann, "GET /api/v1/account")).status).toBe(200);
  });

  /** Somebody who has signed in, was released, has signed in by another subject, and was deleted. */
  async function deleted() {
    const made = await company();
    const id = await made.provider.add(made.at("ann"), { externalId: "e1" });
    await signOnAs("subject 1", made.at("ann"));
    await release(made.browser, id);
    expect((await signOnAs("subject 2", made.at("ann"))).body.user.id).toBe(id);
    expect((await made.provider.ask(`DELETE /Users/${id}`)).status).toBe(204);
    return { ...made, id };
  }

  test("and its account of before is nobody also once SCIM has deleted the person and brings them back", async () => {
    const { provider, at, id } = await deleted();
    expect(await provider.add(at("ann"), { externalId: "e1" })).toBe(id);
    expect(refusalOf(await signOnAs("subject 1", at("ann")))).toEqual(notProvisioned);
    expect((await signOnAs("subject 2", at("ann"))).body.user.id).toBe(id);
  });

  test("and its account of before is nobody where SCIM has deleted the person and is off", async () => {
    const { at, browser, id } = await deleted();
    await desk.ask(browser, "DELETE /api/v1/provisioning/token");
    const other = await signOnAs("subject 1", at("ann"));
    expect([other.status, other.body.user.id === id]).toEqual([200, false]);
    expect((await signOnAs("subject 2", at("ann"))).body.user.id).toBe(id);
  });

  test("of nobody else: no owner, nobody whom SCIM has not provisioned, nobody of another organization", async () => {
    const [{ provider, at, browser, owner, organization }, other] = [await company(), await company()];
    const begun = await desk.ask(browser, "POST /api/v1/auth/sign-on/link");
    await desk.finish(browser, await desk.visit(begun.body.url, { subject: at("owner") }));
    expect(await provider.add(at("owner"))).toBe(owner.user.id);
    expect(codeOf(await release(browser, owner.user.id))).toBe(40300);
    const bob = await desk.desk.newMember(organization, "member");
    for (const id of [bob.user.id, await other.provider.add(other.at("eve")), "usr_x", "__proto__"])
      expect(refusalOf(await release(browser, id))).toEqual([40400, "sign_on_not_provisioned"]);
    const admin = await desk.desk.newMember(organization, "admin");
    const asAdmin = { ...newBrowser(), token: await admin.token(organization) };
    expect(codeOf(await release(asAdmin, await provider.add(at("ann"))))).toBe(40300);
  });
});

describe("an invitation", () => {
  /** A member who has joined their account, and whom SCIM has taken over and deactivated. */
  async function deactivated() {
    const made = await company();
    const bob = await desk.desk.newMember(made.organization, "member", "Bob");
    const browser: Browser = { cookies: new Map(), token: await bob.token(made.organization) };
    const begun = await desk.ask(browser, "POST /api/v1/auth/sign-on/link");
    await desk.finish(browser, await desk.visit(begun.body.url, { subject: made.at("bob") }));
    expect(await made.provider.add(made.at("bob"))).toBe(bob.user.id);
    const invited = await desk.ask(made.browser, "POST /api/v1/invitations", { role: "member" });
    // They call from an organization of their own.
    const home = await desk.desk.newOrganization();
    await desk.desk.join(bob, home.id, "owner");
    const own: Browser = { cookies: new Map(), token: await bob.token(home) };
    const accept = () => desk.ask(own, "POST /api/v1/invitations/accept", { token: invited.body.token });
    return { ...made, bob, accept };
  }

  test("does not let in whom SCIM has deactivated, and lets them in once it brings them back or is off", async () => {
    const { provider, bob, accept, browser, organization } = await deactivated();
    await provider.ask(`PATCH /Users/${bob.user.id}`, off);
    expect(refusalOf(await accept())).toEqual([40300, "sign_on_deactivated"]);
    expect(await createMembers(db.aws, db.tables).membership(organization.id, bob.user.id)).toBeUndefined();
    await desk.ask(browser, "DELETE /api/v1/provisioning/token");
    expect((await accept()).status).toBe(200);
  });

  test("that is accepted while they are deactivated does not let them in", async () => {
    const { provider, bob, accept } = await deactivated();
    await provider.ask(`PATCH /Users/${bob.user.id}`, off);
    const { directories } = desk.desk.deps;
    // The person was active when the invitation was looked at.
    const person: Directories["person"] = async (...args) => {
      const found = await directories.person(...args);
      desk.desk.deps.directories = directories;
      return found && { ...found, active: true };
    };
    desk.desk.deps.directories = { ...directories, person };
    expect(refusalOf(await accept())).toEqual([40300, "sign_on_deactivated"]);
  });
});

describe("a group that is renamed meanwhile", () => {
  const rules = [{ group: "bosses", role: "admin" }];

  test("is read again by a change of its person: the old name gives no role", async () => {
    const { provider, at, browser } = await company({ rules });
    const id = await provider.add(at("ann"));
    const group = await provider.group("bosses", id);
    await provider.ask(`PATCH /Users/${id}`, off);
    const real = desk.deps.directories;
    let isDone = false;
    const directories: Directories = {
      ...real,
      change: async (...args) => {
        if (!isDone) {
          isDone = true;
          await provider.ask(
            `PATCH /Groups/${group}`,
            patchOf({ op: "replace", value: { displayName: "staff" } }),
          );
        }
        return await real.change(...args);
      },
    };
    const slow = scimAsker(desk, { directories })(`Bearer ${provider.token}`);
    await slow(`PATCH /Users/${id}`, patchOf({ op: "replace", value: { active: true } }));
    const { body } = await desk.ask(browser, "GET /api/v1/members");
    expect(body.data.find((each: { id: string }) => each.id === id).role).toBe("member");
  });

  test("is read again by a sign-in of its person", async () => {
    const own = await openSignOn(db);
    const domain = newDomain();
    const { browser } = await own.company(domain, { rules });
    const provider = await openProvider(own, browser);
    const id = await provider.add(`ann@${domain}`);
    const group = await provider.group("bosses", id);
    const { signOns, directories } = own.deps;
    let isDone = false;
    own.deps.signOns = {
      ...signOns,
      enter: async (entrance) => {
        if (!isDone) {
          isDone = true;
          // The name alone is written: the process that renames has not come to its people yet.
          const before = await directories.groups(entrance.session.organization);
          const list = before.list.map((each) => (each.id === group ? { ...each, name: "staff" } : each));
          const line = { ...(entrance.entries[0] as (typeof entrance.entries)[number]), id: "aud_00" };
          expect(await directories.changeGroups(before, list, line)).toBe(true);
        }
        return await signOns.enter(entrance);
      },
    };
    expect((await own.signOn(newBrowser(), { subject: `ann@${domain}` })).body.organization.role).toBe(
      "member",
    );
    await own.provider.stop();
  });
});
