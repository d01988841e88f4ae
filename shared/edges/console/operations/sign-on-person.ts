/** Who somebody is that a provider has signed in, and what is made for them (people/sign-on/README.md "Who somebody is"). */
import { consoleLimits } from "../../../base/console-limits.ts";
import { GatewayError, invalidState } from "../../../base/errors.ts";
import { newId } from "../../../base/platform/id.ts";
import { type AuditedChange, auditEntry } from "../../../people/identity/audit.ts";
import { mayDo } from "../../../people/identity/roles.ts";
import { isOpen, type SessionRecord } from "../../../people/identity/session.ts";
import type { Membership, Role, User } from "../../../people/identity/user.ts";
import type { SignOnAttempt } from "../../../people/sign-on/attempt.ts";
import { type LinkedPerson, roleFor, type SignOnConnection } from "../../../people/sign-on/connection.ts";
import { personName, type SignOnEntrance } from "../../../people/sign-on/entering.ts";
import type { Claims } from "../../../people/sign-on/provider.ts";
import type { ConsoleCall } from "../call.ts";
import { endKeysOf } from "./organization-member-keys.ts";
import { changedMeanwhile } from "./organization-members.ts";
import { localeOf } from "./sign-in-locale.ts";
import type { Workplace } from "./sign-in-reply.ts";
import { newSession } from "./sign-in-user.ts";
import type { SignOnDeps } from "./sign-on-deps.ts";
import { endByProvider } from "./sign-on-end.ts";
import { refuseOutsiders, type ToldByScim, toldByScim } from "./sign-on-provisioned.ts";

interface Arrived extends Pick<SignOnAttempt, "link"> {
  connection: SignOnConnection;
  claims: Claims;
  /** The verified address in a proved domain. */
  address: string | undefined;
}

interface LetIn {
  user: User;
  session: SessionRecord;
  place: Workplace;
}

/**
 * Opens a session for a person whom the connection lets in, and makes user and membership where they are missing. Throws
 * `permission_denied` for who is in no group of a rule, and ends what they have by the provider; `login_frozen`; and
 * `invalid_state` for an account of others.
 */
export async function letIn(call: ConsoleCall, arrived: Arrived, deps: SignOnDeps): Promise<LetIn> {
  const { connection } = arrived;
  for (let attempt = 1; attempt <= consoleLimits.memberAttemptsMax; attempt++) {
    const { user, role, entrance } = await prepare(call, arrived, deps);
    if (!(await deps.signOns.enter(entrance))) continue;
    const organization = await deps.accounts.organization(connection.organization);
    if (!organization) throw new Error(`the organization ${connection.organization} is missing`);
    const { session, membership } = entrance;
    const by = { actor: { user, session, organization }, request: call.request };
    // Groups say the role anew, and what a crash has left of an earlier change ends too.
    const ending = mayDo(role, "manage_own_keys") ? "managing" : "bound";
    if (!membership && connection.rules.length > 0 && !mayDo(role, "manage_all_keys"))
      await endKeysOf(by, user.id, ending, deps);
    return { user, session, place: { organization, role } };
  }
  throw changedMeanwhile();
}

interface PreparedEntrance {
  user: User;
  role: Role;
  entrance: SignOnEntrance;
}

/** Reads who the person is here, and says what is to be written. */
async function prepare(call: ConsoleCall, arrived: Arrived, deps: SignOnDeps): Promise<PreparedEntrance> {
  const { connection, claims } = arrived;
  const { organization, issuer } = connection;
  const at = deps.now();
  const { user, isNew, isLinked, membership, told } = await userOf(call, arrived, deps);
  if (user.status === "frozen") throw new GatewayError("login_frozen");
  const role = roleOf(connection, { groups: told.groups ?? claims.groups }, membership);
  if (role === null) {
    const by = { actor: { user, organization: { id: organization } }, request: call.request };
    if (isLinked) await endByProvider(by, user.id, deps);
    const message = "You are in no group that this organization lets in.";
    throw new GatewayError("permission_denied", { message, reason: "sign_on_groups" });
  }
  const session = {
    ...newSession(user, organization, call.request, at),
    ...{ sign_on: organization, connection_at: connection.changed_at },
  };
  const actor = { user, organization: { id: organization }, session };
  const line = (change: AuditedChange) => auditEntry(actor, change, call.request.ip, at);
  const person: LinkedPerson = {
    ...{ user: user.id, organization, issuer },
    ...{ subject: claims.subject, email: claims.email, since: at },
  };
  const joined: Membership = { user: user.id, organization, role, since: at };
  const hasOther = membership !== undefined && membership.role !== role && role !== "owner";
  const subject = user.id;
  const entrance: SignOnEntrance = {
    session,
    ...(isNew && { user }),
    ...(!isLinked && { person }),
    ...(!membership && { membership: joined }),
    ...(hasOther && { change: { before: membership, role } }),
    ...(told.person && { provisioned: { person: told.person, issuer } }),
    ...(told.named && { named: told.named }),
    entries: [
      ...(isLinked ? [] : [line({ kind: "account_linked", subject, after: { issuer } })]),
      ...(membership ? [] : [line({ kind: "member_joined", subject, after: { role, by: "sign_on" } })]),
      ...(hasOther
        ? [line({ kind: "member_role_changed", subject, before: { role: membership.role }, after: { role } })]
        : []),
    ],
  };
  return { user, role, entrance };
}

interface Known {
  user: User;
  isNew: boolean;
  isLinked: boolean;
  membership: Membership | undefined;
  /** What SCIM says of them. */
  told: ToldByScim;
}

/**
 * The user of a person: the one whom their place at the provider names, or who joins their account to it. Else it is the
 * one whom SCIM has made for their address, or a new one. An address finds no other user, whoever has verified it.
 */
async function userOf(
  call: ConsoleCall,
  { connection, claims, address, link }: Arrived,
  deps: SignOnDeps,
): Promise<Known> {
  const known = await deps.signOns.person(personName(connection, claims.subject));
  if (link && known && known.user !== link.user)
    throw invalidState("This account of the provider belongs to another user here.", "sign_on_linked");
  if (link) await requireSession(link, deps);
  const comer = { user: known?.user ?? link?.user, address, texts: claims.texts };
  const told = await toldByScim(connection, comer, deps);
  const id = told.user;
  if (id === undefined) {
    refuseOutsiders(told, undefined);
    const user = newUser(call, claims, deps);
    return { user, isNew: true, isLinked: false, membership: undefined, told };
  }
  const found = await deps.users.read(id);
  if (!found) throw new Error(`the user ${id} is missing`);
  const membership = found.memberships.find(({ organization }) => organization === connection.organization);
  // Who joins accounts is a member. Who was one, and whom the provider still signs in, becomes one again.
  if (!membership && link) throw new GatewayError("session_expired");
  if (told.isOff && membership?.role !== "owner") {
    const actor = { user: found.user, organization: { id: connection.organization } };
    await endByProvider({ actor, request: call.request }, id, deps);
  }
  refuseOutsiders(told, membership);
  return { user: found.user, isNew: false, isLinked: known !== undefined, membership, told };
}

/** Throws `session_expired` where the session has ended that the attempt began with. */
async function requireSession(
  { user, session: id }: NonNullable<SignOnAttempt["link"]>,
  { sessions, now }: Pick<SignOnDeps, "sessions" | "now">,
): Promise<void> {
  const session = await sessions.read(user, id);
  const isOwn = session?.sign_on === undefined;
  if (!session || !isOwn || !isOpen(session, now())) throw new GatewayError("session_expired");
}

/**
 * The role that a person has from now on. Owners stay owners, and groups decide for all others where there are rules.
 * Null where no rule and no default lets them in.
 */
function roleOf(
  connection: SignOnConnection,
  { groups }: Pick<Claims, "groups">,
  membership: Membership | undefined,
): Role | null {
  if (membership?.role === "owner") return "owner";
  const given = roleFor(connection, groups);
  return given !== null && membership && connection.rules.length === 0 ? membership.role : given;
}

/** Ends what a person has by the provider who is known here and whom the connection lets in no more. */
export async function shutOut(
  { request }: ConsoleCall,
  { connection, claims }: Pick<Arrived, "connection" | "claims">,
  deps: SignOnDeps,
): Promise<void> {
  const known = await deps.signOns.person(personName(connection, claims.subject));
  const found = known && (await deps.users.read(known.user));
  if (!found) return;
  const actor = { user: found.user, organization: { id: connection.organization } };
  await endByProvider({ actor, request }, found.user.id, deps);
}

/** A user without a phone: their provider is the only way in. The organization of their own is never made. */
function newUser({ request }: ConsoleCall, { name, email }: Claims, { now }: Pick<SignOnDeps, "now">): User {
  const created_at = now();
  const called = (name || email?.split("@", 1)[0] || "").replaceAll(/\p{C}/gu, "").trim();
  return {
    id: newId("user", created_at),
    name: called.slice(0, consoleLimits.nameCharsMax).toWellFormed(),
    locale: localeOf({}, request.headers),
    status: "active",
    organization: newId("organization", created_at),
    created_at,
  };
}
