/** The tokens of the operators' API (edges/admin/README.md "Tokens"). */
import { createHash, randomBytes } from "node:crypto";
import { isSameSecret } from "../../base/platform/encryption.ts";
import { bareId, isId, newId } from "../../base/platform/id.ts";
import { dayMs } from "../../books/billing/period.ts";

/** What a token may do. Every token may read. */
export const adminScopes = ["read", "support", "finance", "ops"] as const;
export type AdminScope = (typeof adminScopes)[number];

export interface AdminToken {
  id: string;
  name: string;
  /** The e-mail address of the one person who has it: two tokens of one person are not four eyes. */
  person: string;
  scopes: AdminScope[];
  /** SHA-256 of its text, hex. The text is never stored. */
  hash: string;
  /** Unix milliseconds. */
  made_at: number;
  /** Who made it, as AWS names them. */
  made_by: string;
  ends_at: number;
  /** Absent: it was not revoked. */
  revoked_at?: number;
  revoked_by?: string;
}

/** What somebody wants of a new token. */
export interface WantedToken extends Pick<AdminToken, "name" | "person" | "scopes"> {
  days: number;
  by: string;
}

/** What a token's text begins with. No API key, session or token of SCIM begins so. */
const prefix = "gwadmin_";

/** A new token at `at` (Unix ms), and its text, which is shown once. */
export function newAdminToken(
  { name, person, scopes, days, by }: WantedToken,
  at: number,
): { token: AdminToken; text: string } {
  const id = newId("admin_token", at);
  const text = `${prefix}${bareId(id)}_${randomBytes(32).toString("base64url")}`;
  const times = { made_at: at, made_by: by, ends_at: at + days * dayMs };
  return { token: { id, name, person, scopes, hash: hashOf(text), ...times }, text };
}

/** The id of the token that a text has the form of; undefined for any other text. */
export function readAdminToken(text: string): string | undefined {
  const [, bare = ""] = /^gwadmin_(\w{26})_[\w-]{43}$/.exec(text) ?? [];
  const id = `adt_${bare}`;
  return isId(id, "admin_token") ? id : undefined;
}

/** Whether this is the text of the token, and the token is in force at `now` (Unix ms). */
export function opens(token: AdminToken, text: string, now: number): boolean {
  return isSameSecret(token.hash, hashOf(text)) && isInForce(token, now);
}

export function isInForce({ ends_at, revoked_at }: AdminToken, now: number): boolean {
  return revoked_at === undefined && now < ends_at;
}

export function hasScope({ scopes }: Pick<AdminToken, "scopes">, scope: AdminScope): boolean {
  return scope === "read" || scopes.includes(scope);
}

/** It has so many random bits that a plain hash tells nothing. */
function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The tokens, as a store keeps them. Every read is strongly consistent. */
export interface AdminTokens {
  read(id: string): Promise<AdminToken | undefined>;
  /** Every token that was ever made, in the order of making. */
  all(): Promise<AdminToken[]>;
  make(token: AdminToken): Promise<void>;
  /** Revokes a token that was not revoked before, and says whether it did. */
  revoke(id: string, at: number, by: string): Promise<boolean>;
}
