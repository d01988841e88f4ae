/** Signing in by an organization's own provider: who gets in, as what, and what nobody gets by it. */
import { describe, expect, test } from "vitest";
import { createMembers } from "#shared/edges/store/identity/members.ts";
import { createUserStatuses } from "#shared/edges/store/identity/user-statuses.ts";
import {
  codeOf,
  newBrowser,
  newDomain,
  openSignOn,
  refusalOf,
  type SignOnConsole,
  useSignOn,
} from "#test/support/sign-on.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const desk = useSignOn(db);

/** What somebody's account says with the token of their browser. */
const account = (browser: Parameters<SignOnConsole["ask"]>[0]) => desk.ask(browser, "GET /api/v1/account");

test("a session of a provider gives the account no way in of its own, and takes none", async () => {
  const domain = newDomain();
  await desk.company(domain);
  const ann = newBrowser();
  await desk.signOn(ann, { subject: `ann@${domain}` });
  const added = await desk.ask(ann, "POST /api/v1/account/contacts", {
    phone: "+8613900000000",
    code: "123456",
  });
  const removed = await desk.ask(ann, "DELETE /api/v1/account/contacts/phone");
  const linked = await desk.ask(ann, "POST /api/v1/auth/sign-on/link");
  expect([added, removed, linked].map(codeOf)).toEqual([40300, 40300, 40300]);
});

describe("somebody of the company", () => {
  test("becomes a user and a member with the first sign-in, and is the same one with the next", async () => {
    const domain = newDomain();
    const { organization, browser: owner } = await desk.company(domain);
    const ann = newBrowser();
    const first = await desk.signOn(ann, { subject: `Ann@${domain}`, name: "Ann" });
    expect(first.body).toMatchObject({
      user: { name: "Ann" },
      organization: { id: organization.id, role: "member" },
    });
    expect((await account(ann)).body).toMatchObject({
      role: "member",
      organization: { id: organization.id },
    });
    const again = await desk.signOn(newBrowser(), { subject: `Ann@${domain}`, name: "Ann" });
    expect(again.body.user.id).toBe(first.body.user.id);
    const log = await desk.ask(owner, "GET /api/v1/audit-log");
    const kinds = log.body.data.map(({ kind }: { kind: string }) => kind);
    expect(kinds.slice(0, 2).toSorted()).toEqual(["account_linked", "member_joined"]);
    expect(kinds).toContain("domain_proved");
    expect(kinds).toContain("sign_on_changed");
  });

  test("gets the role that the first fitting group says, anew with each sign-in", async () => {
    const domain = newDomain();
    const rules = [
      { group: "bosses", role: "admin" },
      { group: "books", role: "finance" },
    ];
    await desk.company(domain, { rules, default_role: null });
    const said = { subject: `bob@${domain}` };
    expect(refusalOf(await desk.signOn(newBrowser(), said))).toEqual([40300, "sign_on_groups"]);
    const roleWith = async (groups: string) =>
      (await desk.signOn(newBrowser(), { ...said, groups })).body.organization?.role;
    expect(await roleWith("others, books, bosses")).toBe("admin");
    expect(await roleWith("books")).toBe("finance");
    expect(refusalOf(await desk.signOn(newBrowser(), { ...said, groups: "others" }))[0]).toBe(40300);
  });

  test("who loses the group that manages keys loses the keys that manage keys", async () => {
    const domain = newDomain();
    await desk.company(domain, { rules: [{ group: "bosses", role: "admin" }] });
    const boss = newBrowser();
    await desk.signOn(boss, { subject: `eve@${domain}`, groups: "bosses" });
    const made = await desk.ask(boss, "POST /api/v1/keys", {
      billing_mode: "payg",
      permissions: ["manage_keys"],
    });
    expect(made.status).toBe(200);
    await desk.signOn(boss, { subject: `eve@${domain}` });
    const { body } = await desk.ask(boss, "GET /api/v1/keys");
    expect(body.data.filter(({ status }: { status: string }) => status === "active")).toEqual([]);
  });

  test("no group makes an owner, and an owner whom a code made one stays one", async () => {
    const domain = newDomain();
    const { browser, organization, owner } = await desk.company(domain, {
      rules: [{ group: "x", role: "admin" }],
    });
    const wrong = await desk.connect(browser, { rules: [{ group: "x", role: "owner" }] });
    expect([codeOf(wrong), wrong.body.error.message]).toEqual([40000, expect.stringContaining("rules[0]")]);
    const begun = await desk.ask(browser, "POST /api/v1/auth/sign-on/link");
    const said = { subject: `owner@${domain}`, groups: "x" };
    const linked = await desk.finish(browser, await desk.visit(begun.body.url, said));
    expect(linked.body).toMatchObject({ user: { id: owner.user.id }, organization: { role: "owner" } });
    const again = await desk.signOn(newBrowser(), said);
    expect(again.body).toMatchObject({ user: { id: owner.user.id }, organization: { id: organization.id } });
  });

  test("who is frozen gets no session", async () => {
    const domain = newDomain();
    await desk.company(domain);
    const { body } = await desk.signOn(newBrowser(), { subject: `a@${domain}` });
    await createUserStatuses(db.aws, db.tables).set(body.user.id, "frozen");
    expect(codeOf(await desk.signOn(newBrowser(), { subject: `a@${domain}` }))).toBe(40110);
  });
});

describe("an attempt", () => {
  const arrived = async () => {
    const domain = newDomain();
    const made = await desk.company(domain);
    const browser = newBrowser();
    const { body } = await desk.begin(browser, `a@${domain}`);
    return { ...made, domain, browser, url: body.url as string, said: { subject: `a@${domain}` } };
  };

  test("asks with PKCE, a state and a nonce, and leads back to the organization's own page", async () => {
    const { url, organization } = await arrived();
    const asked = Object.fromEntries(new URL(url).searchParams);
    expect(asked).toMatchObject({
      ...{ response_type: "code", code_challenge_method: "S256", client_id: "gateway" },
      redirect_uri: `http://localhost:8789/sign-on/${organization.id}`,
    });
    for (const name of ["state", "nonce", "code_challenge"]) expect(asked[name]).toMatch(/^[\w-]{43}$/);
  });

  test("ends in the browser that began it, and in no other", async () => {
    const { browser, url, said, domain } = await arrived();
    const back = await desk.visit(url, said);
    expect(refusalOf(await desk.finish(newBrowser(), back))).toEqual([40112, "sign_on_over"]);
    const other = newBrowser();
    await desk.begin(other, `b@${domain}`);
    expect(refusalOf(await desk.finish(other, back))).toEqual([40111, "sign_on_wrong"]);
    expect((await desk.finish(browser, back)).status).toBe(200);
  });

  test("ends once: neither its state nor its code is good again", async () => {
    const { browser, url, said } = await arrived();
    const back = await desk.visit(url, said);
    const kept = { cookies: new Map(browser.cookies) };
    const asked = [browser, kept, { cookies: new Map(browser.cookies) }].map((each) =>
      desk.finish(each, back),
    );
    const codes = (await Promise.all(asked)).map(codeOf);
    expect(codes.toSorted()).toEqual([200, 40112, 40112]);
    expect(refusalOf(await desk.finish(kept, back))).toEqual([40112, "sign_on_over"]);
  });

  test("is over after ten minutes, and when the connection has changed", async () => {
    const { browser, url, said, browser: _b } = await arrived();
    const back = await desk.visit(url, said);
    desk.pass(600_001);
    expect(refusalOf(await desk.finish(browser, back))).toEqual([40112, "sign_on_over"]);
    const domain = newDomain();
    const { browser: owner } = await desk.company(domain);
    const late = newBrowser();
    const begun = await desk.begin(late, `a@${domain}`);
    const returned = await desk.visit(begun.body.url, { subject: `a@${domain}` });
    desk.pass(1);
    await desk.connect(owner);
    expect(refusalOf(await desk.finish(late, returned))).toEqual([40112, "sign_on_over"]);
  });

  test.each([
    ["of another issuer", (back: Record<string, string>) => ({ ...back, iss: "https://id.evil.example" })],
    ["without an issuer", ({ iss: _iss, ...back }: Record<string, string>) => back],
    ["with another state", (back: Record<string, string>) => ({ ...back, state: "another" })],
    ["with another code", (back: Record<string, string>) => ({ ...back, code: "another" })],
    [
      "at the page of another organization",
      (back: Record<string, string>) => ({ ...back, organization: "org_01KAJ2X5P00000000000000000" }),
    ],
  ])("an answer %s is refused", async (_, change) => {
    const { browser, url, said } = await arrived();
    const back = await desk.visit(url, said);
    expect(refusalOf(await desk.finish(browser, change(back)))).toEqual([40111, "sign_on_wrong"]);
  });

  test("a page of another site can neither begin nor end one", async () => {
    const { browser, url, said } = await arrived();
    const back = await desk.visit(url, said);
    const elsewhere = { "sec-fetch-site": "cross-site", host: "localhost:8789" };
    const ended = await desk.ask(browser, "POST /api/v1/auth/sign-on/finish", back, elsewhere);
    expect(codeOf(ended)).toBe(40300);
    const begun = await desk.ask(browser, "POST /api/v1/auth/sign-on", { email: said.subject }, elsewhere);
    expect(codeOf(begun)).toBe(40300);
  });

  test("tells nobody who has an account: every address of a domain gets the same answer", async () => {
    const { domain } = await arrived();
    const shape = async (email: string) => {
      const { status, body } = await desk.begin(newBrowser(), email);
      const url = new URL(body.url);
      return [status, url.origin + url.pathname, [...url.searchParams.keys()]];
    };
    expect(await shape(`a@${domain}`)).toEqual(await shape(`nobody@${domain}`));
    const unknown = await desk.begin(newBrowser(), "a@unknown.example");
    expect(refusalOf(unknown)).toEqual([40400, "sign_on_unknown"]);
    for (const email of ["a", "@b.example", "a@b", "a@127.0.0.1", "a@[::1]", "a@b/c.example"])
      expect(codeOf(await desk.begin(newBrowser(), email))).toBe(40000);
  });

  test("an address that begins too many is refused for the hour", async () => {
    const full = await openSignOn(
      db,
      {},
      { velocity: { take: async () => undefined, giveBack: async () => {} } },
    );
    expect(codeOf(await full.begin(newBrowser(), "a@b.example"))).toBe(42901);
    await full.provider.stop();
  });
});

describe("a session of a provider", () => {
  test("opens no other organization of its user, neither by its token nor by a refresh", async () => {
    const domain = newDomain();
    const { browser, organization, owner } = await desk.company(domain);
    const other = await desk.desk.newOrganization();
    await desk.desk.join(owner, other.id, "owner");
    const begun = await desk.ask(browser, "POST /api/v1/auth/sign-on/link");
    const linked = await desk.finish(browser, await desk.visit(begun.body.url, { subject: `o@${domain}` }));
    expect(linked.status).toBe(200);
    const fresh = await desk.ask(browser, "POST /api/v1/auth/refresh", { organization: other.id });
    expect(codeOf(fresh)).toBe(40300);
    const own = await desk.ask(browser, "POST /api/v1/auth/refresh", {});
    expect(own.body.organization.id).toBe(organization.id);
    const { session } = await sessionsOf(owner.user.id);
    const token = await desk.desk.tokenOf({ user: owner.user.id, session, organization: other.id });
    expect(refusalOf(await account({ cookies: new Map(), token }))).toEqual([40103, "sign_on_required"]);
  });

  const sessionsOf = async (user: string) => {
    const [newest] = await desk.deps.sessions.list(user, 1);
    return { session: newest?.id ?? "" };
  };
});

describe("joining accounts", () => {
  test("needs the session that asked for it, and takes no account of somebody else", async () => {
    const domain = newDomain();
    const { browser, owner, organization } = await desk.company(domain);
    await desk.signOn(newBrowser(), { subject: `taken@${domain}` });
    const first = await desk.ask(browser, "POST /api/v1/auth/sign-on/link");
    const taken = await desk.finish(
      browser,
      await desk.visit(first.body.url, { subject: `taken@${domain}` }),
    );
    expect(refusalOf(taken)).toEqual([40910, "sign_on_linked"]);
    const second = await desk.ask(browser, "POST /api/v1/auth/sign-on/link");
    const back = await desk.visit(second.body.url, { subject: `mine@${domain}` });
    await desk.deps.sessions.end(owner.user.id, owner.session.id, desk.clock.now);
    expect(codeOf(await desk.finish(browser, back))).toBe(40103);
    expect(await createMembers(db.aws, db.tables).membership(organization.id, owner.user.id)).toBeDefined();
  });

  test("without a provider there is nothing to join", async () => {
    const { browser } = await desk.newOwner();
    expect(codeOf(await desk.ask(browser, "POST /api/v1/auth/sign-on/link"))).toBe(40400);
  });
});
