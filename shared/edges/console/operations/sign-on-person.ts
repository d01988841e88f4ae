/** Who somebody is that a provider has signed in, and what is made for them (people/sign-on/README.md "Who somebody is"). */
import { consoleLimits } from "../../../base/console-limits.ts";
import { GatewayError, invalidState } from "../../../base/errors.ts";
import { newId } from "../../../base/platform/id.ts";
import { type AuditedChange, auditEntry } from "../../../people/identity/audit.ts";
import { endingBy } from "../../../people/identity/roles.ts";
import { isOpen, type SessionRecord } from "../../../people/identity/session.ts";
import type { Membership, Role, User } from "../../../people/identity/user.ts";
import type { SignOnAttempt } from "../../../people/sign-on/attempt.ts";
import {
  type GroupGrant,
  grantFor,
  type LinkedPerson,
  type SignOnConnection,
} from "../../../people/sign-on/connection.ts";
import { type OwnAddress, personName, type SignOnEntrance } from "../../../people/sign-on/entering.ts";
import { isGranted, joinedLine, movedLines, newMembership } from "../../../people/sign-on/membership.ts";
import type { Claims } from "../../../people/sign-on/provider.ts";
import type { ConsoleCall } from "../call.ts";
import { type AddressedMember, memberByAddress } from "./member-by-address.ts";
import { endKeysOf } from "./organization-member-keys.ts";
import { changedMeanwhile } from "./organization-members.ts";
import { localeOf } from "./sign-in-locale.ts";
import type { Workplace } from "./sign-in-reply.ts";
import { newSession } from "./sign-in-user.ts";
import type { SignOnDeps } from "./sign-on-deps.ts";
import { endByProvider } from "./sign-on-end.ts";
import { isPlaceOf, refuseOutsiders, type ToldByScim, toldByScim } from "./sign-on-provisioned.ts";

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
    const ending = endingBy(role);
    if (!membership && connection.rules.length > 0 && ending) await endKeysOf(by, user.id, ending, deps);
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
  const { user, isNew, place, membership, told, own } = await userOf(call, arrived, deps);
  const isLinked = told.isPlaced && place?.user === user.id;
  if (user.status === "frozen") throw new GatewayError("login_frozen");
  const grant = grantOf(connection, { groups: told.groups?.names ?? claims.groups }, membership);
  const { role, projects } = grant;
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
    ...{ subject: claims.subject, email: claims.email },
    since: Math.max(at, (told.released_at ?? -1) + 1),
  };
  const joined = newMembership({ user: user.id, organization, since: at }, { role, projects });
  const isAsGiven = !membership || isGranted(membership, { role, projects });
  const change = isAsGiven ? undefined : { before: membership, role, projects };
  const entrance: SignOnEntrance = {
    session,
    ...(isNew && { user }),
    ...(!isLinked && { person }),
    ...(!isLinked && place && { replaced: place }),
    ...(!membership && { membership: joined }),
    ...(change && { change }),
    ...(told.person && { provisioned: { person: told.person, issuer } }),
    ...(told.named && { named: told.named }),
    ...(own && { own }),
    ...((own || told.isFound) && membership && !change && { holding: membership }),
    ...(told.groups && connection.rules.length > 0 && { groups: told.groups.asRead }),
    entries: [
      ...(isLinked
        ? []
        : [
            line({
              kind: "account_linked",
              subject: user.id,
              after: { issuer, ...(own && { by: "address" }) },
            }),
          ]),
      ...(membership ? [] : [line(joinedLine(joined, "sign_on"))]),
      ...(change ? movedLines(change).map(line) : []),
    ],
  };
  return { user, role, entrance };
}

interface Known {
  user: User;
  isNew: boolean;
  /** Their place at the provider, where there is one, also one that counts no more. */
  place: LinkedPerson | undefined;
  membership: Membership | undefined;
  /** What SCIM says of them. */
  told: ToldByScim;
  /** Their own address, where it has found them. */
  own?: OwnAddress | undefined;
}

/**
 * The user of a person: the one whom their place at the provider names, or who joins their account to it. Else it is the
 * one whom SCIM has made for their address, the member whose own address it is, or a new one. An address finds no other
 * user, whoever has verified it.
 */
async function userOf(
  call: ConsoleCall,
  { connection, claims, address, link }: Arrived,
  deps: SignOnDeps,
): Promise<Known> {
  const place = await deps.signOns.person(personName(connection, claims.subject));
  if (link && place && place.user !== link.user)
    throw invalidState("This account of the provider belongs to another user here.", "sign_on_linked");
  if (link) await requireSession(link, deps);
  const comer = { place, joins: link?.user, address, texts: claims.texts };
  const told = await toldByScim(connection, comer, deps);
  const addressed = told.user === undefined ? await addressedMember(connection, told, deps) : undefined;
  const id = told.user ?? addressed?.membership.user;
  if (id === undefined) {
    refuseOutsiders(told, undefined);
    const user = newUser(call, claims, deps);
    return { user, isNew: true, place, membership: undefined, told };
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
  return { user: found.user, isNew: false, place, membership, told, own: addressed?.own };
}

/**
 * The member whose own address somebody comes with, once: nobody has come by this address before, and SCIM has not named the
 * member. The address is verified and in a proved domain.
 */
async function addressedMember(
  { organization }: SignOnConnection,
  { named }: ToldByScim,
  deps: SignOnDeps,
): Promise<AddressedMember | undefined> {
  if (!named || named.from !== undefined) return undefined;
  const found = await memberByAddress(organization, named.name, deps);
  const person = found && (await deps.directories.person(organization, found.membership.user));
  return person ? undefined : found;
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
 * What a person has from now on. Owners stay owners, and groups decide for all others where there are rules. No role where
 * no rule and no default lets them in.
 */
function grantOf(
  connection: SignOnConnection,
  { groups }: Pick<Claims, "groups">,
  membership: Membership | undefined,
): GroupGrant {
  if (membership?.role === "owner") return { role: "owner", projects: membership.projects ?? [] };
  const given = grantFor(connection, groups);
  const isKept = given.role !== null && membership && connection.rules.length === 0;
  return isKept ? { ...given, role: membership.role } : given;
}

/** Ends what a person has by the provider who is known here and whom the connection lets in no more. */
export async function shutOut(
  { request }: ConsoleCall,
  { connection, claims }: Pick<Arrived, "connection" | "claims">,
  deps: SignOnDeps,
): Promise<void> {
  const known = await deps.signOns.person(personName(connection, claims.subject));
  const found = known && (await deps.users.read(known.user));
  if (!found || !(await isPlaceOf(known, deps))) return;
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
