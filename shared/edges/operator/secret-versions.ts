/** What an operator does with a secret that has versions: the pepper, and the secret of accounts. */
import { randomBytes } from "node:crypto";
import { limits } from "../../base/limits.ts";
import {
  type Pepper,
  type Peppers,
  peppersOf,
  readPeppers,
  writePeppers,
} from "../../base/platform/pepper.ts";
import type { SecretStore, SecretText } from "../../base/platform/secret-text.ts";
import { rfc3339 } from "../../books/billing/instant.ts";

/** How long after a rotation every process knows the new version: twice the age that a copy of the secret may have. */
const settleSeconds = 2 * limits.secretCacheSeconds;

/** What messages call a secret and its text, and the word that its commands begin with. */
interface SecretNames {
  secret: string;
  text: string;
  commands: string;
}

/** One version as an operator sees it, never with its text. */
interface VersionLine {
  version: number;
  made_at: string;
  age_seconds: number;
}

/** The versions that are in force. */
export interface VersionLines {
  current: VersionLine;
  previous: VersionLine | null;
  /** Since when every process knows the current version, so that the one before may be dropped; null without one. */
  drop_from: string | null;
}

export interface Rotation {
  version: number;
  previous: number;
  drop_from: string;
}

/** The versions after a rotation that makes this one (infra/resources/secrets.md "The pepper"). */
export function rotated({ current, replayNames }: Peppers, next: Omit<Pepper, "version">): Peppers {
  return peppersOf({ ...next, version: current.version + 1 }, current, replayNames);
}

/** The versions without the one before. */
export function dropped({ current, replayNames }: Peppers): Peppers {
  return peppersOf(current, undefined, replayNames);
}

/** Makes a new version, and keeps the one before. Throws where one is kept already, or where the secret has changed. */
export async function rotateVersions(
  names: SecretNames,
  { secret, now }: { secret: SecretStore; now: () => number },
): Promise<Rotation> {
  const stored = await secret.read();
  const peppers = readPeppers(stored.text);
  const { current, previous } = peppers;
  if (previous) {
    throw new Error(
      `version ${previous.version} of ${names.secret} is still kept beside version ${current.version}; run ${names.commands} drop before you rotate again`,
    );
  }
  const made = { value: randomBytes(48).toString("base64url"), made_at: rfc3339(now()) };
  const known = { ...peppers, current: { ...current, made_at: madeAt(current, stored) } };
  await replaceVersions(secret, stored, rotated(known, made), names);
  return {
    version: current.version + 1,
    previous: current.version,
    drop_from: rfc3339(settledAt(await secret.read())),
  };
}

/** Writes other versions. Throws where somebody else has changed the secret since it was read. */
export async function replaceVersions(
  secret: SecretStore,
  before: SecretText,
  peppers: Peppers,
  names: SecretNames,
): Promise<void> {
  if (!(await secret.replace(before, writePeppers(peppers))))
    throw new Error(`somebody else has changed ${names.text} meanwhile; look at ${names.commands} status`);
}

/** From when on every process knows the current version, Unix ms. Only a rotation writes a secret with two versions. */
export function settledAt({ written_at }: SecretText): number {
  return written_at + settleSeconds * 1000;
}

/** The versions as an operator sees them at `now` (Unix ms). */
export function linesOf(stored: SecretText, now: number): VersionLines {
  const { current, previous } = readPeppers(stored.text);
  return {
    current: lineOf(current, stored, now),
    previous: previous ? lineOf(previous, stored, now) : null,
    drop_from: previous ? rfc3339(settledAt(stored)) : null,
  };
}

function lineOf(pepper: Pepper, stored: SecretText, now: number): VersionLine {
  const made_at = madeAt(pepper, stored);
  const age = Math.floor((now - Date.parse(made_at)) / 1000);
  return { version: pepper.version, made_at, age_seconds: Math.max(0, age) };
}

/** A version that a rotation has not made came with the secret. */
function madeAt({ made_at }: Pepper, { written_at }: SecretText): string {
  return made_at ?? rfc3339(written_at);
}
