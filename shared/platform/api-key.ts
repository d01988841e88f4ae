/**
 * API keys at rest: a key is 256 random bits after a prefix that says the billing mode. Only its keyed hash
 * is stored (design §4 "Keys at rest"). The key is random, so a slow hash would add latency and no safety.
 */
import { createHmac, randomBytes } from "node:crypto";

const prefixes = { subscription: "sk-sub-", payg: "sk-payg-" } as const;

/** A new key: the secret, shown once, and its last four characters for display. */
export function newApiKey(mode: keyof typeof prefixes): { secret: string; last_four: string } {
  const secret = prefixes[mode] + randomBytes(32).toString("base64url");
  return { secret, last_four: secret.slice(-4) };
}

/** HMAC-SHA256(pepper, key) in hex: the only form a key is stored and looked up in. */
export function hashApiKey(pepper: string, key: string): string {
  return createHmac("sha256", pepper).update(key).digest("hex");
}
