/**
 * What the operator gives of a provider's own: the id of a file, a store or a cache (calls/protocols/provider-ids.md).
 */

import { invalidRequest } from "../../base/errors.ts";
import type { Peppers } from "../../base/platform/pepper.ts";
import type { Provider } from "../../books/catalog/catalog.ts";
import { accountNames } from "../../books/catalog/provider.ts";
import { accountOf } from "../../calls/exchange/account.ts";
import { isMarked, marked, type Owner } from "../../calls/exchange/own-ids.ts";

/** An id that an organization shall be able to use. */
export interface GivenId {
  id: string;
  /** The provider that keeps what it names, and the secret of the account there; its first one if absent. */
  provider: string;
  secret?: string | undefined;
}

/**
 * The id with its owner's mark. Throws `invalid_request` for an unknown provider or secret, and for what can be no id.
 */
export function giveId(
  { id, provider: name, secret }: GivenId,
  owner: Owner,
  { providers, peppers }: { providers: Readonly<Record<string, Provider>>; peppers: Peppers },
): string {
  const provider = Object.hasOwn(providers, name) ? providers[name] : undefined;
  if (!provider)
    throw invalidRequest(`There is no provider ${name}; there are ${listed(Object.keys(providers))}.`);
  const secrets = accountNames(provider);
  const account = secret ?? secrets[0] ?? "";
  if (!secrets.includes(account))
    throw invalidRequest(`The provider ${name} has no secret ${account}; it has ${listed(secrets)}.`);
  if (!/^[\x21-\x7e]{1,256}$/.test(id)) throw invalidRequest("An id is 1 to 256 visible ASCII characters.");
  if (isMarked(id)) throw invalidRequest("The id has a mark already: give it as its provider shows it.");
  return marked(id, accountOf({ provider: name, secret: account }), owner, peppers);
}

const listed = (names: readonly string[]): string => names.toSorted().join(", ");
