/** Texts that people's records keep under a version of the accounts' secret (README.md "The secret and its versions"). */
import { decrypt, encrypt } from "../../base/platform/encryption.ts";
import { type IdentityKeyName, type IdentityKeys, keysOfVersion, type ReadKeys } from "./identity-keys.ts";

/** A text under AES-256-GCM, base64url, with the version of the secret that its key is of. */
export interface Box {
  box: string;
  version: number;
}

/** The key of a box, and what it is bound to: it opens with the same context alone. */
interface BoxOf {
  key: IdentityKeyName;
  context: string;
}

export function sealBox(plain: Uint8Array, { key, context }: BoxOf, keys: IdentityKeys): Box {
  return { box: encrypt(keys[key], context, plain).toString("base64url"), version: keys.version };
}

/** What is in a box; undefined where its version of the secret is gone. Throws where it was tampered with. */
export async function openBox(
  { box, version }: Box,
  { key, context }: BoxOf,
  readKeys: ReadKeys,
): Promise<Buffer | undefined> {
  const keys = await keysOfVersion(version, readKeys);
  return keys && decrypt(keys[key], context, Buffer.from(box, "base64url"));
}
