/** Passkeys: added by who is signed in, good for a sign-in without a code, and for nothing else. */
import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createUserStatuses } from "#shared/edges/store/identity/user-statuses.ts";
import { passkeyLimits } from "#shared/people/passkeys/passkey.ts";
import { newAuthenticator, type Played } from "#test/support/authenticator.ts";
import { type Browser, codeOf, newBrowser, newDomain, refusalOf, useSignOn } from "#test/support/sign-on.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const desk = useSignOn(db);
const origin = "http://localhost:8789";

type Authenticator = ReturnType<typeof newAuthenticator>;

const beginAdding = async (browser: Browser) =>
  (await desk.ask(browser, "POST /api/v1/account/passkeys/options")).body.options;
const add = async (browser: Browser, authenticator: Authenticator, played: Played = {}) => {
  const options = await beginAdding(browser);
  const body = { name: "Laptop", credential: authenticator.make(options, played) };
  return await desk.ask(browser, "POST /api/v1/account/passkeys", body);
};

const begin = async (browser: Browser) =>
  (await desk.ask(browser, "POST /api/v1/auth/passkey/options")).body.options;
const finish = (browser: Browser, credential: object) =>
  desk.ask(browser, "POST /api/v1/auth/passkey", { credential });
const signIn = async (authenticator: Authenticator, played: Played = {}, browser = newBrowser()) => {
  const answer = await finish(browser, authenticator.sign(await begin(browser), played));
  if (answer.status === 200) browser.token = answer.body.access_token;
  return { ...answer, browser };
};

/** An owner with a passkey. */
async function opened() {
  const made = await desk.newOwner();
  const authenticator = newAuthenticator(origin);
  const added = await add(made.browser, authenticator);
  return { ...made, authenticator, added };
}

describe("a passkey", () => {
  test("is asked for as one that signs in by itself, and is shown without a key", async () => {
    const { browser } = await desk.newOwner();
    expect(await beginAdding(browser)).toMatchObject({
      rp: { id: "localhost" },
      attestation: "none",
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
    const { added } = await opened();
    expect(added.body).toEqual({
      id: expect.stringMatching(/^[\w-]{43}$/),
      ...{ object: "passkey", name: "Laptop", synced: true, used_at: null },
      created_at: expect.any(String),
    });
  });

  test("signs its user in, again and again, and its session is like one of a code", async () => {
    const { authenticator, owner, organization } = await opened();
    expect((await begin(newBrowser())).allowCredentials ?? []).toEqual([]);
    for (const _ of [1, 2]) {
      const { body, browser } = await signIn(authenticator);
      expect(body).toMatchObject({ user: { id: owner.user.id }, organization: { id: organization.id } });
      const listed = await desk.ask(browser, "GET /api/v1/account/passkeys");
      expect(listed.body.data).toMatchObject([{ name: "Laptop", used_at: expect.any(String) }]);
      expect((await add(browser, newAuthenticator(origin))).status).toBe(200);
      const [, newest] = (await desk.ask(browser, "GET /api/v1/account/passkeys")).body.data;
      expect((await desk.ask(browser, `DELETE /api/v1/account/passkeys/${newest.id}`)).status).toBe(204);
    }
  });

  test("that was removed is not good any more, and can be added again", async () => {
    const { authenticator, browser, added } = await opened();
    const route = `DELETE /api/v1/account/passkeys/${added.body.id}`;
    expect([(await desk.ask(browser, route)).status, codeOf(await desk.ask(browser, route))]).toEqual([
      204, 40400,
    ]);
    expect(refusalOf(await signIn(authenticator))).toEqual([40111, "passkey_wrong"]);
    expect((await add(browser, authenticator)).status).toBe(200);
    expect((await signIn(authenticator)).status).toBe(200);
  });

  test("that is removed takes the sessions with it that it began, and no other", async () => {
    const { authenticator, browser, added } = await opened();
    const { browser: stolen } = await signIn(authenticator);
    expect((await desk.ask(stolen, "GET /api/v1/account")).status).toBe(200);
    await desk.ask(browser, `DELETE /api/v1/account/passkeys/${added.body.id}`);
    expect(codeOf(await desk.ask(stolen, "GET /api/v1/account"))).toBe(40103);
    expect((await desk.ask(browser, "GET /api/v1/account")).status).toBe(200);
  });

  test("is named where another one is made, and there are so many at most", async () => {
    const { browser } = await opened();
    expect((await beginAdding(browser)).excludeCredentials).toHaveLength(1);
    for (let more = 1; more < passkeyLimits.ofUserMax; more++)
      expect((await add(browser, newAuthenticator(origin))).status).toBe(200);
    const full = await desk.ask(browser, "POST /api/v1/account/passkeys/options");
    expect(refusalOf(full)).toEqual([40000, "passkeys_full"]);
    // An attempt that began while there was room.
    const [last] = (await desk.ask(browser, "GET /api/v1/account/passkeys")).body.data;
    await desk.ask(browser, `DELETE /api/v1/account/passkeys/${last.id}`);
    const early = { ...browser, cookies: new Map(browser.cookies) };
    const options = await beginAdding(early);
    await add(browser, newAuthenticator(origin));
    const body = { name: "x", credential: newAuthenticator(origin).make(options) };
    const late = await desk.ask(early, "POST /api/v1/account/passkeys", body);
    expect(refusalOf(late)).toEqual([40000, "passkeys_full"]);
  });
});

describe("who may add and remove one", () => {
  test("a young session of a code, and none of a provider", async () => {
    const { browser, added } = await opened();
    const domain = newDomain();
    await desk.company(domain);
    const provided = newBrowser();
    await desk.signOn(provided, { subject: `a@${domain}` });
    const routes = [
      "POST /api/v1/account/passkeys/options",
      `DELETE /api/v1/account/passkeys/${added.body.id}`,
    ] as const;
    for (const route of routes) expect(codeOf(await desk.ask(provided, route))).toBe(40300);
    expect((await desk.ask(provided, "GET /api/v1/account/passkeys")).body.data).toEqual([]);
    desk.pass(900_001);
    for (const route of routes) expect(codeOf(await desk.ask(browser, route))).toBeOneOf([40300, 40103]);
  });

  test("the session that began, and no other one", async () => {
    const { browser } = await desk.newOwner();
    const { browser: other } = await desk.newOwner();
    const options = await beginAdding(browser);
    other.cookies.set("__Host-passkey", browser.cookies.get("__Host-passkey") ?? "");
    const body = { name: "x", credential: newAuthenticator(origin).make(options) };
    expect(codeOf(await desk.ask(other, "POST /api/v1/account/passkeys", body))).toBe(40112);
    expect((await desk.ask(other, "GET /api/v1/account/passkeys")).body.data).toEqual([]);
  });

  test("an attempt to sign in adds none, and one to add signs nobody in", async () => {
    const { browser, authenticator } = await opened();
    const options = await begin(browser);
    const body = {
      name: "x",
      credential: newAuthenticator(origin).make({ ...options, rp: { id: "localhost" } }),
    };
    expect(codeOf(await desk.ask(browser, "POST /api/v1/account/passkeys", body))).toBe(40112);
    const adding = await beginAdding(browser);
    const signed = authenticator.sign({ ...adding, rpId: "localhost" });
    expect(refusalOf(await finish(browser, signed))).toEqual([40111, "passkey_wrong"]);
  });

  test.each<[string, Played]>([
    ["of another page", { origin: "http://evil.example" }],
    ["to another challenge", { challenge: "AAAA" }],
    ["without the person's finger, face or PIN", { flags: 1 }],
  ])("an answer %s makes none", async (_, played) => {
    const { browser } = await desk.newOwner();
    expect(refusalOf(await add(browser, newAuthenticator(origin), played))).toEqual([40111, "passkey_wrong"]);
    expect((await desk.ask(browser, "GET /api/v1/account/passkeys")).body.data).toEqual([]);
  });

  test.each(["packed", "apple", "tpm"])(
    "certificates in a statement of %s are refused unread",
    async (fmt) => {
      const { browser } = await desk.newOwner();
      const attestation = { fmt, statement: new Map([["x5c", "x"]]) };
      const answer = await add(browser, newAuthenticator(origin), { attestation });
      expect(refusalOf(answer)).toEqual([40111, "passkey_wrong"]);
      const line = desk.people.lines.findLast(({ event }) => event === "passkey_refused");
      expect(JSON.stringify(line)).toContain("certificates were not asked for");
    },
  );

  test("a spelling that two decoders read as different bytes is refused unread", async () => {
    const { browser } = await desk.newOwner();
    const made = newAuthenticator(origin).make(await beginAdding(browser));
    const { attestationObject, ...response } = made.response as { attestationObject: string };
    const credential = { ...made, response: { ...response, attestationObject: `${attestationObject}//` } };
    const body = { name: "x", credential };
    const answer = await desk.ask(browser, "POST /api/v1/account/passkeys", body);
    expect(refusalOf(answer)).toEqual([40111, "passkey_wrong"]);
    const line = desk.people.lines.findLast(({ event }) => event === "passkey_refused");
    expect(JSON.stringify(line)).toContain("the answer is not in base64url");
  });
});

describe("a sign-in", () => {
  const stranger = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;

  test.each<[string, Played]>([
    ["by another key", { key: stranger }],
    ["of another page", { origin: "http://evil.example" }],
    ["to another challenge", { challenge: "AAAA" }],
    ["without the person's finger, face or PIN", { flags: 1 }],
    ["as another user", { userHandle: Buffer.from("usr_01KAJ2X5P00000000000000000").toString("base64url") }],
    ["as nobody", { userHandle: "" }],
  ])("%s is refused", async (_, played) => {
    const { authenticator } = await opened();
    expect(refusalOf(await signIn(authenticator, played))).toEqual([40111, "passkey_wrong"]);
    expect((await signIn(authenticator)).status).toBe(200);
  });

  test("with a counter that goes back is refused: there is a copy of the key", async () => {
    const { authenticator } = await opened();
    expect((await signIn(authenticator, { counter: 5 })).status).toBe(200);
    expect(refusalOf(await signIn(authenticator, { counter: 5 }))).toEqual([40111, "passkey_wrong"]);
    expect((await signIn(authenticator, { counter: 6 })).status).toBe(200);
  });

  test("ends in the browser that began it, within five minutes, and once", async () => {
    const { authenticator } = await opened();
    const browser = newBrowser();
    const signed = authenticator.sign(await begin(browser));
    expect(refusalOf(await finish(newBrowser(), signed))).toEqual([40112, "passkey_over"]);
    const kept = { cookies: new Map(browser.cookies) };
    expect((await finish(browser, signed)).status).toBe(200);
    expect(refusalOf(await finish(kept, signed))).toEqual([40112, "passkey_over"]);
    const late = authenticator.sign(await begin(browser));
    desk.pass(passkeyLimits.attemptSeconds * 1000);
    expect(refusalOf(await finish(browser, late))).toEqual([40112, "passkey_over"]);
  });

  test("by one that was made for another address of the console is refused", async () => {
    const { authenticator } = await opened();
    const elsewhere = { "sec-fetch-site": "same-origin", host: "console.example" };
    const browser = newBrowser();
    const { body } = await desk.ask(browser, "POST /api/v1/auth/passkey/options", undefined, elsewhere);
    const credential = authenticator.sign(body.options, { origin: "https://console.example" });
    expect(
      refusalOf(await desk.ask(browser, "POST /api/v1/auth/passkey", { credential }, elsewhere)),
    ).toEqual([40111, "passkey_wrong"]);
  });

  test("of who is frozen, or where the provider is the only way in, opens nothing", async () => {
    const { authenticator, owner, organization } = await opened();
    await desk.deps.members.changeOrganization({ organization, sign_on: "required", entries: [] });
    expect(refusalOf(await signIn(authenticator))).toEqual([40103, "sign_on_required"]);
    await createUserStatuses(db.aws, db.tables).set(owner.user.id, "frozen");
    expect(codeOf(await signIn(authenticator))).toBe(40110);
  });

  test("from a page of another site is neither begun nor ended", async () => {
    const { authenticator } = await opened();
    const browser = newBrowser();
    const signed = authenticator.sign(await begin(browser));
    const elsewhere = { "sec-fetch-site": "cross-site", host: "localhost:8789" };
    const asked = [
      await desk.ask(browser, "POST /api/v1/auth/passkey/options", undefined, elsewhere),
      await desk.ask(browser, "POST /api/v1/auth/passkey", { credential: signed }, elsewhere),
    ];
    expect(asked.map(codeOf)).toEqual([40300, 40300]);
  });

  test.each([
    {},
    { id: 7 },
    { id: "a".repeat(2_000) },
    { id: "a", response: "x" },
    { id: "a", response: { userHandle: 1 } },
  ])("with %j is refused and no fault of ours", async (credential) => {
    const browser = newBrowser();
    await begin(browser);
    expect(refusalOf(await finish(browser, credential))).toEqual([40111, "passkey_wrong"]);
  });
});
