/** What an operator does with the pepper: looks at its versions, makes a new one, and drops the one before. */
import { randomBytes } from "node:crypto";
import { isLiving, type KeyHashes, type KeyRecord } from "../../accounts/account.ts";
import { limits } from "../../limits.ts";
import { type Pepper, type Peppers, peppersOf, readPeppers, writePeppers } from "../../platform/pepper.ts";
import type { SecretStore, SecretText } from "../../platform/secret-text.ts";
import { rfc3339 } from "../api/instant.ts";

interface PepperDeps {
  secret: SecretStore;
  hashes: KeyHashes;
  now: () => number;
}

/** How many hashes are removed with one transaction. */
const atOnce = 25;
/** How long a call may take, and so may look for a hash that its key has left since. */
const lookupSeconds = limits.holdExpirySeconds;
/** How long after a rotation every process knows the new version: twice the age that a copy of the secret may have. */
const settleSeconds = 2 * limits.secretCacheSeconds;

/** One version as an operator sees it, never with its text. */
interface VersionLine {
  version: number;
  made_at: string;
  age_seconds: number;
}

/** What is in force, and which keys it holds. */
interface PepperStatus {
  current: VersionLine;
  previous: VersionLine | null;
  /** Since when every process knows the current version, so that the one before may be dropped; null without one. */
  drop_from: string | null;
  keys: {
    living: number;
    /** Living keys that are still stored under the version before. */
    on_previous: number;
    /** Living keys under a version that is gone: their calls are refused. */
    on_none: number;
  };
}

/** The pepper's versions after a rotation that makes this one (infra/secrets.md "The pepper"). */
export function rotated({ current, replayNames }: Peppers, next: Omit<Pepper, "version">): Peppers {
  return peppersOf({ ...next, version: current.version + 1 }, current, replayNames);
}

/** The pepper's versions without the one before. */
export function dropped({ current, replayNames }: Peppers): Peppers {
  return peppersOf(current, undefined, replayNames);
}

/** Shows the versions, and counts the keys of each. It reads every key. */
export async function pepperStatus({ secret, hashes, now }: PepperDeps): Promise<PepperStatus> {
  const stored = await secret.read();
  const { current, previous } = readPeppers(stored.text);
  const keys = { living: 0, on_previous: 0, on_none: 0 };
  for await (const { key } of hashes.all()) {
    if (!key || !isLiving(key, now())) continue;
    keys.living += 1;
    if (versionOf(key) === previous?.version) keys.on_previous += 1;
    else if (versionOf(key) !== current.version) keys.on_none += 1;
  }
  return {
    current: lineOf(current, stored, now()),
    previous: previous ? lineOf(previous, stored, now()) : null,
    drop_from: previous ? rfc3339(settledAt(stored)) : null,
    keys,
  };
}

/**
 * Makes a new version current, and keeps the one before. Throws where one is kept already, and where somebody else has
 * changed the secret meanwhile.
 */
export async function rotatePepper({
  secret,
  now,
}: Pick<PepperDeps, "secret" | "now">): Promise<{ version: number; previous: number; drop_from: string }> {
  const stored = await secret.read();
  const peppers = readPeppers(stored.text);
  const { current, previous } = peppers;
  if (previous) {
    throw new Error(
      `version ${previous.version} of the pepper is still kept beside version ${current.version}; run pepper drop before you rotate again`,
    );
  }
  const made = { value: randomBytes(48).toString("base64url"), made_at: rfc3339(now()) };
  const known = { ...peppers, current: { ...current, made_at: madeAt(current, stored) } };
  await replace(secret, stored, rotated(known, made));
  return {
    version: current.version + 1,
    previous: current.version,
    drop_from: rfc3339(settledAt(await secret.read())),
  };
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
 * Drops the version before if no living key is stored under it. Otherwise it gives those keys, and changes nothing. Then
 * it removes the hashes that keys have left, but those that a running call may still look for. A repetition goes on with
 * that. Throws where there is nothing to drop, where a process may not know the rotation yet, and where somebody else
 * has changed the secret meanwhile.
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
    else if (versionOf(key) === previous?.version && isLiving(key, now())) needed_by.push(needyOf(key));
  }
  if (needed_by.length > 0) return { needed_by };
  if (previous) await replace(secret, stored, dropped(peppers));
  else if (left.length + young.length === 0)
    throw new Error("there is no previous version of the pepper to drop");
  for (let from = 0; from < left.length; from += atOnce) await hashes.forget(left.slice(from, from + atOnce));
  return {
    dropped: previous?.version ?? null,
    removed_hashes: left.length,
    kept_hashes: young.length,
  };
}

async function replace(secret: SecretStore, before: SecretText, peppers: Peppers): Promise<void> {
  if (!(await secret.replace(before, writePeppers(peppers))))
    throw new Error("somebody else has changed the pepper's secret meanwhile; look at pepper status");
}

function versionOf({ hash_version = 1 }: KeyRecord): number {
  return hash_version;
}

/** Nothing but a rotation writes a secret with two versions, so it was written when they were made. */
function settledAt({ written_at }: SecretText): number {
  return written_at + settleSeconds * 1000;
}

/** A version that a rotation has not made came with the secret. */
function madeAt({ made_at }: Pepper, { written_at }: SecretText): string {
  return made_at ?? rfc3339(written_at);
}

function lineOf(pepper: Pepper, stored: SecretText, now: number): VersionLine {
  const made_at = madeAt(pepper, stored);
  const age = Math.floor((now - Date.parse(made_at)) / 1000);
  return { version: pepper.version, made_at, age_seconds: Math.max(0, age) };
}

function needyOf({ id, organization, name, last_four, created_at }: KeyRecord): NeedyKey {
  return { id, organization, name, last_four, created_at: rfc3339(created_at) };
}
