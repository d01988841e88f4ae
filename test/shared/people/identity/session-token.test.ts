/** Access tokens: only what this secret has signed, as this kind of token, for this audience, until its end. */
import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GatewayError } from "#shared/base/errors.ts";
import { limits } from "#shared/base/limits.ts";
import { newId } from "#shared/base/platform/id.ts";
import { type IdentityKeys, keysOf } from "#shared/people/identity/identity-keys.ts";
import { readAccessToken, signAccessToken } from "#shared/people/identity/session-token.ts";
import { bothSecrets, firstSecret, keysFrom, secondSecret } from "#test/support/people.ts";

const noon = Date.parse("2026-11-23T12:00:00Z");
const claims = {
  user: newId("user", noon),
  session: newId("session", noon),
  organization: newId("organization", noon),
};
const keys = keysOf(firstSecret).current;
const readKeys = keysFrom(firstSecret);
const good = await signAccessToken({ ...claims, role: "owner" }, noon, keys);

/** What reading a token gives: the claims, or the key of the error. */
async function readOf(token: string, now = noon, from = readKeys): Promise<object | string> {
  return await readAccessToken(token, now, from).catch((error: unknown) => {
    if (error instanceof GatewayError) return error.key;
    throw error;
  });
}

interface Forgery {
  header?: Record<string, unknown>;
  payload?: Record<string, unknown>;
  key?: Uint8Array;
}

const header = { alg: "HS256", typ: "at+jwt", kid: "1" };
const issued = Math.floor(noon / 1000);
const payload = {
  iss: "model-gateway/console",
  aud: "model-gateway",
  sub: claims.user,
  sid: claims.session,
  org: claims.organization,
  role: "owner",
  iat: issued,
  exp: issued + 600,
};

/** A token made by hand, as no library would make it. A field of `undefined` is left out. */
function forge({ header: head = {}, payload: body = {}, key = keys.accessTokens }: Forgery): string {
  const coded = [
    { ...header, ...head },
    { ...payload, ...body },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
  const signed = coded.join(".");
  return `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`;
}

describe("a token", () => {
  test("names who calls until ten minutes are over", async () => {
    expect(await readOf(good)).toEqual(claims);
    expect(await readOf(good, noon + 599_000)).toEqual(claims);
    expect(await readOf(good, noon + 600_000)).toBe("session_expired");
  });

  test("fits where a credential fits", () => {
    expect(good.length).toBeLessThanOrEqual(limits.credentialBytesMax);
  });

  test("made by hand with everything right is one, so that each wrong one below is wrong by one thing", async () => {
    expect(await readOf(forge({}))).toEqual(claims);
  });

  const wrong: [name: string, forgery: Forgery][] = [
    ["algorithm none", { header: { alg: "none" } }],
    ["another HMAC", { header: { alg: "HS512" } }],
    ["an asymmetric algorithm", { header: { alg: "RS256" } }],
    ["no algorithm", { header: { alg: undefined } }],
    ["another type", { header: { typ: "JWT" } }],
    ["no type", { header: { typ: undefined } }],
    ["another version of the secret", { header: { kid: "2" } }],
    ["no version", { header: { kid: undefined } }],
    ["a version that is no number", { header: { kid: "../1" } }],
    ["a critical header", { header: { crit: ["x"], x: 1 } }],
    ["another issuer", { payload: { iss: "someone" } }],
    ["no issuer", { payload: { iss: undefined } }],
    ["another audience", { payload: { aud: "other" } }],
    ["no audience", { payload: { aud: undefined } }],
    ["an end that is over", { payload: { exp: issued } }],
    ["no end", { payload: { exp: undefined } }],
    ["an end that is no number", { payload: { exp: "never" } }],
    ["a beginning that is to come", { payload: { nbf: issued + 1 } }],
    ["no user", { payload: { sub: undefined } }],
    ["no session", { payload: { sid: undefined } }],
    ["no organization", { payload: { org: undefined } }],
    ["a user that is no id", { payload: { sub: "O#org_1" } }],
    ["a session that is a number", { payload: { sid: 1 } }],
    ["an organization that is another kind of id", { payload: { org: claims.user } }],
  ];
  test.each(wrong)("with %s is refused", async (_, forgery) => {
    expect(await readOf(forge(forgery))).toBe("session_expired");
  });

  const others = Object.entries(keys).filter(
    (entry): entry is [string, Buffer] => Buffer.isBuffer(entry[1]) && entry[0] !== "accessTokens",
  );
  test.each(others)("signed with the key of %s is refused", async (_, key) => {
    expect(await readOf(forge({ key }))).toBe("session_expired");
  });

  test("that is none is refused", async () => {
    const texts = ["", "a", "..", "a.b.c", "ey.ey.ey", good.slice(0, -1), `${good}.`, good.toUpperCase()];
    for (const text of texts) expect(await readOf(text)).toBe("session_expired");
  });

  test("without its signature is refused, whatever its header says", async () => {
    const [head = "", body = ""] = good.split(".");
    const none = Buffer.from('{"alg":"none","typ":"at+jwt","kid":"1"}').toString("base64url");
    for (const token of [`${head}.${body}.`, `${none}.${body}.`, `${none}.${body}`, `${head}.${body}`])
      expect(await readOf(token)).toBe("session_expired");
  });

  test("with any one character changed is refused", async () => {
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
    await fc.assert(
      fc.asyncProperty(fc.nat(good.length - 1), fc.constantFrom(...alphabet), async (at, letter) => {
        const tampered = good.slice(0, at) + letter + good.slice(at + 1);
        // The last character carries two bits that no decoder reads.
        const isSame = sameToken(tampered, good);
        expect(await readOf(tampered)).toEqual(isSame ? claims : "session_expired");
      }),
      { seed: 16, numRuns: 500 },
    );
  });
});

/** Whether two texts are the same signed text with the same signature. */
function sameToken(one: string, other: string): boolean {
  const parts = [one, other].map((text) => text.split("."));
  const [first = [], second = []] = parts;
  if (first.length !== 3 || first[0] !== second[0] || first[1] !== second[1]) return false;
  return Buffer.from(first[2] ?? "", "base64url").equals(Buffer.from(second[2] ?? "", "base64url"));
}

describe("versions of the secret", () => {
  const signed = async (by: IdentityKeys) => await signAccessToken({ ...claims, role: "owner" }, noon, by);

  test("a token of the version before is good until that is dropped", async () => {
    expect(await readOf(good, noon, keysFrom(bothSecrets))).toEqual(claims);
    expect(await readOf(good, noon, keysFrom(secondSecret))).toBe("session_expired");
  });

  test("a token of a version that is not in memory has the secret read again, once", async () => {
    const newer = await signed(keysOf(bothSecrets).current);
    const reads: boolean[] = [];
    const older = keysOf(firstSecret);
    const known = keysOf(bothSecrets);
    const stale = async (given?: object) => {
      reads.push(given !== undefined);
      return given === older ? known : older;
    };
    expect(await readOf(newer, noon, stale)).toEqual(claims);
    expect(reads).toEqual([false, true]);
  });

  test("a version's number with another secret is refused", async () => {
    const forged = { ...keysOf({ ...firstSecret, current: { version: 2, value: "x" } }).current };
    expect(await readOf(await signed(forged), noon, keysFrom(bothSecrets))).toBe("session_expired");
  });

  test("a secret that cannot be read is no fault of the token", async () => {
    await expect(readAccessToken(good, noon, () => Promise.reject(new Error("no secret")))).rejects.toThrow(
      "no secret",
    );
  });
});
