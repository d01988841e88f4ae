/** All keys of an organization, for what needs their names or their makers. */

import { limits } from "../../base/limits.ts";
import type { Accounts, KeyRecord } from "./account.ts";

/** All keys of an organization by id, revoked ones too. */
export async function keysOf(
  accounts: Pick<Accounts, "keys">,
  organization: string,
): Promise<Map<string, KeyRecord>> {
  const known = new Map<string, KeyRecord>();
  let after: string | undefined;
  do {
    const page = await accounts.keys(organization, {
      limit: limits.reportKeysAtOnce,
      ...(after === undefined ? {} : { after }),
    });
    for (const key of page.keys) known.set(key.id, key);
    after = page.more ? page.keys.at(-1)?.id : undefined;
  } while (after !== undefined);
  return known;
}
