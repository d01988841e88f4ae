/** Invitations: making, listing, withdrawing and accepting them (people/identity/members.md "Invitations"). */

import { consoleLimits } from "../../../base/console-limits.ts";
import { GatewayError, invalidRequest } from "../../../base/errors.ts";
import { jsonReply } from "../../../base/http/message.ts";
import { readQuery } from "../../../base/http/query.ts";
import { isAbsent, requiredString } from "../../../base/json/fields.ts";
import { newId } from "../../../base/platform/id.ts";
import type { Accounts } from "../../../books/accounts/account.ts";
import { rfc3339 } from "../../../books/billing/instant.ts";
import { dayMs } from "../../../books/billing/period.ts";
import { auditEntry } from "../../../people/identity/audit.ts";
import {
  type ContactRules,
  contactKinds,
  kindOf,
  readContact,
  shownContacts,
} from "../../../people/identity/contact.ts";
import { eachVersion, type KeyVersions, type ReadKeys } from "../../../people/identity/identity-keys.ts";
import {
  type Acceptance,
  type Invitation,
  type Invitations,
  type InvitationsPort,
  invitedContact,
  isInvited,
  isOpen,
  newToken,
  tokenHash,
} from "../../../people/identity/invitation.ts";
import type { Members, RoleHeld } from "../../../people/identity/members.ts";
import { mayGive } from "../../../people/identity/roles.ts";
import type { Membership, User } from "../../../people/identity/user.ts";
import type { Directories } from "../../../people/scim/directory.ts";
import type { ConsoleBody, ConsoleSchema } from "../../openapi/route-types.ts";
import { readFields } from "../body.ts";
import { type ConsoleCall, callerOf } from "../call.ts";
import {
  changedMeanwhile,
  entryOf,
  readRole,
  requireGiving,
  requireManaging,
} from "./organization-members.ts";

export interface InvitationDeps {
  invitations: Invitations;
  members: Pick<Members, "membership" | "users" | "count">;
  accounts: Pick<Accounts, "organization">;
  directories: Pick<Directories, "read" | "person">;
  keys: ReadKeys;
  /** The phones and addresses that may be invited. */
  contacts: ContactRules;
  now: () => number;
}

/** `POST /api/v1/invitations {role, phone? | email?}`. The answer has the token, which is shown once. */
export async function createInvitation(call: ConsoleCall, deps: InvitationDeps) {
  const { organization, user, role: actor } = callerOf(call);
  const fields = readFields<keyof ConsoleBody<"create_invitation">>(call.request, ["role", ...contactKinds]);
  const role = readRole(fields);
  requireGiving(actor, role);
  const isFor = contactKinds.some((kind) => !isAbsent(fields[kind]));
  const contact = isFor ? readContact(fields, deps.contacts) : undefined;
  const keys = await deps.keys();
  const phone = contact ? invitedContact(contact, keys) : null;
  const now = deps.now();
  const token = newToken();
  const invitation: Invitation = {
    id: newId("invitation", now),
    organization: organization.id,
    role,
    phone,
    token: tokenHash(keys.current, token),
    inviter: user.id,
    created_at: now,
    ends_at: now + consoleLimits.invitationDays * dayMs,
    accepted_by: null,
    withdrawn_at: null,
  };
  const after = { role, ...invitedFact(phone) };
  const entry = entryOf(call, { kind: "invitation_made", subject: invitation.id, after }, deps);
  const holding = { organization: organization.id, user: user.id, role: actor };
  const outcome = await deps.invitations.create(invitation, holding, entry);
  if (outcome === "changed") throw changedMeanwhile();
  if (outcome === "full")
    throw invalidRequest(
      `There are ${consoleLimits.invitationsOpenMax} open invitations. Withdraw one first.`,
      "invitations_full",
    );
  return jsonReply({ ...invitationObject(invitation, user), token }, 201);
}

/** `GET /api/v1/invitations`: those that nobody has accepted yet, the oldest first. */
export async function listInvitations(call: ConsoleCall, deps: InvitationDeps) {
  const { organization } = callerOf(call);
  readQuery(call.request.query, {});
  const open = await deps.invitations.open(organization.id, deps.now());
  const users = await deps.members.users(open.map(({ inviter }) => inviter));
  const data = open.map((invitation) => invitationObject(invitation, users.get(invitation.inviter)));
  return jsonReply({ object: "list", data, has_more: false, last_id: open.at(-1)?.id ?? null });
}

/** `DELETE /api/v1/invitations/{id}`. Only an owner withdraws an invitation to be one. */
export async function withdrawInvitation(call: ConsoleCall, deps: InvitationDeps) {
  const { organization, role } = callerOf(call);
  const { id = "" } = call.parameters;
  for (let attempt = 1; attempt <= consoleLimits.memberAttemptsMax; attempt++) {
    const invitation = await deps.invitations.byId(organization.id, id);
    if (!invitation || !isOpen(invitation, deps.now())) throw noInvitation();
    requireManaging(role, invitation.role);
    const before = { role: invitation.role };
    const entry = entryOf(call, { kind: "invitation_withdrawn", subject: id, before }, deps);
    if (await deps.invitations.withdraw(invitation, entry))
      return jsonReply({ id, object: "invitation", deleted: true });
  }
  throw changedMeanwhile();
}

/** `POST /api/v1/invitations/accept {token}`, by somebody who is signed in. The answer is the membership. */
export async function answerAcceptance(call: ConsoleCall, deps: InvitationDeps) {
  const { user, session } = callerOf(call);
  const token = requiredString(
    readFields<keyof ConsoleBody<"accept_invitation">>(call.request, ["token"]),
    "token",
  );
  // Whoever runs a provider takes its people into no other organization. In its own they are members already.
  if (session.sign_on !== undefined) throw noInvitation();
  const { organization: id, role, since } = await acceptInvitation(token, user, call.request.ip, deps);
  const organization = await deps.accounts.organization(id);
  return jsonReply({
    object: "membership",
    organization: { id, name: organization?.name ?? "" },
    role,
    joined_at: rfc3339(since),
  });
}

/**
 * Makes a user a member. `ip` is the request's address. Who is one already keeps the membership. Throws `not_found`,
 * and does not tell why, and `permission_denied` for whom the organization's provider has deactivated.
 */
export async function acceptInvitation(
  token: string,
  user: User,
  ip: string,
  deps: InvitationDeps,
): Promise<Membership> {
  for (let attempt = 1; attempt <= consoleLimits.memberAttemptsMax; attempt++) {
    const { membership, joining } = await prepareEntry(token, user, ip, deps);
    if (!joining || (await deps.invitations.accept(joining))) return membership;
  }
  throw changedMeanwhile();
}

/** The invitations as signing up and in need them. */
export function invitationsPort(deps: InvitationDeps): InvitationsPort {
  return {
    prepare: async (token, user, ip) => await prepareEntry(token, user, ip, deps),
  };
}

/** What accepting an invitation writes (`InvitationsPort.prepare`). */
async function prepareEntry(
  token: string,
  user: User,
  ip: string,
  deps: InvitationDeps,
): Promise<Acceptance> {
  const invitation = await findInvitation(token, deps);
  if (!invitation) throw noInvitation();
  const now = deps.now();
  const isTheirs = invitation.accepted_by === user.id || isOpen(invitation, now);
  if (!isTheirs || !(await isFor(user, invitation, deps))) throw noInvitation();
  const { organization, role } = invitation;
  const present = await deps.members.membership(organization, user.id);
  if (present) return { membership: present };
  const holding = isOpen(invitation, now) && (await inviterOf(invitation, deps));
  if (!holding) throw noInvitation();
  if ((await deps.members.count(user.id)) >= consoleLimits.membershipsMax)
    throw invalidRequest(
      `You are a member of ${consoleLimits.membershipsMax} organizations. Leave one first.`,
      "memberships_full",
    );
  // Loaded with the first invitation that is good.
  const { requireNotOff } = await import("./sign-on-deactivated.ts");
  const isProvisioning = await requireNotOff(organization, user, deps);
  const membership: Membership = { user: user.id, organization, role, since: now };
  const after = { role, invitation: invitation.id };
  const actor = { user, organization: { id: organization } };
  const entry = auditEntry(actor, { kind: "member_joined", subject: user.id, after }, ip, now);
  return { membership, joining: { invitation, membership, holding, entry, isProvisioning } };
}

/** Whether an invitation is for this user: it names no contact, or theirs. */
async function isFor(user: User, { phone }: Invitation, { keys }: InvitationDeps): Promise<boolean> {
  return phone === null || (await isInvited(user, phone, keys));
}

/** The inviter with the role that lets them invite; undefined where they have it no more, or are frozen. */
async function inviterOf(
  { organization, inviter, role }: Invitation,
  { members }: InvitationDeps,
): Promise<RoleHeld | undefined> {
  const [giver, users] = await Promise.all([
    members.membership(organization, inviter),
    members.users([inviter]),
  ]);
  if (users.get(inviter)?.status !== "active") return undefined;
  return giver && mayGive(giver.role, role) ? { organization, user: inviter, role: giver.role } : undefined;
}

/** Looks under every version of the secret. If none finds it, reads the secret again: there may be a new version. */
async function findInvitation(
  token: string,
  { invitations, keys }: InvitationDeps,
): Promise<Invitation | undefined> {
  const known = await keys();
  const found = await findUnder(known, token, invitations);
  if (found) return found;
  const newer = await keys(known);
  return newer === known ? undefined : await findUnder(newer, token, invitations);
}

async function findUnder(
  versions: KeyVersions,
  token: string,
  invitations: Invitations,
): Promise<Invitation | undefined> {
  for (const each of eachVersion(versions)) {
    const found = await invitations.byToken(tokenHash(each, token));
    if (found) return found;
  }
  return undefined;
}

function noInvitation(): GatewayError {
  const message = "There is no such invitation. It may be used, withdrawn or over, or for somebody else.";
  return new GatewayError("not_found", { message });
}

/** What the audit log says of the contact. Without one, it says so of the phone, as it did before there were addresses. */
function invitedFact(invited: Invitation["phone"]) {
  const { kind = "phone", last_four = null } = invited ?? {};
  return { [kindOf[kind].members.shown]: last_four };
}

/** What is shown of the contact that an invitation is for. */
function invitedShown(invited: Invitation["phone"]) {
  const { kind = "phone", last_four } = invited ?? {};
  return shownContacts(last_four === undefined ? undefined : { [kindOf[kind].members.shown]: last_four });
}

/** An invitation as the interface shows one, without its token. */
function invitationObject(invitation: Invitation, inviter: User | undefined): ConsoleSchema<"Invitation"> {
  return {
    id: invitation.id,
    object: "invitation",
    role: invitation.role,
    ...invitedShown(invitation.phone),
    created_by: { id: invitation.inviter, name: inviter?.name ?? "" },
    created_at: rfc3339(invitation.created_at),
    expires_at: rfc3339(invitation.ends_at),
  };
}
