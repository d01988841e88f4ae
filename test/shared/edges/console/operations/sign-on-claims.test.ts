/** What a provider says of somebody: what is believed of it, and which tokens are refused. */
import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { sandboxClient } from "#infra/local/sandbox/identity-provider.ts";
import { newBrowser, newDomain, refusalOf, type SignOnConsole, useSignOn } from "#test/support/sign-on.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const desk = useSignOn(db);

describe("what the provider says", () => {
  test("an address that is not verified, or of another domain, lets nobody in", async () => {
    const domain = newDomain();
    await desk.company(domain);
    const browser = newBrowser();
    const { body } = await desk.begin(browser, `a@${domain}`);
    const unverified = await desk.visit(body.url, { subject: `a@${domain}`, verified: false });
    expect(refusalOf(await desk.finish(browser, unverified))).toEqual([40300, "sign_on_unverified"]);
    const next = await desk.begin(browser, `a@${domain}`);
    const stranger = await desk.visit(next.body.url, { subject: "a@elsewhere.example" });
    expect(refusalOf(await desk.finish(browser, stranger))).toEqual([40300, "sign_on_unverified"]);
  });

  test("with `everybody` the address decides nothing", async () => {
    const domain = newDomain();
    await desk.company(domain, { admits: "everybody" });
    const browser = newBrowser();
    const { body } = await desk.begin(browser, `a@${domain}`);
    const back = await desk.visit(body.url, { subject: "a@elsewhere.example", verified: false });
    expect((await desk.finish(browser, back)).status).toBe(200);
  });

  test("a user who has the same address or phone is not taken over: only a subject names somebody", async () => {
    const [one, other] = [newDomain(), newDomain()];
    await desk.company(one);
    await desk.company(other, { admits: "everybody" });
    const ann = await desk.signOn(newBrowser(), { subject: `ann@${one}` });
    // The other organization's provider claims the very same address and subject.
    const thief = newBrowser();
    const { body } = await desk.begin(thief, `x@${other}`);
    const stolen = await desk.finish(thief, await desk.visit(body.url, { subject: `ann@${one}` }));
    expect(stolen.status).toBe(200);
    expect(stolen.body.user.id).not.toBe(ann.body.user.id);
  });

  const forged = async (
    idToken: NonNullable<SignOnConsole["play"]["idToken"]>,
  ): Promise<[number, string | undefined]> => {
    const domain = newDomain();
    await desk.company(domain);
    desk.play.idToken = idToken;
    try {
      return refusalOf(await desk.signOn(newBrowser(), { subject: `a@${domain}` }));
    } finally {
      delete desk.play.idToken;
    }
  };
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const refused = [40111, "sign_on_wrong"];

  test.each<[string, NonNullable<SignOnConsole["play"]["idToken"]>]>([
    ["of no algorithm", async (claims) => `${encoded({ alg: "none" })}.${encoded(claims)}.`],
    [
      "under the client's secret",
      async (claims) => {
        const text = `${encoded({ alg: "HS256", kid: "sandbox" })}.${encoded(claims)}`;
        return `${text}.${createHmac("sha256", sandboxClient.client_secret).update(text).digest("base64url")}`;
      },
    ],
    ["for another client", (claims, sign) => sign({ ...claims, aud: "another" })],
    ["with another authorized party", (claims, sign) => sign({ ...claims, azp: "another" })],
    ["of another issuer", (claims, sign) => sign({ ...claims, iss: "https://id.example.com" })],
    ["with another nonce", (claims, sign) => sign({ ...claims, nonce: "another" })],
    ["without a nonce", (claims, sign) => sign({ ...claims, nonce: undefined })],
    ["that is over", (claims, sign) => sign({ ...claims, exp: Math.floor(Date.now() / 1000) - 600 })],
    [
      "whose signature is another one",
      async (claims, sign) => `${(await sign(claims)).slice(0, -8)}AAAAAAAA`,
    ],
    ["without a subject", (claims, sign) => sign({ ...claims, sub: "" })],
  ])("an ID token %s is refused", async (_, idToken) => {
    expect(await forged(idToken)).toEqual(refused);
  });

  test("a token that is good lets the same person in: what refuses those above is what they have wrong", async () => {
    expect(await forged((claims, sign) => sign({ ...claims, azp: sandboxClient.client_id }))).toEqual([
      200,
      undefined,
    ]);
  });
});
