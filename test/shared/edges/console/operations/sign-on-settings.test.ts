/** What owners set for signing in by their own provider: the connection, and whether it is the only way in. */
import { describe, expect, test } from "vitest";
import { sandboxClient } from "#infra/local/sandbox/identity-provider.ts";
import {
  codeOf,
  newBrowser,
  newDomain,
  refusalOf,
  type SignOnAnswer,
  useSignOn,
} from "#test/support/sign-on.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const desk = useSignOn(db);

describe("the connection", () => {
  test("is kept without its secret being shown, and a later change needs only what changes", async () => {
    const { browser, organization } = await desk.newOwner();
    const { body } = await desk.connect(browser);
    expect(body).toMatchObject({
      object: "sign_on",
      required: false,
      redirect_uri: `http://localhost:8789/sign-on/${organization.id}`,
      connection: {
        ...{
          issuer: desk.provider.url,
          client_id: "gateway",
          scope: "openid email profile",
          admits: "domain",
        },
        ...{ groups_claim: "groups", rules: [], default_role: "member" },
      },
      domains: [],
    });
    const rules = [{ group: "a", role: "finance" }];
    const next = await desk.ask(browser, "PATCH /api/v1/sign-on", { rules, default_role: null });
    expect(next.body.connection).toMatchObject({ client_id: "gateway", rules, default_role: null });
    const shown = await desk.ask(browser, "GET /api/v1/sign-on");
    expect(JSON.stringify(shown.body)).not.toContain(sandboxClient.client_secret);
    const stored = await desk.deps.connections.read(organization.id);
    expect(JSON.stringify(stored)).not.toContain(sandboxClient.client_secret);
  });

  test("is taken only where the provider answers for it", async () => {
    const { browser } = await desk.newOwner();
    const wrong = await desk.connect(browser, { issuer: `${desk.provider.url}/nothing` });
    expect(refusalOf(wrong)).toEqual([50001, "sign_on_provider"]);
    desk.play.metadata = { id_token_signing_alg_values_supported: ["HS256", "none"] };
    expect(refusalOf(await desk.connect(browser))).toEqual([50001, "sign_on_provider"]);
    desk.play.metadata = { issuer: "https://id.other.example" };
    expect(codeOf(await desk.connect(browser))).toBeGreaterThanOrEqual(40000);
    delete desk.play.metadata;
    expect((await desk.ask(browser, "GET /api/v1/sign-on")).body.connection).toBeNull();
  });

  test.each([
    ["issuer", "http://id.example.com"],
    ["issuer", "https://user@id.example.com"],
    ["issuer", "https://id.example.com?x=1"],
    ["issuer", "not an address"],
    ["client_id", ""],
    ["scope", "email profile"],
    ["admits", "all"],
    ["default_role", "owner"],
    ["rules", [{ group: "", role: "member" }]],
    ["rules", [{ group: "a", role: "member", more: 1 }]],
    ["required", "yes"],
  ])("%s cannot be %j", async (name, value) => {
    const { browser } = await desk.newOwner();
    const answer = await desk.connect(browser, { [name]: value });
    expect([codeOf(answer), answer.body.error.message]).toEqual([40000, expect.stringContaining(name)]);
  });

  test.each([
    "https://127.0.0.1",
    "https://10.0.0.1",
    "https://169.254.169.254",
    "https://[::1]",
    "https://[fd00::1]",
  ])("%s is not asked: it is no address of the public Internet", async (issuer) => {
    const { browser } = await desk.newOwner();
    expect(refusalOf(await desk.connect(browser, { issuer }))).toEqual([40000, "issuer"]);
    const line = desk.people.lines.findLast(({ event }) => event === "sign_on_failed");
    expect(JSON.stringify(line)).toContain("the address is not public");
  });

  test("a name that leads to a private address is not asked either", async () => {
    const resolve = ((_name: string, _options: object, callback: (...given: unknown[]) => void) =>
      callback(null, [{ address: "10.0.0.1", family: 4 }])) as never;
    const { browser } = await desk.newOwner();
    Object.assign(desk.deps.fetching, { resolve });
    try {
      const answer = await desk.connect(browser, { issuer: "https://id.example.com" });
      expect(refusalOf(answer)).toEqual([40000, "issuer"]);
    } finally {
      Reflect.deleteProperty(desk.deps.fetching, "resolve");
    }
    const line = desk.people.lines.findLast(({ event }) => event === "sign_on_failed");
    expect(JSON.stringify(line)).toContain("the address is not public");
  });

  test("a new issuer comes with its own secret: no other one is sent there", async () => {
    const { browser } = await desk.newOwner();
    await desk.connect(browser);
    const answer = await desk.ask(browser, "PATCH /api/v1/sign-on", { issuer: "https://id.example.com" });
    expect([codeOf(answer), answer.body.error.message]).toEqual([
      40000,
      expect.stringContaining("client_secret"),
    ]);
  });

  test("is removed, and then nobody comes in by it", async () => {
    const domain = newDomain();
    const { browser } = await desk.company(domain);
    expect((await desk.ask(browser, "DELETE /api/v1/sign-on")).body).toMatchObject({ deleted: true });
    expect(codeOf(await desk.begin(newBrowser(), `a@${domain}`))).toBe(40400);
    expect(codeOf(await desk.ask(browser, "DELETE /api/v1/sign-on"))).toBe(40400);
  });

  test("two owners who change it at once: one of them reads it again", async () => {
    const { browser } = await desk.newOwner();
    await desk.connect(browser);
    const change = (group: string) =>
      desk.ask(browser, "PATCH /api/v1/sign-on", { rules: [{ group, role: "member" }] });
    // The other owner's change comes whole between what the first one read and what they write.
    const { save } = desk.deps.connections;
    let other: SignOnAnswer | undefined;
    desk.deps.connections.save = async (...given) => {
      desk.deps.connections.save = save;
      other = await change("b");
      return await save(...given);
    };
    expect([codeOf(await change("a")), other && codeOf(other)]).toEqual([40910, 200]);
    const { body } = await desk.ask(browser, "GET /api/v1/sign-on");
    expect(body.connection.rules).toEqual([{ group: "b", role: "member" }]);
  });
});

describe("the provider as the only way in", () => {
  const requiring = async () => {
    const domain = newDomain();
    const made = await desk.company(domain);
    const byCode = { ...made.browser };
    const link = await desk.ask(made.browser, "POST /api/v1/auth/sign-on/link");
    const back = await desk.visit(link.body.url, { subject: `owner@${domain}` });
    const linked = await desk.finish(made.browser, back);
    made.browser.token = linked.body.access_token;
    const answer = await desk.ask(made.browser, "PATCH /api/v1/sign-on", { required: true });
    return { ...made, domain, byCode, answer };
  };

  test("is set by an owner who came by the provider, and by no other", async () => {
    const domain = newDomain();
    const { browser } = await desk.company(domain);
    const early = await desk.ask(browser, "PATCH /api/v1/sign-on", { required: true });
    expect(refusalOf(early)).toEqual([40910, "sign_on_own_session"]);
    const { answer } = await requiring();
    expect(answer.body).toMatchObject({ required: true });
  });

  test("shuts every session of a code out with its next call, and lets those of the provider in", async () => {
    const { byCode, browser, domain } = await requiring();
    const shut = await desk.ask(byCode, "GET /api/v1/account");
    expect(refusalOf(shut)).toEqual([40103, "sign_on_required"]);
    expect((await desk.ask(browser, "GET /api/v1/account")).status).toBe(200);
    expect((await desk.signOn(newBrowser(), { subject: `new@${domain}` })).status).toBe(200);
    expect(codeOf(await desk.ask(browser, "DELETE /api/v1/sign-on"))).toBe(40910);
    const back = await desk.ask(browser, "PATCH /api/v1/sign-on", { required: false });
    expect(back.body).toMatchObject({ required: false });
    expect((await desk.ask(byCode, "GET /api/v1/account")).status).toBe(200);
  });

  test("a sign-in by code opens another organization of the user, or nothing", async () => {
    const { owner, organization } = await requiring();
    const { people } = desk;
    const alone = await people.signIn(owner.phone);
    expect([alone.status, alone.body.error.reason]).toEqual([401, "sign_on_required"]);
    const open = (await desk.deps.sessions.list(owner.user.id, 9)).filter(
      ({ ended_at, sign_on }) => ended_at === null && sign_on === undefined,
    );
    expect(open.map(({ id }) => id)).toEqual([owner.session.id]);
    const other = await desk.desk.newOrganization();
    await desk.desk.join(owner, other.id, "member");
    desk.pass(60_000);
    const elsewhere = await people.signIn(owner.phone);
    expect(elsewhere.body.organization.id).toBe(other.id);
    expect(elsewhere.body.organization.id).not.toBe(organization.id);
  });
});
