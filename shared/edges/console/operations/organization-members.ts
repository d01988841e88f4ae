/** Members of an organization: who they are, another role, and leaving (people/identity/members.md "Roles"). */

import { consoleLimits } from "../../../base/console-limits.ts";
import { GatewayError, invalidRequest } from "../../../base/errors.ts";
import { jsonReply } from "../../../base/http/message.ts";
import { readQuery } from "../../../base/http/query.ts";
import { type Fields, invalidField, optionalBoolean } from "../../../base/json/fields.ts";
import { isId } from "../../../base/platform/id.ts";
import type { Organization, Permission } from "../../../books/accounts/account.ts";
import { rfc3339 } from "../../../books/billing/instant.ts";
import {
  type AuditedChange,
  type AuditFacts,
  type AuditKind,
  auditEntry,
} from "../../../people/identity/audit.ts";
import { shownContacts } from "../../../people/identity/contact.ts";
import type {
  MemberChange,
  Members,
  OrganizationChanges,
  RoleHeld,
} from "../../../people/identity/members.ts";
import { endingBy, mayDo, mayGive, mayManage } from "../../../people/identity/roles.ts";
import {
  groupProjects,
  type Membership,
  type Role,
  roles,
  type User,
} from "../../../people/identity/user.ts";
import { readLimit } from "../../api/report-parameters.ts";
import type { ConsoleBody, ConsoleSchema } from "../../openapi/route-types.ts";
import { readFields } from "../body.ts";
import { type ConsoleCall, callerOf } from "../call.ts";
import type { MemberKeyDeps } from "./organization-keys.ts";
import { type EndedKeys, endKeysOf, noMember } from "./organization-member-keys.ts";
import { readUserName } from "./sign-in-name.ts";

export interface MemberDeps extends Pick<MemberKeyDeps, "accounts" | "auditedKeys" | "log"> {
  members: Members;
  now: () => number;
}

/** `GET /api/v1/members?limit=&after=`, in the order in which the users signed up. */
export async function listMembers(call: ConsoleCall, { members: store }: MemberDeps) {
  const { organization } = callerOf(call);
  const { limit, after } = readQuery<{ limit: number; after: string | undefined }>(call.request.query, {
    limit: readLimit(consoleLimits.memberPageMax),
    after: (given) => given,
  });
  const { members, more } = await store.list(organization.id, { limit, ...(after ? { after } : {}) });
  const users = await store.users(members.map(({ user }) => user));
  return jsonReply({
    object: "list",
    data: members.map((member) => memberObject(member, users.get(member.user), organization)),
    has_more: more,
    last_id: members.at(-1)?.user ?? null,
  });
}

/** `PATCH /api/v1/members/{id} {role}`. The answer is the member as it is then. */
export async function changeMember(call: ConsoleCall, deps: MemberDeps) {
  const caller = callerOf(call);
  const fields = readFields<keyof ConsoleBody<"change_member">>(call.request, ["role"]);
  const role = readRole(fields);
  const change = async (actor: Role, before: Membership): Promise<ChangeOutcome> => {
    requireManaging(actor, before.role);
    requireGiving(actor, role);
    if (before.role === role) return { before, done: true };
    const audited: AuditedChange = {
      kind: "member_role_changed",
      subject: before.user,
      before: { role: before.role },
      after: { role },
    };
    const wanted = await changeOf(call, before, { actor, audited }, deps);
    return { before: { ...before, role }, done: await deps.members.changeRole(wanted, role) };
  };
  const changed = await untilSettled(call, change, deps);
  if (!changed) throw noMember();
  const ending = endingBy(role);
  if (ending) await endKeysOf({ actor: caller, request: call.request }, changed.user, ending, deps);
  const users = await deps.members.users([changed.user]);
  return jsonReply(memberObject(changed, users.get(changed.user) ?? caller.user, caller.organization));
}

/**
 * `DELETE /api/v1/members/{id}?keys=`: a member is removed, or leaves. Their keys that manage keys and those of programs
 * end, and with `keys=end` all others. A repetition ends what a crash has left.
 */
export async function removeMember(call: ConsoleCall, deps: MemberDeps) {
  const { user, role } = callerOf(call);
  const { id = "" } = call.parameters;
  const leaves = id === user.id;
  const { keys: ending } = readQuery<{ keys: EndedKeys }>(call.request.query, { keys: readEnding });
  if (leaves && ending === "all") throw invalidField("keys", "absent where you leave: those who stay decide");
  const change = async (actor: Role, before: Membership): Promise<ChangeOutcome> => {
    if (!leaves) requireManaging(actor, before.role);
    const audited: AuditedChange = {
      kind: leaves ? "member_left" : "member_removed",
      subject: before.user,
      before: { role: before.role },
    };
    return {
      before,
      done: await deps.members.remove(await changeOf(call, before, { actor, audited }, deps)),
    };
  };
  const gone = await untilSettled(call, change, deps);
  const isEnding = gone !== undefined || (isId(id, "user") && mayDo(role, "manage_members"));
  const keys_ended = isEnding
    ? await endKeysOf({ actor: callerOf(call), request: call.request }, id, ending, deps)
    : [];
  if (!gone && keys_ended.length === 0) throw noMember();
  return jsonReply({ id, object: "member", deleted: true, keys_ended });
}

/** Which keys end with a member: those that manage keys or are a program's, and with `end` all of them. */
function readEnding(given: string | undefined, name: string): EndedKeys {
  if (given === undefined || given === "keep") return "bound";
  if (given === "end") return "all";
  throw invalidField(name, "`keep` or `end`");
}

/** `PATCH /api/v1/organization`. Only an owner says whether keys may make keys that manage keys. */
export async function changeOrganization(call: ConsoleCall, deps: MemberDeps) {
  const { organization, role } = callerOf(call);
  const fields = readFields<keyof ConsoleBody<"change_organization">>(call.request, [
    "name",
    "keys_make_managers",
  ]);
  const [name, allowed] = [readUserName(fields), optionalBoolean(fields, "keys_make_managers")];
  if (name === undefined && allowed === undefined)
    throw invalidRequest("The body must have `name` or `keys_make_managers`.");
  if (allowed !== undefined && role !== "owner") {
    const message = "Only an owner says whether keys may make keys with the permission manage_keys.";
    throw new GatewayError("permission_denied", { message });
  }
  const { id } = organization;
  const changes: OrganizationChanges = { organization, entries: [] };
  const note = (kind: AuditKind, before: AuditFacts, after: AuditFacts) =>
    changes.entries.push(entryOf(call, { kind, subject: id, before, after }, deps));
  if (name !== undefined && name !== organization.name) {
    changes.name = name;
    note("organization_renamed", { name: organization.name }, { name });
  }
  const before = organization.permissions;
  if (allowed !== undefined && allowed !== before.includes("manage_keys")) {
    const others = before.filter((permission) => permission !== "manage_keys");
    changes.permissions = allowed ? [...others, "manage_keys"] : others;
    const facts = (permissions: readonly Permission[]) => ({ permissions: permissions.join(" ") });
    note("permissions_changed", facts(before), facts(changes.permissions));
  }
  if (changes.entries.length > 0) await writeChanges(changes, deps);
  return jsonReply({
    ...{ id, object: "organization", name: changes.name ?? organization.name },
    keys_make_managers: (changes.permissions ?? before).includes("manage_keys"),
  });
}

/** Others may write the same record at that moment, so it is tried again. Throws `invalid_state` where that does not help. */
export async function writeChanges(
  changes: OrganizationChanges,
  { members }: Pick<MemberDeps, "members">,
): Promise<void> {
  for (let attempt = 1; attempt <= consoleLimits.memberAttemptsMax; attempt++)
    if (await members.changeOrganization(changes)) return;
  throw changedMeanwhile();
}

/** The entry of the audit log about a change that a call makes. */
export function entryOf(call: ConsoleCall, audited: AuditedChange, { now }: Pick<MemberDeps, "now">) {
  return auditEntry(callerOf(call), audited, call.request.ip, now());
}

/** The role that a body names. Throws `invalid_request`. */
export function readRole(fields: Fields): Role {
  const role = roles.find((each) => each === fields.role);
  if (!role) throw invalidField("role", `one of ${roles.join(", ")}`);
  return role;
}

/** Throws `permission_denied` where the role does not suffice to give this one. */
export function requireGiving(actor: Role, role: Role): void {
  if (mayGive(actor, role)) return;
  throw new GatewayError("permission_denied", {
    message: `The role ${actor} may not give the role ${role}.`,
  });
}

/** Throws `permission_denied` where the role does not suffice to touch a member with this one. */
export function requireManaging(actor: Role, role: Role): void {
  if (mayManage(actor, role)) return;
  const message = `The role ${actor} may not change a member with the role ${role}.`;
  throw new GatewayError("permission_denied", { message });
}

/** Says that somebody else was faster too often. */
export function changedMeanwhile(): GatewayError {
  const message = "Somebody else changed this at the same time. Look at it again.";
  return new GatewayError("invalid_state", { message, reason: "changed" });
}

/** A membership as it is after a change, and whether the change was written. */
interface ChangeOutcome {
  before: Membership;
  done: boolean;
}

/**
 * Lets `change` change a member. If a condition failed, it reads all again, also the caller's role. Undefined for
 * somebody who is no member.
 */
async function untilSettled(
  call: ConsoleCall,
  change: (actor: Role, before: Membership) => Promise<ChangeOutcome>,
  { members }: MemberDeps,
): Promise<Membership | undefined> {
  const { id = "" } = call.parameters;
  if (!isId(id, "user")) return undefined;
  const { organization, user, role } = callerOf(call);
  for (let attempt = 1; attempt <= consoleLimits.memberAttemptsMax; attempt++) {
    const actor = attempt === 1 ? role : (await members.membership(organization.id, user.id))?.role;
    if (!actor) throw new GatewayError("session_expired");
    const before = await members.membership(organization.id, id);
    if (!before) return undefined;
    const outcome = await change(actor, before);
    if (outcome.done) return outcome.before;
  }
  throw changedMeanwhile();
}

/** A change of a membership with what must hold: the caller's own role, and another owner if one goes. */
async function changeOf(
  call: ConsoleCall,
  before: Membership,
  { actor, audited }: { actor: Role; audited: AuditedChange },
  deps: MemberDeps,
): Promise<MemberChange> {
  const { organization, user } = callerOf(call);
  const holding: RoleHeld[] = [{ organization: organization.id, user: user.id, role: actor }];
  if (before.role === "owner") {
    const witness = await deps.members.otherOwner(organization.id, before.user);
    if (witness === undefined) throw lastOwner();
    holding.push({ organization: organization.id, user: witness, role: "owner" });
  }
  return { before, holding, entry: entryOf(call, audited, deps) };
}

function lastOwner(): GatewayError {
  const message = "The last owner stays. Make somebody else an owner first.";
  return new GatewayError("invalid_state", { message, reason: "last_owner" });
}

/** A member as the interface shows one. A user's name is what they call themselves. */
function memberObject(
  membership: Membership,
  user: User | undefined,
  organization: Pick<Organization, "sign_on_removed">,
): ConsoleSchema<"Member"> {
  const { user: id, role, since } = membership;
  return {
    id,
    object: "member",
    name: user?.name ?? "",
    ...shownContacts(user),
    role,
    group_projects: [...groupProjects(membership, organization)],
    status: user?.status ?? null,
    joined_at: rfc3339(since),
  };
}
