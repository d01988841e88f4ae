/**
 * One attempt to sign on: what a browser carries while its person is at the provider (README.md "An attempt"). It is
 * sealed in a cookie, so nothing of it is stored, and no other browser can end it.
 */

import { isObject, objectIn } from "../../base/json/fields.ts";
import { decrypt, encrypt } from "../../base/platform/encryption.ts";
import { type IdentityKeys, keysOfVersion, type ReadKeys } from "../identity/identity-keys.ts";
import { signOnLimits } from "./bounds.ts";

export interface SignOnAttempt {
  organization: string;
  /** When the connection was changed last, as it began with it, Unix milliseconds. */
  connection_at: number;
  state: string;
  nonce: string;
  /** The verifier of PKCE (RFC 7636). */
  verifier: string;
  /** Unix milliseconds. */
  ends_at: number;
  /** Somebody who is signed in and joins their own account to the provider's. */
  link: { user: string; session: string } | null;
}

type Headers = Readonly<Record<string, string | undefined>>;

const name = "__Host-sign-on";
const context = "attempt to sign on";

/** The header that gives a browser its attempt. It stays in this browser, and only our own pages send it. */
export function attemptCookie(attempt: SignOnAttempt, { version, signOn }: IdentityKeys): string {
  const box = encrypt(signOn, context, Buffer.from(JSON.stringify(attempt))).toString("base64url");
  const age = signOnLimits.attemptSeconds;
  return `${name}=${version}.${box}; Max-Age=${age}; Path=/; Secure; HttpOnly; SameSite=Strict`;
}

/** The attempt of a request's cookie at `now` (Unix ms); undefined where there is none, or it is over or not ours. */
export async function readAttempt(
  { cookie }: Headers,
  now: number,
  readKeys: ReadKeys,
): Promise<SignOnAttempt | undefined> {
  const pairs = cookie?.split(";").map((pair) => pair.trim()) ?? [];
  const text = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
  const [, version = "", box = ""] = /^([1-9]\d{0,8})\.([\w-]{1,4096})$/.exec(text ?? "") ?? [];
  const keys = box === "" ? undefined : await keysOfVersion(Number(version), readKeys);
  const attempt = keys && opened(box, keys);
  return attempt && attempt.ends_at > now ? attempt : undefined;
}

function opened(box: string, { signOn }: IdentityKeys): SignOnAttempt | undefined {
  try {
    const fields = objectIn(decrypt(signOn, context, Buffer.from(box, "base64url")).toString());
    return isObject(fields) ? (fields as unknown as SignOnAttempt) : undefined;
  } catch {
    // Whoever wrote it does not have the key.
    return undefined;
  }
}
