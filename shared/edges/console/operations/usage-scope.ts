/**
 * Whose usage a caller sees: the organization's, or that of the keys which the caller made (books/reports/console.md).
 */
import type { Accounts, KeyRecord } from "../../../books/accounts/account.ts";
import type { UsageSource } from "../../../books/reports/report-groups.ts";
import type { Caller } from "../../../people/identity/caller.ts";
import { mayDo } from "../../../people/identity/roles.ts";
import { keysOf } from "../../api/organization-keys.ts";

export interface ScopeDeps {
  accounts: Pick<Accounts, "keys">;
}

export interface UsageScope {
  organization: string;
  /** The only keys whose usage is shown; null where all of it is. */
  own: ReadonlyMap<string, KeyRecord> | null;
}

/** The scope of a caller. Reads the organization's keys where the caller sees only some of them. */
export async function scopeOf(
  { user, role, organization: { id } }: Caller,
  { accounts }: ScopeDeps,
): Promise<UsageScope> {
  if (mayDo(role, "see_all_usage")) return { organization: id, own: null };
  const keys = await keysOf(accounts, id);
  return { organization: id, own: new Map([...keys].filter(([, key]) => key.created_by === user.id)) };
}

/** Whether usage is in a scope. Usage that names no key is in nobody's own. */
export function isInScope({ own }: UsageScope, { key }: Pick<UsageSource, "key">): boolean {
  return own === null || (key !== null && own.has(key));
}
