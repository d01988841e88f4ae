/** Who may do what with keys: a key with the permission, or a member (people/identity/members.md "Keys"). */

import { consoleLimits } from "../../base/console-limits.ts";
import { GatewayError } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import type { Accounts, KeyRecord, Organization, Principal } from "../../books/accounts/account.ts";
import { personOf } from "../../books/accounts/key-state.ts";
import { isArchived, isOpenTo, type MemberSince } from "../../books/accounts/project.ts";
import type { AuditedKeys } from "../../people/identity/audited-keys.ts";
import type { Caller } from "../../people/identity/caller.ts";
import { mayDo } from "../../people/identity/roles.ts";

export interface KeyRights {
  organization: Organization;
  /** Null where an API key asks. It manages all keys of its organization. */
  member: (MemberSince & { managesAll: boolean }) | null;
  /** The API key that asks. What it makes descends from it. */
  key?: KeyRecord;
}

/**
 * What an API key may do. One that descends from a person manages keys only while that person does, so nobody who is
 * removed has a way left. Without `auditedKeys` there are no people. Throws `permission_denied`.
 */
export async function rightsOfKey(
  { key, organization }: Principal,
  auditedKeys?: Pick<AuditedKeys, "roleOf">,
): Promise<KeyRights> {
  if (!key.permissions.includes("manage_keys"))
    throw new GatewayError("permission_denied", { message: "The API key lacks the permission manage_keys." });
  const person = personOf(key);
  if (person !== undefined && auditedKeys) {
    const role = await auditedKeys.roleOf(organization.id, person);
    if (!role || !mayDo(role, "manage_all_keys")) {
      const message =
        "The API key descends from somebody who does not manage the organization's keys any more.";
      throw new GatewayError("permission_denied", { message });
    }
  }
  return { organization, member: null, key };
}

/** What a member may do: with all keys, or with their own. Throws `permission_denied` for a role that manages none. */
export function rightsOfMember({ user, organization, role, since, projects }: Caller): KeyRights {
  if (!mayDo(role, "manage_own_keys"))
    throw new GatewayError("permission_denied", { message: `The role ${role} manages no keys.` });
  const managesAll = mayDo(role, "manage_all_keys");
  return { organization, member: { id: user.id, since, projects, managesAll } };
}

/** Whether these are rights to every key of the organization. */
export function managesAll({ member }: KeyRights): boolean {
  return member === null || member.managesAll;
}

/** Whether the member with these rights has made this key. */
export function isOwn(key: KeyRecord | undefined, { member }: KeyRights): boolean {
  return member !== null && key?.created_by === member.id;
}

/** Throws `invalid_request` where a key cannot come to a project, because that is archived. "" is none. */
export function checkNotArchived(project: string, organization: Pick<Organization, "projects">): void {
  if (!isArchived(organization, project)) return;
  const message = `The project \`${project}\` is archived. Who manages all keys can bring it back.`;
  throw new GatewayError("invalid_request", { message, param: "project_id" });
}

/**
 * Throws `permission_denied` where these are no rights to make keys in a project (people/identity/projects.md "Members").
 * It reads nothing where no project of the organization has a record.
 */
export async function checkProjectMember(
  project: string,
  { organization, member }: KeyRights,
  accounts: Pick<Accounts, "project">,
): Promise<void> {
  if (project === "" || !organization.projects || member === null || member.managesAll) return;
  if (isOpenTo(await accounts.project(organization.id, project), member)) return;
  const message = `Only members of the project \`${project}\` make keys in it. Who manages all keys can make you one.`;
  throw new GatewayError("permission_denied", { message });
}

/** Keys that are wanted, in order of creation. A page may be short: `more` and `last` then lead to the rest. */
export async function keysWhere(
  organization: string,
  isWanted: (key: KeyRecord) => boolean,
  { limit, after }: { limit: number; after?: string | undefined },
  accounts: Pick<Accounts, "keys">,
): Promise<KeyPage> {
  const wanted: KeyRecord[] = [];
  let from = after;
  for (let read = 0; ; ) {
    const page = await accounts.keys(organization, {
      limit: limits.keyListMax,
      ...(from === undefined ? {} : { after: from }),
    });
    for (const key of page.keys.filter(isWanted)) {
      if (wanted.length === limit) return { keys: wanted, more: true, last: wanted.at(-1)?.id ?? null };
      wanted.push(key);
    }
    read += page.keys.length;
    from = page.keys.at(-1)?.id;
    if (!page.more) return { keys: wanted, more: false, last: wanted.at(-1)?.id ?? null };
    if (read >= consoleLimits.ownKeyReadsMax) return { keys: wanted, more: true, last: from ?? null };
  }
}

export interface KeyPage {
  keys: KeyRecord[];
  more: boolean;
  last: string | null;
}
