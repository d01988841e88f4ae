/**
 * What a browser carries while somebody proves who they are elsewhere: at a provider, or with an authenticator. It is
 * sealed, so nothing of it is stored, and no other browser can end what this one began.
 */
import { isObject, objectIn } from "../../base/json/fields.ts";
import { decrypt, encrypt } from "../../base/platform/encryption.ts";
import { cookieFlags, readCookie } from "./cookie.ts";
import { type IdentityKeyName, type IdentityKeys, keysOfVersion, type ReadKeys } from "./identity-keys.ts";

/** One kind of such a cookie. It opens under its own key and context alone. */
export interface SealedCookie {
  /** It begins with `__Host-`: a browser keeps it only from its own host and over TLS. */
  name: string;
  key: IdentityKeyName;
  context: string;
  /** How long a browser keeps it. */
  ageSeconds: number;
}

/** A value with its end, Unix milliseconds. */
interface Sealed {
  ends_at: number;
}

/** The header that gives a browser the value. It stays in this browser, and only our own pages send it. */
export function sealedCookie(
  { name, key, context, ageSeconds }: SealedCookie,
  value: Sealed,
  keys: IdentityKeys,
): string {
  const box = encrypt(keys[key], context, Buffer.from(JSON.stringify(value))).toString("base64url");
  return `${name}=${keys.version}.${box}; Max-Age=${ageSeconds}; ${cookieFlags}`;
}

/** The value of a request's cookie at `now` (Unix ms); undefined where there is none, or it is over or not ours. */
export async function readSealedCookie<Value extends Sealed>(
  sealed: SealedCookie,
  headers: Readonly<Record<string, string | undefined>>,
  now: number,
  readKeys: ReadKeys,
): Promise<Value | undefined> {
  const text = readCookie(headers, sealed.name);
  const [, version = "", box = ""] = /^([1-9]\d{0,8})\.([\w-]{1,4096})$/.exec(text ?? "") ?? [];
  const keys = box === "" ? undefined : await keysOfVersion(Number(version), readKeys);
  const value = keys && opened<Value>(sealed, box, keys);
  return value && value.ends_at > now ? value : undefined;
}

function opened<Value>({ key, context }: SealedCookie, box: string, keys: IdentityKeys): Value | undefined {
  try {
    const fields = objectIn(decrypt(keys[key], context, Buffer.from(box, "base64url")).toString());
    return isObject(fields) ? (fields as unknown as Value) : undefined;
  } catch {
    // Whoever wrote it does not have the key.
    return undefined;
  }
}
