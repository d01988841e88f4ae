/** What the simulated gateway takes for calls that an organization's own key has paid. */
import type { Organization } from "#shared/books/accounts/account.ts";

/** The fee is this part of the value at list price. */
export const feeDivisor = 4n;
export const simulatedFee = { share: "0.25" };

/** What the value of an organization's calls at the chat models is divided by. */
export function divisorOf({ provider_keys: keys = [] }: Pick<Organization, "provider_keys">): bigint {
  return keys.length > 0 ? feeDivisor : 1n;
}
