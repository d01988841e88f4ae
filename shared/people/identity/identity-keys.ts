/** The keys of people and sessions (people/identity/README.md "The secret and its versions"). */
import { deriveKey } from "../../base/platform/encryption.ts";
import type { Pepper, Peppers } from "../../base/platform/pepper.ts";

/** What each key is for. A purpose is never renamed: the key would be another one. So two still speak of phones. */
const purposes = {
  contactNames: "phone names",
  contactBoxes: "phone boxes",
  codes: "verification codes",
  accessTokens: "access tokens",
  refreshTokens: "refresh tokens",
  invitations: "invitation tokens",
  programTokens: "refresh tokens of programs",
  programSecrets: "secrets of programs",
  human: "proofs of work",
  webhooks: "secrets of webhooks",
  mails: "links in mails",
  signOn: "sign-on by providers",
  passkeys: "sign-in by passkeys",
} as const;

export type IdentityKeyName = keyof typeof purposes;

/** The keys of one version of the secret, 32 bytes each. */
export type IdentityKeys = { version: number } & Readonly<Record<IdentityKeyName, Buffer>>;

/** The keys of the versions that are in use at a time. */
export interface KeyVersions {
  current: IdentityKeys;
  /** Those of the version before, until an operator drops it. */
  previous?: IdentityKeys;
}

/** Gives the keys. Where a copy finds nothing it is given as `stale`, and they are read anew, once in some seconds. */
export type ReadKeys = (stale?: KeyVersions) => Promise<KeyVersions>;

/**
 * The keys of a secret that is kept in memory (base/platform/secrets.ts). They are derived once for each copy of it.
 */
export function createIdentityKeys(readSecret: (stale?: Peppers) => Promise<Peppers>): ReadKeys {
  let derived: { from: Peppers; keys: KeyVersions } | undefined;
  return async (stale) => {
    // A copy that is not in memory any more has been replaced already.
    const secret = await (stale && stale === derived?.keys ? readSecret(derived.from) : readSecret());
    if (derived?.from !== secret) derived = { from: secret, keys: keysOf(secret) };
    return derived.keys;
  };
}

/** The keys of the secret's versions. */
export function keysOf({ current, previous }: Peppers): KeyVersions {
  return { current: derive(current), ...(previous && { previous: derive(previous) }) };
}

/** The versions that are in use, the newest first. */
export function eachVersion({ current, previous }: KeyVersions): IdentityKeys[] {
  return previous ? [current, previous] : [current];
}

/** The keys of one version. One that memory lacks may be of a rotation, so the secret is read anew. Undefined: none. */
export async function keysOfVersion(version: number, readKeys: ReadKeys): Promise<IdentityKeys | undefined> {
  const known = await readKeys();
  const isWanted = (keys: IdentityKeys) => keys.version === version;
  return eachVersion(known).find(isWanted) ?? eachVersion(await readKeys(known)).find(isWanted);
}

function derive({ version, value }: Pepper): IdentityKeys {
  const keys = Object.entries(purposes).map(([name, purpose]) => [name, deriveKey(value, purpose)]);
  return { version, ...(Object.fromEntries(keys) as Record<IdentityKeyName, Buffer>) };
}
