/** What an operator does with the pepper: looks at its versions, makes a new one, and drops the one before. */

import { limits } from "../../base/limits.ts";
import { readPeppers } from "../../base/platform/pepper.ts";
import type { SecretStore } from "../../base/platform/secret-text.ts";
import type { KeyRecord } from "../../books/accounts/account.ts";
import type { KeyHashes } from "../../books/accounts/key-hashes.ts";
import { isKept } from "../../books/accounts/key-state.ts";
import { rfc3339 } from "../../books/billing/instant.ts";
import {
  dropped,
  linesOf,
  type Rotation,
  replaceVersions,
  rotateVersions,
  settledAt,
  type VersionLines,
} from "./secret-versions.ts";

interface PepperDeps {
  secret: SecretStore;
  hashes: KeyHashes;
  now: () => number;
}

/** How many hashes are removed with one transaction. */
const atOnce = 25;
/** How long a call may take, and so may look for a hash that its key has left since. */
const lookupSeconds = limits.holdExpirySeconds;
const names = { secret: "the pepper", text: "the pepper's secret", commands: "pepper" };

/** What is in force, and which keys it holds. */
interface PepperStatus extends VersionLines {
  keys: {
    living: number;
    /** Living keys that are still stored under the version before. */
    on_previous: number;
    /** Living keys under a version that is gone: their calls are refused. */
    on_none: number;
  };
}

/** Shows the versions, and counts the keys of each. It reads every key. */
export async function pepperStatus({ secret, hashes, now }: PepperDeps): Promise<PepperStatus> {
  const stored = await secret.read();
  const { current, previous } = readPeppers(stored.text);
  const keys = { living: 0, on_previous: 0, on_none: 0 };
  for await (const { key } of hashes.all()) {
    if (!key || !isKept(key, now())) continue;
    keys.living += 1;
    if (previous && isOn(previous.version, key, now())) keys.on_previous += 1;
    else if (versionOf(key) !== current.version) keys.on_none += 1;
  }
  return { ...linesOf(stored, now()), keys };
}

/** Makes a new version, and keeps the one before. Throws where one is kept already, or where the secret has changed. */
export async function rotatePepper(deps: Pick<PepperDeps, "secret" | "now">): Promise<Rotation> {
  return await rotateVersions(names, deps);
}

/** A living key that would be lost with the version before. */
interface NeedyKey {
  id: string;
  organization: string;
  name: string;
  last_four: string;
  created_at: string;
}

/** What came of `dropPepper`. */
type Drop =
  | {
      /** The version; null where it was dropped before. */
      dropped: number | null;
      /** Hashes that keys have left, and that were removed. */
      removed_hashes: number;
      /** Such hashes that a call which runs may still look for. */
      kept_hashes: number;
    }
  | { needed_by: NeedyKey[] };

/**
 * Drops the version before if no living key has it, else gives those keys. Then removes the hashes that keys have left,
 * but those that a running call may look for; may be repeated. Throws where there is nothing to drop, where a process
 * may not know the rotation, or where the secret has changed.
 */
export async function dropPepper({ secret, hashes, now }: PepperDeps): Promise<Drop> {
  const stored = await secret.read();
  const peppers = readPeppers(stored.text);
  const { previous } = peppers;
  if (previous && now() < settledAt(stored)) {
    throw new Error(
      `a process may still make keys under version ${previous.version} of the pepper; try again after ${rfc3339(settledAt(stored))}`,
    );
  }
  const needed_by: NeedyKey[] = [];
  const [left, young]: [string[], string[]] = [[], []];
  for await (const { hash, key, left_at = 0 } of hashes.all()) {
    if (!key) (left_at + lookupSeconds * 1000 > now() ? young : left).push(hash);
    else if (previous && isKept(key, now()) && isOn(previous.version, key, now()))
      needed_by.push(needyOf(key));
  }
  if (needed_by.length > 0) return { needed_by };
  if (previous) await replaceVersions(secret, stored, dropped(peppers), names);
  else if (left.length + young.length === 0)
    throw new Error("there is no previous version of the pepper to drop");
  for (let from = 0; from < left.length; from += atOnce) await hashes.forget(left.slice(from, from + atOnce));
  return {
    dropped: previous?.version ?? null,
    removed_hashes: left.length,
    kept_hashes: young.length,
  };
}

/** Whether a key's secret is stored under a version, or its old secret that is in force beside it. */
function isOn(version: number, key: KeyRecord, now: number): boolean {
  const { old } = key;
  return versionOf(key) === version || (old !== undefined && old.until > now && versionOf(old) === version);
}

function versionOf({ hash_version = 1 }: Pick<KeyRecord, "hash_version">): number {
  return hash_version;
}

function needyOf({ id, organization, name, last_four, created_at }: KeyRecord): NeedyKey {
  return { id, organization, name, last_four, created_at: rfc3339(created_at) };
}
