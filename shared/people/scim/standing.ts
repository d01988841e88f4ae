/** Which membership a person has by what SCIM and the connection say (README.md "Roles"). */
import type { Membership } from "../identity/user.ts";
import { type GroupGrant, grantFor, type SignOnConnection } from "../sign-on/connection.ts";
import { isGranted, newMembership } from "../sign-on/membership.ts";
import { type DirectoryGroups, type DirectoryPerson, groupsOf, type Standing } from "./directory.ts";

type Rules = Pick<SignOnConnection, "rules" | "default_role">;

interface RoleFacts {
  /** Absent: the organization has no provider of its own now. */
  connection: Rules | undefined;
  groups: Pick<DirectoryGroups, "list">;
  membership: Membership | undefined;
}

/**
 * What a person gets by their groups; no role where they are no member. Without groups in SCIM the provider's claims decide
 * at a sign-in, so who has something keeps it. Owners stay owners.
 */
export function grantOfPerson(
  person: Pick<DirectoryPerson, "active" | "groups">,
  { connection, groups, membership }: RoleFacts,
): GroupGrant {
  const { role = null, projects = [] } = membership ?? {};
  const before: GroupGrant = { role, projects };
  if (role === "owner") return before;
  if (!person.active) return { role: null, projects: [] };
  if (!connection) return before;
  const names = groupsOf(person, groups).map(({ name }) => name);
  const given = grantFor(connection, names);
  if (!membership) return given;
  if (groups.list.length === 0) return before;
  return connection.rules.length > 0 ? given : { role, projects: [] };
}

/**
 * What a person gets whom SCIM names for the first time. Providers tell groups after the person, so a member keeps what they
 * have until then. Else their membership would end, and begin anew without what was chosen for them.
 */
export function grantOfNew(person: Pick<DirectoryPerson, "active" | "groups">, facts: RoleFacts): GroupGrant {
  const { membership } = facts;
  if (!membership || !person.active) return grantOfPerson(person, facts);
  const { role, projects = [] } = membership;
  return { role, projects };
}

/** What has to be written so that the membership is that of the grant; undefined where it is so. */
export function standingFor(
  { id: user, organization }: Pick<DirectoryPerson, "id" | "organization">,
  { grant: { role, projects }, membership }: { grant: GroupGrant; membership: Membership | undefined },
  at: number,
): Standing | undefined {
  if (role === null) return membership && { is: "over", before: membership };
  if (!membership)
    return { is: "joined", membership: newMembership({ user, organization, since: at }, { role, projects }) };
  return isGranted(membership, { role, projects })
    ? undefined
    : { is: "changed", before: membership, role, projects };
}
