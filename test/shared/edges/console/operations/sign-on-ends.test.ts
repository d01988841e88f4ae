/** When what a provider has opened ends: a session, what it sees of others, and the keys that came by it. */
import { describe, expect, test } from "vitest";
import { consoleLimits } from "#shared/base/console-limits.ts";
import { newId } from "#shared/base/platform/id.ts";
import { transact } from "#shared/edges/store/dynamodb/transaction.ts";
import { newSession } from "#shared/edges/store/identity/sessions.ts";
import { type Browser, codeOf, newBrowser, newDomain, refusalOf, useSignOn } from "#test/support/sign-on.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const desk = useSignOn(db);

const account = (browser: Browser) => desk.ask(browser, "GET /api/v1/account");

/** A company, its owner's browser with a code's session, and Ann's with one of the provider. */
async function opened(more: object = {}, groups = "") {
  const domain = newDomain();
  const made = await desk.company(domain, more);
  const ann = newBrowser();
  const said = { subject: `ann@${domain}`, groups };
  const { body } = await desk.signOn(ann, said);
  return { ...made, domain, ann, said, user: body.user?.id as string };
}

/** The owner comes by the provider and makes it the only way in. */
async function required(more: object = {}) {
  const made = await opened(more);
  const { browser, domain } = made;
  const link = await desk.ask(browser, "POST /api/v1/auth/sign-on/link");
  await desk.finish(browser, await desk.visit(link.body.url, { subject: `owner@${domain}` }));
  const owner = newBrowser();
  await desk.signOn(owner, { subject: `owner@${domain}` });
  return { ...made, owner, demand: () => desk.ask(owner, "PATCH /api/v1/sign-on", { required: true }) };
}

describe("a session of a provider", () => {
  test("ends a day after it began, whatever it does", async () => {
    const { ann } = await opened();
    desk.pass(consoleLimits.signOnSessionSeconds * 1000 - 5_000);
    const refreshed = await desk.ask(ann, "POST /api/v1/auth/refresh", {});
    ann.token = refreshed.body.access_token;
    expect((await account(ann)).status).toBe(200);
    desk.pass(5_000);
    expect(codeOf(await account(ann))).toBe(40103);
    expect(codeOf(await desk.ask(ann, "POST /api/v1/auth/refresh", {}))).toBe(40103);
  });

  test.each([
    ["of another client", { client_id: "another", client_secret: "secret" }, 40103],
    ["with the same client and another secret", { client_secret: "secret" }, 200],
    ["with other groups", { rules: [{ group: "a", role: "member" }] }, 200],
  ])("is over with a connection %s, or not", async (_, change, code) => {
    const { ann, browser } = await opened();
    expect((await desk.ask(browser, "PATCH /api/v1/sign-on", change)).status).toBe(200);
    expect(codeOf(await account(ann))).toBe(code);
  });

  test("is over when the connection is removed, and one of a code goes on", async () => {
    const { ann, browser } = await opened();
    expect((await desk.ask(browser, "DELETE /api/v1/sign-on")).status).toBe(200);
    expect(refusalOf(await account(ann))).toEqual([40103, "sign_on_required"]);
    expect((await account(browser)).status).toBe(200);
  });

  test("that begins while its provider is removed is over as it begins", async () => {
    const { browser, said } = await opened();
    const { read } = desk.deps.connections;
    const late = newBrowser();
    const back = await desk.visit((await desk.begin(late, said.subject)).body.url, said);
    // The owner removes the connection once the sign-in has read it, and the provider takes its time.
    desk.deps.connections.read = async (organization) => {
      const connection = await read(organization);
      desk.deps.connections.read = read;
      await desk.ask(browser, "DELETE /api/v1/sign-on");
      desk.pass(5_000);
      return connection;
    };
    const finished = await desk.finish(late, back);
    late.token = finished.body.access_token;
    expect([finished.status, ...refusalOf(await account(late))]).toEqual([200, 40103, "sign_on_required"]);
  });

  test("neither sees nor ends the other sessions of its user, nor their organizations", async () => {
    const { browser, owner, organization, domain } = await opened();
    const other = await desk.desk.newOrganization();
    await desk.desk.join(owner, other.id, "owner");
    const link = await desk.ask(browser, "POST /api/v1/auth/sign-on/link");
    await desk.finish(browser, await desk.visit(link.body.url, { subject: `o@${domain}` }));
    const provided = newBrowser();
    await desk.signOn(provided, { subject: `o@${domain}` });
    const idsOf = async (who: Browser) =>
      (await desk.ask(who, "GET /api/v1/auth/sessions")).body.data.map(({ id }: { id: string }) => id);
    expect(await idsOf(provided)).not.toContain(owner.session.id);
    const byCode = { cookies: new Map(), token: await owner.token(organization) };
    expect(await idsOf(byCode)).toEqual(
      expect.arrayContaining([...(await idsOf(provided)), owner.session.id]),
    );
    const end = `DELETE /api/v1/auth/sessions/${owner.session.id}`;
    expect(codeOf(await desk.ask(provided, end))).toBe(40400);
    expect((await account(provided)).body.organizations.map(({ id }: { id: string }) => id)).toEqual([
      organization.id,
    ]);
    expect((await account(byCode)).body.organizations).toHaveLength(2);
  });
});

describe("who is in no group any more", () => {
  const rules = [{ group: "a", role: "admin" }];

  test("loses the sessions by the provider, however many newer ones they have", async () => {
    const { ann, said, user } = await opened({ rules, default_role: null }, "a");
    const [session] = await desk.deps.sessions.list(user, 1);
    if (!session) throw new Error("no session");
    const { sign_on: _, ...byCode } = session;
    const newer = Array.from({ length: consoleLimits.sessionListMax }, () => {
      const newest = { ...byCode, id: newId("session", session.created_at + 1) };
      return transact(db.aws, [newSession(db.tables.accounts, newest)]);
    });
    await Promise.all(newer);
    expect((await account(ann)).status).toBe(200);
    expect(refusalOf(await desk.signOn(newBrowser(), { ...said, groups: "" }))).toEqual([
      40300,
      "sign_on_groups",
    ]);
    expect(codeOf(await account(ann))).toBe(40103);
  });

  test("loses the sessions and the keys that came by the provider, and stays a member", async () => {
    const { ann, said, browser, user } = await opened({ rules, default_role: null }, "a");
    const make = (permissions: string[]) =>
      desk.ask(ann, "POST /api/v1/keys", { billing_mode: "payg", permissions });
    const [managing, plain] = [await make(["manage_keys"]), await make([])];
    const refused = await desk.signOn(newBrowser(), { ...said, groups: "" });
    expect(refusalOf(refused)).toEqual([40300, "sign_on_groups"]);
    expect(codeOf(await account(ann))).toBe(40103);
    const { body } = await desk.ask(browser, "GET /api/v1/keys");
    const status = new Map(body.data.map((key: { id: string; status: string }) => [key.id, key.status]));
    expect([status.get(managing.body.id), status.get(plain.body.id)]).toEqual(["revoked", "active"]);
    const { body: members } = await desk.ask(browser, "GET /api/v1/members");
    expect(members.data.map(({ id }: { id: string }) => id)).toContain(user);
  });

  test("nor in a domain of the organization loses the same, and who has lost a record of DNS nothing", async () => {
    const { ann, said, domain } = await opened();
    const moved = { ...said, verified: false };
    expect(refusalOf(await desk.signOn(newBrowser(), moved))).toEqual([40300, "sign_on_unverified"]);
    expect(codeOf(await account(ann))).toBe(40103);
    const again = newBrowser();
    await desk.signOn(again, said);
    desk.provider.records.delete(`_gateway-challenge.${domain}`);
    expect((await account(again)).status).toBe(200);
  });

  test("loses nothing where somebody else is refused", async () => {
    const { ann, domain } = await opened({ rules, default_role: null }, "a");
    expect(codeOf(await desk.signOn(newBrowser(), { subject: `bob@${domain}` }))).toBe(40300);
    expect((await account(ann)).status).toBe(200);
  });
});

describe("the only way in", () => {
  test("is neither removed nor led to another provider", async () => {
    const { owner, demand } = await required();
    expect((await demand()).body).toMatchObject({ required: true });
    const refusals = [
      await desk.ask(owner, "DELETE /api/v1/sign-on"),
      await desk.ask(owner, "PATCH /api/v1/sign-on", { client_id: "another", client_secret: "secret" }),
    ];
    expect(refusals.map(refusalOf)).toEqual([
      [40910, "sign_on_required"],
      [40910, "sign_on_required"],
    ]);
    expect((await account(owner)).status).toBe(200);
  });

  test("needs a domain by which people find it, and keeps the last one", async () => {
    const { owner, demand, domain } = await required();
    const drop = () => desk.ask(owner, `DELETE /api/v1/domains/${domain}`);
    await demand();
    expect(refusalOf(await drop())).toEqual([40910, "sign_on_domain"]);
    await desk.ask(owner, "PATCH /api/v1/sign-on", { required: false });
    expect((await drop()).status).toBe(200);
    expect(refusalOf(await demand())).toEqual([40910, "sign_on_domain"]);
  });

  test("is not made of a provider that is removed at that moment", async () => {
    const { browser, demand } = await required();
    const { changeOrganization } = desk.deps.members;
    let removed = 0;
    desk.deps.members.changeOrganization = async (changes) => {
      desk.deps.members.changeOrganization = changeOrganization;
      removed = codeOf(await desk.ask(browser, "DELETE /api/v1/sign-on"));
      return await changeOrganization(changes);
    };
    expect([codeOf(await demand()), removed]).toEqual([40910, 200]);
    expect((await account(browser)).status).toBe(200);
  });

  test("is not removed at the moment in which it becomes that", async () => {
    const { browser, owner, demand } = await required();
    const { remove } = desk.deps.connections;
    let demanded = 0;
    desk.deps.connections.remove = async (...given) => {
      desk.deps.connections.remove = remove;
      demanded = codeOf(await demand());
      return await remove(...given);
    };
    expect(codeOf(await desk.ask(browser, "DELETE /api/v1/sign-on"))).toBe(40910);
    expect([demanded, (await account(owner)).status]).toEqual([200, 200]);
  });
});
