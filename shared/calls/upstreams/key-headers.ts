/** The header that carries a key as it is. */
import type { KeyAuth } from "../../books/catalog/credential.ts";

/** A key in the header that its kind names. */
export function keyHeaders(auth: KeyAuth, key: string): Record<string, string> {
  return auth === "bearer" ? { authorization: `Bearer ${key}` } : { [auth]: key };
}
