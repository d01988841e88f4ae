/** Which membership a person has by what SCIM and the connection say (README.md "Roles"). */
import { mayDo } from "../identity/roles.ts";
import type { Membership, Role } from "../identity/user.ts";
import { roleFor, type SignOnConnection } from "../sign-on/connection.ts";
import { type DirectoryGroups, type DirectoryPerson, groupsOf, type Standing } from "./directory.ts";

type Rules = Pick<SignOnConnection, "rules" | "default_role">;

interface RoleFacts {
  /** Absent: the organization has no provider of its own now. */
  connection: Rules | undefined;
  groups: Pick<DirectoryGroups, "list">;
  membership: Membership | undefined;
}

/**
 * The role of a person; null where they are no member. Without groups in SCIM the provider's claims decide at a sign-in,
 * so who has a role keeps it. Owners stay owners.
 */
export function roleOfPerson(
  person: Pick<DirectoryPerson, "active" | "groups">,
  { connection, groups, membership }: RoleFacts,
): Role | null {
  if (membership?.role === "owner") return "owner";
  if (!person.active) return null;
  if (!connection) return membership?.role ?? null;
  const isDecided = groups.list.length > 0 && connection.rules.length > 0;
  if (membership && !isDecided) return membership.role;
  const names = groupsOf(person, groups).map(({ name }) => name);
  return roleFor(connection, names);
}

/** What has to be written so that the membership is that of the role; undefined where it is so. */
export function standingFor(
  { id: user, organization }: Pick<DirectoryPerson, "id" | "organization">,
  { role, membership }: { role: Role | null; membership: Membership | undefined },
  at: number,
): Standing | undefined {
  if (role === null) return membership && { is: "over", before: membership };
  if (!membership) return { is: "joined", membership: { user, organization, role, since: at } };
  return membership.role === role ? undefined : { is: "changed", before: membership, role };
}

/** Which keys of a person end by their role: all that are bound to a member, those that manage keys, or none. */
export function endingBy(role: Role | null): "bound" | "managing" | undefined {
  if (role === null || !mayDo(role, "manage_own_keys")) return "bound";
  return mayDo(role, "manage_all_keys") ? undefined : "managing";
}
