/** What each role may do in an organization. */
import { type Role, roles } from "./user.ts";

/** What not every member may do. */
const rights = [
  "see_all_usage",
  "manage_all_keys",
  "manage_own_keys",
  "manage_members",
  "manage_billing",
  "see_billing",
  "see_audit_log",
  "manage_sign_on",
] as const;
export type Right = (typeof rights)[number];

const rightsOf: Record<Role, readonly Right[]> = {
  owner: rights,
  admin: ["see_all_usage", "manage_all_keys", "manage_own_keys", "manage_members", "see_audit_log"],
  finance: ["see_all_usage", "manage_billing", "see_billing", "see_audit_log"],
  member: ["manage_own_keys"],
};

/** Whether a role has a right. */
export function mayDo(role: Role, right: Right): boolean {
  return rightsOf[role].includes(right);
}

/** The roles that have a right. */
export function rolesWith(right: Right): Role[] {
  return roles.filter((role) => mayDo(role, right));
}

/** The rights of a role, as the account shows them. */
export function rightsFor(role: Role): readonly Right[] {
  return rightsOf[role];
}

/** Whether somebody may make another one this: only with every right of the role, such as to pay. */
export function mayGive(giver: Role, role: Role): boolean {
  return mayDo(giver, "manage_members") && rightsOf[role].every((right) => mayDo(giver, right));
}

/** Whether somebody may remove a member with this role, or change it. Only owners touch owners. */
export function mayManage(manager: Role, role: Role): boolean {
  return mayDo(manager, "manage_members") && (role !== "owner" || manager === "owner");
}

/** Which keys of a person end by their role: all that are bound to a member, those that manage keys, or none. */
export function endingBy(role: Role | null): "bound" | "managing" | undefined {
  if (role === null || !mayDo(role, "manage_own_keys")) return "bound";
  return mayDo(role, "manage_all_keys") ? undefined : "managing";
}
