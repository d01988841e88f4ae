/**
 * Whose usage a caller sees: the organization's, or that of the keys which the caller made and of the projects which they
 * were made a member of (books/reports/console.md).
 */
import type { Accounts, KeyRecord } from "../../../books/accounts/account.ts";
import { keysOf } from "../../../books/accounts/organization-keys.ts";
import { isChosen } from "../../../books/accounts/project.ts";
import type { UsageSource } from "../../../books/reports/report-groups.ts";
import type { Caller } from "../../../people/identity/caller.ts";
import { mayDo } from "../../../people/identity/roles.ts";

export interface ScopeDeps {
  accounts: Pick<Accounts, "keys" | "projects">;
}

export interface UsageScope {
  organization: string;
  /** The only keys whose usage is shown; null where all of it is. */
  own: ReadonlyMap<string, KeyRecord> | null;
  /** The projects whose usage is shown beside that. */
  projects: ReadonlySet<string>;
}

/** The scope of a caller. Reads the organization's keys and projects where the caller sees only some of them. */
export async function scopeOf(
  { user, role, since, projects: given, organization: { id, projects } }: Caller,
  { accounts }: ScopeDeps,
): Promise<UsageScope> {
  if (mayDo(role, "see_all_usage")) return { organization: id, own: null, projects: new Set() };
  const [keys, records] = await Promise.all([keysOf(accounts, id), projects ? accounts.projects(id) : []]);
  const joined = records.filter((record) => isChosen(record, { id: user.id, since }));
  return {
    organization: id,
    own: new Map([...keys].filter(([, key]) => key.created_by === user.id)),
    projects: new Set([...given, ...joined.map(({ project }) => project)]),
  };
}

/** Whether usage is in a scope. Usage that names no key is in nobody's own. */
export function isInScope(
  { own, projects }: UsageScope,
  { key, project }: { key: string | null; project: string },
): boolean {
  return own === null || (key !== null && own.has(key)) || projects.has(project);
}

/** Whether what a report adds up is in a scope. */
export function isSourceInScope(
  scope: UsageScope,
  { key, owner }: Pick<UsageSource, "key" | "owner">,
): boolean {
  // Rollups from before 2026-11-22 name no project.
  return isInScope(scope, { key, project: owner ?? "" });
}
