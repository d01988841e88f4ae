/** A change of a person by SCIM: what is written with it, and what ends by it (people/scim/README.md "A change"). */
import { consoleLimits } from "../../../base/console-limits.ts";
import { GatewayError } from "../../../base/errors.ts";
import type { AuditedChange, AuditFacts } from "../../../people/identity/audit.ts";
import { maskEmail } from "../../../people/identity/email.ts";
import { endingBy } from "../../../people/identity/roles.ts";
import type { Membership, Role } from "../../../people/identity/user.ts";
import {
  type DirectoryGroups,
  type DirectoryPerson,
  groupsOf,
  type Standing,
} from "../../../people/scim/directory.ts";
import { calledOf } from "../../../people/scim/person.ts";
import { grantOfPerson, standingFor } from "../../../people/scim/standing.ts";
import type { SignOnConnection } from "../../../people/sign-on/connection.ts";
import { joinedLine, movedLines } from "../../../people/sign-on/membership.ts";
import { endKeysOf } from "./organization-member-keys.ts";
import { contended, lineBy, type ScimCaller } from "./scim-caller.ts";
import type { ScimDeps } from "./scim-deps.ts";
import { namesMoved } from "./scim-names.ts";
import { endByProvider } from "./sign-on-end.ts";

/** What roles follow from, read once for a request. */
export interface RolePlace {
  groups: DirectoryGroups;
  connection: SignOnConnection | undefined;
}

export async function rolePlace({ organization }: ScimCaller, deps: ScimDeps): Promise<RolePlace> {
  const [groups, connection] = await Promise.all([
    deps.directories.groups(organization),
    deps.connections.read(organization),
  ]);
  return { groups, connection };
}

/** What a change makes of a person. The same object: nothing. */
export type PersonEdit = (before: DirectoryPerson) => DirectoryPerson;

/**
 * Changes a person, with the membership that follows, and ends what their role does not allow any more. A repetition ends
 * what a crash has left. Throws `not_found`, `permission_denied` for an owner, `uniqueness`, and `rate_limited` where
 * others change the same too often.
 */
export async function changePerson(
  caller: ScimCaller,
  { id, edit, place: first }: { id: string; edit: PersonEdit; place: RolePlace },
  deps: ScimDeps,
): Promise<DirectoryPerson> {
  const { organization } = caller;
  for (let attempt = 1; attempt <= consoleLimits.memberAttemptsMax; attempt++) {
    const [before, membership, place] = await Promise.all([
      deps.directories.person(organization, id),
      deps.members.membership(organization, id),
      attempt === 1 ? first : rolePlace(caller, deps),
    ]);
    if (!before) throw noPerson();
    const after = edit(before);
    if (!after.active) refuseOwner(membership);
    const grant = grantOfPerson(after, { ...place, membership });
    const at = deps.now();
    const standing = standingFor(after, { grant, membership }, at);
    const isChanged = after !== before || standing !== undefined;
    const next = isChanged ? { ...after, revision: before.revision + 1, changed_at: at } : before;
    if (isChanged) {
      const audited = changesOf({ before, after: next, standing }, place);
      const change = {
        ...{ organization, before, after: next, ...(await namesMoved(before, next, deps)) },
        ...(standing && { standing }),
        ...(followsGroups(next, place) && { groups: place.groups }),
        entries: audited.map((each) => lineBy(caller, each, at)),
        ...calledAnew(before, next),
      };
      if ((await deps.directories.change(change, caller.token)) !== "done") continue;
    }
    await endBy(caller, { id, role: grant.role }, deps);
    return next;
  }
  throw contended();
}

/** Whether the role of a person follows from their groups. Who is in none has the same role whatever groups there are. */
function followsGroups({ active, groups }: DirectoryPerson, { connection }: RolePlace): boolean {
  return active && groups.length > 0 && connection !== undefined && connection.rules.length > 0;
}

/** Whoever SCIM has made is called as the provider calls them. Others have given themselves a name. */
function calledAnew(before: DirectoryPerson, after: DirectoryPerson) {
  const name = memberName(after);
  if (!after.made || name === memberName(before)) return {};
  return { called: { user: after.id, name } };
}

/** The name of a member. */
export function memberName(person: DirectoryPerson): string {
  return calledOf(person).slice(0, consoleLimits.nameCharsMax).toWellFormed();
}

interface PersonMove {
  before?: DirectoryPerson;
  after: DirectoryPerson;
  standing: Standing | undefined;
}

/** What the audit log tells of a change: of the person, and of their membership. */
export function changesOf({ before, after, standing }: PersonMove, place: RolePlace): AuditedChange[] {
  const subject = after.id;
  const is = factsOf(after, place);
  const was = before && factsOf(before, place);
  const own: AuditedChange = was
    ? { kind: "person_changed", subject, ...differing(was, is) }
    : { kind: "person_provisioned", subject, after: is };
  return [own, ...(standing ? standingLines(standing) : [])];
}

function standingLines(standing: Standing): AuditedChange[] {
  if (standing.is === "joined") return [joinedLine(standing.membership, "scim")];
  if (standing.is === "changed") return movedLines(standing);
  const { user: subject, role } = standing.before;
  return [{ kind: "member_removed", subject, before: { role } }];
}

const groupsCharsMax = 500;

/** A person in the audit log, which has no whole address. */
export function factsOf(
  person: DirectoryPerson,
  { groups }: Pick<RolePlace, "groups">,
): Record<string, string | boolean> {
  const { user_name, active } = person;
  const names = groupsOf(person, groups).map(({ name }) => name);
  return {
    user_name: user_name.includes("@") ? maskEmail(user_name) : user_name,
    active,
    groups: names.join(", ").slice(0, groupsCharsMax).toWellFormed(),
  };
}

/** The facts that differ, and which user it is. */
function differing(was: AuditFacts, is: AuditFacts): { before: AuditFacts; after: AuditFacts } {
  const names = Object.keys(is).filter((name) => name === "user_name" || was[name] !== is[name]);
  const of = (facts: AuditFacts) => Object.fromEntries(names.map((name) => [name, facts[name] ?? null]));
  return { before: of(was), after: of(is) };
}

/** Ends what a role does not allow: the keys that removing a member ends, and the sessions of the provider. */
export async function endBy(
  caller: ScimCaller,
  { id, role }: { id: string; role: Role | null },
  deps: ScimDeps,
): Promise<void> {
  const ending = endingBy(role);
  // A membership that comes back must open no old session.
  if (role === null) await endByProvider(caller, id, deps);
  else if (ending) await endKeysOf(caller, id, ending, deps);
}

/** Throws `permission_denied` for an owner: an owner decides in the console who is one. */
export function refuseOwner(membership: Membership | undefined): void {
  if (membership?.role !== "owner") return;
  const message =
    "This user is an owner of the organization. Another owner changes that in the console first.";
  throw new GatewayError("permission_denied", { message });
}

export function noPerson(): GatewayError {
  return new GatewayError("not_found", { message: "There is no such user." });
}
