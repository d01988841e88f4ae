/**
 * API keys: a prefix for the billing mode, 256 random bits, and a checksum. Only the keyed hash is stored (design §4
 * "Keys at rest"): a slow hash would add no safety to a random key.
 */
import { createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const prefixes = { subscription: "sk-sub-", payg: "sk-payg-" } as const;
/** Keys of this prefix have a record only where somebody has put it there. Nothing is known of their form. */
const foreignPrefix = "sk_live_";

/** The characters of 32 random bytes, and those of a checksum of 4, in base64url. */
const [randomChars, checksumChars] = [43, 6];

/**
 * A new key: the secret, shown once, and its last four characters for display. `bytes` are 32 that nobody can foretell, where
 * they are not random.
 */
export function newApiKey(
  mode: keyof typeof prefixes,
  bytes: Buffer = randomBytes(32),
): { secret: string; last_four: string } {
  const body = prefixes[mode] + bytes.toString("base64url");
  const secret = body + checksumOf(body);
  return { secret, last_four: secret.slice(-4) };
}

/** Whether a text has a key's form, which proves nothing. Keys of before 2026-11-28 have no checksum. */
export function hasKeyForm(text: string): boolean {
  if (text.startsWith(foreignPrefix)) return true;
  const prefix = Object.values(prefixes).find((each) => text.startsWith(each));
  if (prefix === undefined) return false;
  const length = text.length - prefix.length;
  if (length !== randomChars + checksumChars) return length === randomChars;
  return text.slice(-checksumChars) === checksumOf(text.slice(0, -checksumChars));
}

/** The CRC-32 of the rest of a key. It is public, so it needs no key of its own. */
function checksumOf(body: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return bytes.toString("base64url");
}

/** The pepper that was used last. Node takes much longer to prepare a text as a key for each hash. */
let known: { pepper: string; key: KeyObject } | undefined;

/** HMAC-SHA256(pepper, key) in hex: the only form a key is stored and looked up in. */
export function hashApiKey(pepper: string, key: string): string {
  if (pepper !== known?.pepper) known = { pepper, key: createSecretKey(pepper, "utf8") };
  return createHmac("sha256", known.key).update(key).digest("hex");
}
