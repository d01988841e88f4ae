/** Signing in by a certified OpenID provider that knows nothing of us: discovery, code, PKCE, keys, claims and refusals. */
import type { InteractionResults } from "oidc-provider";
import { afterEach, describe, expect, test } from "vitest";
import { send } from "#shared/base/platform/http-client.ts";
import { type CertifiedOptions, startCertifiedProvider } from "#test/support/certified-provider.ts";
import { type Browser, newBrowser, newDomain, openSignOn, refusalOf } from "#test/support/sign-on.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

/** A company whose people sign in by such a provider, with an account there. */
async function company(options: CertifiedOptions = {}, more: object = {}) {
  const provider = await startCertifiedProvider("http://localhost:8789", options);
  const fetching = { send, sandbox: provider.url };
  const desk = await openSignOn(db, {}, { fetching });
  stops.push(provider.stop, desk.provider.stop);
  const domain = newDomain();
  const made = await desk.company(domain, { issuer: provider.url, ...provider.client, ...more });
  await provider.allow(made.organization.id);
  const email = `ann@${domain}`;
  provider.account("ann", { email, email_verified: true, name: "Ann", groups: ["staff", "books"] });

  /** Ann's browser goes there and comes back with what the provider says. `changed` alters where she is sent. */
  const visit = async (
    browser: Browser,
    changed: (url: URL) => void = () => undefined,
    result: InteractionResults = login,
  ) => {
    const { body } = await desk.begin(browser, email);
    const url = new URL(body.url);
    changed(url);
    return await provider.visit(url.href, result);
  };
  const signIn = async (
    browser: Browser,
    ...args: Parameters<typeof visit> extends [unknown, ...infer R] ? R : never
  ) => await desk.finish(browser, await visit(browser, ...args));
  return { ...made, desk, provider, domain, visit, signIn };
}

const login = { login: { accountId: "ann" } };
const wrong = [40111, "sign_on_wrong"];

describe("somebody signs in", () => {
  test.each([
    ["client_secret_basic", "RS256", false],
    ["client_secret_post", "RS256", true],
    ["client_secret_basic", "ES256", true],
    ["client_secret_post", "ES256", false],
  ] as const)("with %s and %s, claims in the ID token: %s", async (method, algorithm, isWhole) => {
    const rules = [{ group: "books", role: "finance" }];
    const { signIn, organization } = await company({ method, algorithm, isWhole }, { rules });
    const { status, body } = await signIn(newBrowser());
    expect([status, body.user.name, body.organization]).toMatchObject([
      200,
      "Ann",
      { id: organization.id, role: "finance" },
    ]);
  });

  test("where the metadata tell both methods, and the provider takes the second alone of this client", async () => {
    const { signIn } = await company({
      method: "client_secret_post",
      methodsTold: ["client_secret_basic", "client_secret_post"],
    });
    expect((await signIn(newBrowser())).status).toBe(200);
  });

  test("again after the provider has changed its keys, and while it does", async () => {
    const { signIn, visit, provider, desk } = await company();
    const first = await signIn(newBrowser());
    await provider.rotate();
    const second = await signIn(newBrowser());
    expect([second.status, second.body.user.id]).toEqual([200, first.body.user.id]);
    const browser = newBrowser();
    const returned = await visit(browser);
    await provider.rotate();
    expect((await desk.finish(browser, returned)).status).toBe(200);
  });
});

describe("what does not belong to the attempt is refused", () => {
  test.each([
    ["another nonce", (url: URL) => url.searchParams.set("nonce", "another"), wrong],
    ["no nonce", (url: URL) => url.searchParams.delete("nonce"), wrong],
    ["another state", (url: URL) => url.searchParams.set("state", "another"), wrong],
    [
      "the challenge of another verifier",
      (url: URL) => url.searchParams.set("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
      wrong,
    ],
  ] as const)("%s", async (_, changed, refusal) => {
    const { signIn } = await company();
    expect(refusalOf(await signIn(newBrowser(), changed))).toEqual(refusal);
  });

  test("an `iss` of another provider, or none where the metadata promise it", async () => {
    const { visit, desk } = await company();
    for (const iss of ["https://id.example.com", undefined]) {
      const browser = newBrowser();
      const { iss: own, ...others } = await visit(browser);
      expect(own).toMatch(/^http/);
      expect(refusalOf(await desk.finish(browser, { ...others, ...(iss !== undefined && { iss }) }))).toEqual(
        wrong,
      );
    }
  });

  test("a code that was used, in the same browser and in another one", async () => {
    const { visit, desk } = await company();
    const browser = newBrowser();
    const returned = await visit(browser);
    expect((await desk.finish(browser, returned)).status).toBe(200);
    expect(refusalOf(await desk.finish(browser, returned))).toEqual([40112, "sign_on_over"]);
    const other = newBrowser();
    const { code = "" } = returned;
    expect(refusalOf(await desk.finish(other, { ...(await visit(other)), code }))).toEqual(wrong);
  });
});

describe("a refusal of the provider", () => {
  test.each([
    ["access_denied", () => undefined, { error: "access_denied", error_description: "not yours" }],
    ["login_required", (url: URL) => url.searchParams.set("prompt", "none"), login],
  ] as const)(
    "%s comes back without a code, opens nothing, and ends no attempt",
    async (error, changed, result) => {
      const { visit, desk } = await company();
      const browser = newBrowser();
      const returned = await visit(browser, changed, result);
      expect([returned.error, returned.code]).toEqual([error, undefined]);
      const { organization = "", state = "", iss = "" } = returned;
      expect(refusalOf(await desk.finish(browser, { organization, state, iss }))[0]).toBe(40000);
      expect(browser.token).toBeUndefined();
      expect((await desk.finish(browser, await visit(browser))).status).toBe(200);
    },
  );
});

describe("what the provider says of somebody", () => {
  test.each([false, "true", undefined])(
    "an address whose email_verified is %j lets nobody in",
    async (email_verified) => {
      const { signIn, provider, domain } = await company();
      provider.account("ann", { email: `ann@${domain}`, email_verified });
      expect(refusalOf(await signIn(newBrowser()))).toEqual([40300, "sign_on_unverified"]);
    },
  );

  test("groups decide anew with each sign-in, and without one of a rule nobody comes in", async () => {
    const rules = [{ group: "books", role: "finance" }];
    const { signIn, provider, domain } = await company({}, { rules, default_role: null });
    expect((await signIn(newBrowser())).body.organization.role).toBe("finance");
    provider.account("ann", { email: `ann@${domain}`, email_verified: true, groups: ["staff"] });
    expect(refusalOf(await signIn(newBrowser()))).toEqual([40300, "sign_on_groups"]);
  });
});
