/** Organizations' own provider keys in tests that seal none: the sealed text is the key. */
import type { Aws } from "#shared/base/platform/aws.ts";
import type { OwnKey } from "#shared/books/accounts/own-key.ts";
import type { OwnKeys } from "#shared/calls/upstreams/opened-keys.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import type { TableNames } from "#shared/edges/store/dynamodb/item-keys.ts";

export const plainOwnKeys: OwnKeys = { open: async (_, { sealed }) => sealed };

/** A key of an organization at a provider, which serves alone if nothing else is said. */
export function ownKeyAt(provider: string, fields: Partial<OwnKey> = {}): OwnKey {
  const sealed = `sk-own-of-${provider}-0123456789`;
  return { provider, use: "only", sealed, last_four: sealed.slice(-4), set_at: 0, ...fields };
}

/** Gives an organization a key at the provider `test`, as a member does on the console. */
export async function giveOwnKey(
  { aws, tables }: { aws: Aws; tables: Pick<TableNames, "keys" | "counters"> },
  organization: string,
): Promise<void> {
  const key = ownKeyAt("test", { sealed: "…", last_four: "x7Qa", set_at: Date.now() });
  await createAccounts(aws, tables).setRows(organization, "provider_keys", {
    before: undefined,
    after: [key],
  });
}
