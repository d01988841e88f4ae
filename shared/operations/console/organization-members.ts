/** Members of an organization: who they are, another role, and leaving (identity/members.md "Roles"). */
import { readFields } from "../../console/body.ts";
import { type ConsoleCall, callerOf } from "../../console/call.ts";
import { consoleLimits } from "../../console-limits.ts";
import { GatewayError } from "../../errors.ts";
import { type HttpReply, jsonReply } from "../../http/message.ts";
import { readQuery } from "../../http/query.ts";
import { type AuditedChange, auditEntry } from "../../identity/audit.ts";
import type { MemberChange, Members, RoleHeld } from "../../identity/members.ts";
import { mayGive, mayManage } from "../../identity/roles.ts";
import { type Membership, type Role, roles, type User } from "../../identity/user.ts";
import { type Fields, invalidField } from "../../json/fields.ts";
import { isId } from "../../platform/id.ts";
import { rfc3339 } from "../api/instant.ts";
import { readLimit } from "../api/report-parameters.ts";
import { readUserName } from "./sign-in-name.ts";

export interface MemberDeps {
  members: Members;
  now: () => number;
}

/** `GET /api/v1/members?limit=&after=`, in the order in which the users signed up. */
export async function listMembers(call: ConsoleCall, { members: store }: MemberDeps): Promise<HttpReply> {
  const { organization } = callerOf(call);
  const { limit, after } = readQuery<{ limit: number; after: string | undefined }>(call.request.query, {
    limit: readLimit(consoleLimits.memberPageMax),
    after: (given) => given,
  });
  const { members, more } = await store.list(organization.id, { limit, ...(after ? { after } : {}) });
  const users = await store.users(members.map(({ user }) => user));
  return jsonReply({
    object: "list",
    data: members.map((member) => memberObject(member, users.get(member.user))),
    has_more: more,
    last_id: members.at(-1)?.user ?? null,
  });
}

/** `PATCH /api/v1/members/{id} {role}`. The answer is the member as it is then. */
export async function changeMember(call: ConsoleCall, deps: MemberDeps): Promise<HttpReply> {
  const caller = callerOf(call);
  const fields = readFields(call.request, ["role"]);
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
  const users = await deps.members.users([changed.user]);
  return jsonReply(memberObject(changed, users.get(changed.user) ?? caller.user));
}

/** `DELETE /api/v1/members/{id}`: removes a member, or lets the caller leave. */
export async function removeMember(call: ConsoleCall, deps: MemberDeps): Promise<HttpReply> {
  const { user } = callerOf(call);
  const change = async (actor: Role, before: Membership): Promise<ChangeOutcome> => {
    const leaves = before.user === user.id;
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
  const { user: id } = await untilSettled(call, change, deps);
  return jsonReply({ id, object: "member", deleted: true });
}

/** `PATCH /api/v1/organization {name}`. */
export async function changeOrganization(call: ConsoleCall, deps: MemberDeps): Promise<HttpReply> {
  const caller = callerOf(call);
  const { id, name: before } = caller.organization;
  const name = readUserName(readFields(call.request, ["name"]));
  if (name === undefined) throw invalidField("name", "given");
  if (name !== before) {
    const audited: AuditedChange = {
      kind: "organization_renamed",
      subject: id,
      before: { name: before },
      after: { name },
    };
    const renamed = await deps.members.rename(id, name, entryOf(call, audited, deps));
    if (!renamed) throw new GatewayError("not_found");
  }
  return jsonReply({ id, object: "organization", name });
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
 * Reads the member whom a call is about, and lets `change` change it. If a condition failed, everything is read again,
 * also the caller's own role. Throws `not_found` for somebody who is no member of the caller's organization.
 */
async function untilSettled(
  call: ConsoleCall,
  change: (actor: Role, before: Membership) => Promise<ChangeOutcome>,
  { members }: MemberDeps,
): Promise<Membership> {
  const { id = "" } = call.parameters;
  if (!isId(id, "user")) throw noMember();
  const { organization, user, role } = callerOf(call);
  for (let attempt = 1; attempt <= consoleLimits.memberAttemptsMax; attempt++) {
    const actor = attempt === 1 ? role : (await members.membership(organization.id, user.id))?.role;
    if (!actor) throw new GatewayError("session_expired");
    const before = await members.membership(organization.id, id);
    if (!before) throw noMember();
    const outcome = await change(actor, before);
    if (outcome.done) return outcome.before;
  }
  throw changedMeanwhile();
}

function noMember(): GatewayError {
  return new GatewayError("not_found", { message: "This organization has no such member." });
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
function memberObject({ user: id, role, since }: Membership, user: User | undefined): object {
  return {
    id,
    object: "member",
    name: user?.name ?? "",
    phone_last_four: user?.phone_last_four ?? null,
    role,
    status: user?.status ?? null,
    joined_at: rfc3339(since),
  };
}
