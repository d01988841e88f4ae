/**
 * The secret of accounts for operators (people/identity/README.md "The secret and its versions"). A drop moves every
 * phone that is left.
 */

import { readPeppers } from "../../base/platform/pepper.ts";
import type { SecretStore } from "../../base/platform/secret-text.ts";
import { rfc3339 } from "../../books/billing/instant.ts";
import { eachVersion, keysOf } from "../../people/identity/identity-keys.ts";
import { openPhone, phoneName, sealPhone } from "../../people/identity/phone.ts";
import type { PhoneMoves } from "../../people/identity/phone-moves.ts";
import {
  dropped,
  linesOf,
  type Rotation,
  replaceVersions,
  rotateVersions,
  settledAt,
  type VersionLines,
} from "./secret-versions.ts";

interface AccountsSecretDeps {
  secret: SecretStore;
  phones: PhoneMoves;
  now: () => number;
}

const names = { secret: "the accounts' secret", text: "the accounts' secret", commands: "accounts" };

/** How many claims are removed with one transaction. */
const atOnce = 25;

/** What is in force, and which users it holds. */
interface AccountsSecretStatus extends VersionLines {
  users: {
    all: number;
    /** Users whose phone is still under the version before. */
    on_previous: number;
    /** Users whose phone is under a version that is gone. They cannot sign in. */
    on_none: number;
  };
}

/** Shows the versions, and counts the users of each. It reads the whole table. */
export async function accountsSecretStatus({
  secret,
  phones,
  now,
}: AccountsSecretDeps): Promise<AccountsSecretStatus> {
  const stored = await secret.read();
  const { current, previous } = readPeppers(stored.text);
  const users = { all: 0, on_previous: 0, on_none: 0 };
  for await (const { phone_version } of phones.users()) {
    users.all += 1;
    if (phone_version === previous?.version) users.on_previous += 1;
    else if (phone_version !== current.version) users.on_none += 1;
  }
  return { ...linesOf(stored, now()), users };
}

/** Makes a new version current, and keeps the one before. Throws like `rotateVersions`. */
export async function rotateAccountsSecret(
  deps: Pick<AccountsSecretDeps, "secret" | "now">,
): Promise<Rotation> {
  return await rotateVersions(names, deps);
}

/** What came of a drop. */
interface AccountsSecretDrop {
  dropped: number;
  /** Users whose phone this drop has moved; the others had moved by signing in. */
  moved_users: number;
  /** Users whose phone was under neither version, and who stay as they are. */
  lost_users: number;
}

/**
 * Moves every phone to the current version, then drops the one before. May be repeated after a crash. Throws where
 * there is none, where a process may not know the rotation yet, or where somebody else has changed the secret.
 */
export async function dropAccountsSecret({
  secret,
  phones,
  now,
}: AccountsSecretDeps): Promise<AccountsSecretDrop> {
  const stored = await secret.read();
  const versions = readPeppers(stored.text);
  const keys = keysOf(versions);
  if (!keys.previous) throw new Error("there is no previous version of the accounts' secret to drop");
  const { current, previous } = keys;
  const settled = settledAt(stored);
  if (now() < settled) {
    const until = rfc3339(settled);
    throw new Error(
      `a process may still know nothing but version ${previous.version} of the accounts' secret; try again after ${until}`,
    );
  }
  const known = eachVersion(keys).map(({ version }) => version);
  const result = { dropped: previous.version, moved_users: 0, lost_users: 0 };
  let old: string[] = [];
  for await (const user of phones.users()) {
    if (!known.includes(user.phone_version)) {
      result.lost_users += 1;
      continue;
    }
    const number = await openPhone(user, async () => keys);
    if (user.phone_version !== current.version) {
      const box = sealPhone(number, user.id, current);
      if (await phones.move(user, phoneName(number, current), box)) result.moved_users += 1;
    }
    old.push(phoneName(number, previous));
    if (old.length < atOnce) continue;
    await phones.forget(old);
    old = [];
  }
  await phones.forget(old);
  await replaceVersions(secret, stored, dropped(versions), names);
  return result;
}
