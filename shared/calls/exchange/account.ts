/** The name of a provider's account in the marks of ids (own-ids.ts). */
import { shortName } from "../../base/platform/id.ts";

export const accountChars = 4;

/** A short name of the provider, and of the secret that it is called with. */
export function accountOf({ provider, secret }: { provider: string; secret: string }): string {
  return shortName(JSON.stringify([provider, secret]), accountChars);
}
