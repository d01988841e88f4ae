/** What groups make of a membership, and what the audit log tells of it (README.md "Groups"). */
import { isDeepStrictEqual } from "node:util";
import type { AuditedChange, AuditFacts } from "../identity/audit.ts";
import type { Membership, Role } from "../identity/user.ts";
import type { MembershipMove } from "./entering.ts";

/** A role, and handles of projects in order. */
interface Granted {
  role: Role;
  projects: readonly string[];
}

/** A new membership with what groups give. */
export function newMembership(
  who: Pick<Membership, "user" | "organization" | "since">,
  { role, projects }: Granted,
): Membership {
  return { ...who, role, ...(projects.length > 0 && { projects: [...projects] }) };
}

/** Whether a membership is as groups give it. */
export function isGranted({ role, projects = [] }: Membership, granted: Granted): boolean {
  return role === granted.role && isDeepStrictEqual(projects, granted.projects);
}

/** The line about a new member, whom `by` has let in. */
export function joinedLine({ user: subject, role, projects = [] }: Membership, by: string): AuditedChange {
  return {
    kind: "member_joined",
    subject,
    after: { role, by, ...(projects.length > 0 && factOf(projects)) },
  };
}

/** The lines about a member whom groups give another role, or other projects. */
export function movedLines({ before, role, projects }: MembershipMove): AuditedChange[] {
  const { user: subject, projects: had = [] } = before;
  const roles = { before: { role: before.role }, after: { role } };
  const given = { before: factOf(had), after: factOf(projects) };
  return [
    ...(before.role === role ? [] : [{ kind: "member_role_changed" as const, subject, ...roles }]),
    ...(isDeepStrictEqual(had, projects)
      ? []
      : [{ kind: "member_projects_changed" as const, subject, ...given }]),
  ];
}

function factOf(projects: readonly string[]): AuditFacts {
  return { projects: projects.join(", ") };
}
