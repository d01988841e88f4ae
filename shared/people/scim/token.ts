/** The token by which a provider provisions: it names its organization, and is good there alone (README.md "The token"). */
import { createHash, randomBytes } from "node:crypto";
import { isSameSecret } from "../../base/platform/encryption.ts";
import { isId, newId } from "../../base/platform/id.ts";
import type { DirectoryToken } from "./directory.ts";

interface ReadToken {
  organization: string;
  secret: string;
}

/** A new token of an organization at `at` (Unix ms), and the text that is shown once. */
export function newDirectoryToken(organization: string, at: number): { token: DirectoryToken; text: string } {
  const secret = randomBytes(32).toString("base64url");
  return {
    token: { id: newId("directory_token", at), hash: hashOf(secret), made_at: at },
    text: `scim.${organization}.${secret}`,
  };
}

/** What a text says that has the form of a token; undefined for any other. */
export function readDirectoryToken(text: string): ReadToken | undefined {
  const [, organization = "", secret = ""] = /^scim\.(org_\w{26})\.([\w-]{43})$/.exec(text) ?? [];
  return isId(organization, "organization") ? { organization, secret } : undefined;
}

/** Whether the secret is that of the stored token. */
export function isTokenOf({ hash }: DirectoryToken, secret: string): boolean {
  return isSameSecret(hash, hashOf(secret));
}

/** It has so many bits that a plain hash tells nothing. */
function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
