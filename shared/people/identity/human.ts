/** The proof of work for another message (sms/README.md "The challenge"). Nothing of a challenge is stored. */
import { createHash, createHmac, randomBytes } from "node:crypto";
import { consoleLimits } from "../../base/console-limits.ts";
import { isSameSecret } from "../../base/platform/encryption.ts";
import { eachVersion, type KeyVersions } from "./identity-keys.ts";

/** Whom a challenge is for, and how many zero bits its answer has. */
interface ChallengeTask {
  ip: string;
  bits: number;
}

/** A challenge for a client. `at` is Unix milliseconds. */
export function newChallenge(task: ChallengeTask, at: number, { current }: KeyVersions): string {
  const ends = Math.floor(at / 1000) + consoleLimits.humanSeconds;
  const unsigned = `${ends.toString(36)}.${randomBytes(8).toString("base64url")}`;
  return `${unsigned}.${signatureOf(unsigned, task, current.human)}`;
}

interface Solved {
  /** What no other challenge has, so that each is used once. */
  nonce: string;
  /** Unix milliseconds, after which no answer is taken. */
  ends_at: number;
}

/**
 * Reads an answer, which is a challenge, a dot and a number in base 36. Undefined where the challenge is not ours, is
 * for another address or has ended, or where the answer's SHA-256 begins with fewer zero bits than it was given with.
 * `bits` are those that challenges have had lately.
 */
export function readAnswer(
  answer: string,
  { ip, at, bits }: { ip: string; at: number; bits: readonly number[] },
  keys: KeyVersions,
): Solved | undefined {
  const parts = /^(([0-9a-z]{1,9})\.([\w-]{11}))\.([\w-]{22})\.[0-9a-z]{1,12}$/.exec(answer);
  if (!parts) return undefined;
  const [, unsigned = "", ends = "", nonce = "", signature = ""] = parts;
  const ends_at = Number.parseInt(ends, 36) * 1000;
  if (ends_at <= at) return undefined;
  const given = bits.find((each) =>
    eachVersion(keys).some(({ human }) =>
      isSameSecret(signature, signatureOf(unsigned, { ip, bits: each }, human)),
    ),
  );
  if (given === undefined) return undefined;
  return zeroBits(createHash("sha256").update(answer).digest()) >= given ? { nonce, ends_at } : undefined;
}

function signatureOf(unsigned: string, { ip, bits }: ChallengeTask, key: Buffer): string {
  const mac = createHmac("sha256", key).update(`${unsigned}.${bits}.${ip}`).digest();
  return mac.subarray(0, 16).toString("base64url");
}

/** How many bits at the beginning are 0. */
function zeroBits(hash: Buffer): number {
  const first = hash.findIndex((byte) => byte !== 0);
  return first < 0 ? hash.length * 8 : first * 8 + Math.clz32(hash[first] ?? 0) - 24;
}
