/**
 * The keys of people and sessions. All derive from the secret `accounts`, which has versions like the pepper
 * (people/identity/README.md "The secret and its versions"), and none from the pepper itself.
 */
import { deriveKey } from "../../base/platform/encryption.ts";
import type { Pepper, Peppers } from "../../base/platform/pepper.ts";

/** What each key is for. A purpose is never renamed: the key would be another one. */
const purposes = {
  phoneNames: "phone names",
  phoneBoxes: "phone boxes",
  codes: "verification codes",
  accessTokens: "access tokens",
  refreshTokens: "refresh tokens",
  invitations: "invitation tokens",
  human: "proofs of work",
} as const;

type IdentityKeyName = keyof typeof purposes;

/** The keys of one version of the secret, 32 bytes each. */
export type IdentityKeys = { version: number } & Readonly<Record<IdentityKeyName, Buffer>>;

/** The keys of the versions that are in use at a time. */
export interface KeyVersions {
  current: IdentityKeys;
  /** Those of the version before, until an operator drops it. */
  previous?: IdentityKeys;
}

/**
 * Gives the keys. If a copy does not find or open something, give that copy as `stale`. The secret is then read again,
 * but at most every few seconds. Rejects when the secret's first read fails.
 */
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

/**
 * The keys of one version. A version that is not among those in memory may have come with a rotation, so the secret is
 * read again. Undefined where there is no such version then either.
 */
export async function keysOfVersion(version: number, readKeys: ReadKeys): Promise<IdentityKeys | undefined> {
  const known = await readKeys();
  const isWanted = (keys: IdentityKeys) => keys.version === version;
  return eachVersion(known).find(isWanted) ?? eachVersion(await readKeys(known)).find(isWanted);
}

function derive({ version, value }: Pepper): IdentityKeys {
  const keys = Object.entries(purposes).map(([name, purpose]) => [name, deriveKey(value, purpose)]);
  return { version, ...(Object.fromEntries(keys) as Record<IdentityKeyName, Buffer>) };
}
