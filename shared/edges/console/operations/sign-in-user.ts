/** Signing up and signing in with a contact that is proved (people/identity/README.md "Signing up"). */

import { GatewayError } from "../../../base/errors.ts";
import { optionalBoolean } from "../../../base/json/fields.ts";
import { meterOf, newId } from "../../../base/platform/id.ts";
import type { Organization } from "../../../books/accounts/account.ts";
import {
  type Contact,
  contactKinds,
  contactName,
  contactsOf,
  kindOf,
  sealContact,
} from "../../../people/identity/contact.ts";
import { refuseOtherSites } from "../../../people/identity/cookie.ts";
import { cleanLabel } from "../../../people/identity/device.ts";
import { eachVersion } from "../../../people/identity/identity-keys.ts";
import type { SessionRecord } from "../../../people/identity/session.ts";
import type { Membership, User } from "../../../people/identity/user.ts";
import type { NewSession, NewUser, UserWithMemberships } from "../../../people/identity/users-port.ts";
import type { ConsoleBody } from "../../openapi/route-types.ts";
import { createOrganization } from "../../operator/organizations.ts";
import { readFields } from "../body.ts";
import type { ConsoleCall, ConsoleRequest } from "../call.ts";
import { type ProvedContact, proveContact, tellGuards, withRightCode } from "./sign-in-code.ts";
import type { SignInDeps } from "./sign-in-deps.ts";
import { readInvitation, type WriteWith, writeInvited } from "./sign-in-invited.ts";
import { localeOf } from "./sign-in-locale.ts";
import { readUserName } from "./sign-in-name.ts";
import { openPlace } from "./sign-in-place.ts";
import { signedInReply, type Workplace } from "./sign-in-reply.ts";

/** The plan that a new organization has, if the catalog has it. */
const firstPlan = "free";

/** What an organization is called whose owner has not said a name. */
const organizationNames: Readonly<Record<string, string>> = { en: "My organization", zh: "我的组织" };

/** `POST /api/v1/auth/sign-up`. Who is invited gets an organization of their own only by `own_organization`. */
export async function signUp({ request }: ConsoleCall, deps: SignInDeps) {
  refuseOtherSites(request.headers);
  const fields = readFields<keyof ConsoleBody<"sign_up">>(request, [
    ...contactKinds,
    "code",
    "name",
    "locale",
    "invitation",
    "own_organization",
  ]);
  const said = { name: readUserName(fields) ?? "", locale: localeOf(fields, request.headers) };
  const invitation = readInvitation(fields, deps);
  const hasOwn = optionalBoolean(fields, "own_organization") === true || invitation === undefined;
  if (!deps.isRegistrationOpen && invitation === undefined) throw registrationClosed();
  const proved = await proveContact(fields, request.ip, deps);
  const make = async () => await makeUser(proved, { request, said, invitation, hasOwn }, deps);
  const { user, session, home, joined } = await withRightCode(proved, make, deps);
  const [place] = await Promise.all([
    placeOf(home, user, deps),
    hasOwn && joined && makeOrganization(user, deps),
    tellGuards(proved, deps),
  ]);
  deps.log("info", "console_signed_up", { organization: place.organization.id });
  const told = { place, ...joinedOrNot(invitation, joined) };
  return { ...(await signedInReply(user, session, told, deps)), status: 201 };
}

/** What a sign-up asks for, beside its contact. */
interface WantedUser {
  request: ConsoleRequest;
  said: Pick<User, "name" | "locale">;
  invitation: string | undefined;
  /** The user becomes the owner of an organization of their own. */
  hasOwn: boolean;
}

/** What a transaction of signing up or in has made. */
interface Opened {
  session: SessionRecord;
  /** Where the session begins. */
  home: Membership;
  /** The membership that an invitation led to. */
  joined: Membership | undefined;
}

/** Makes the user of a contact. The same transaction uses up the invitation, so it brings in one person. */
async function makeUser(
  proved: ProvedContact,
  { request, said, invitation, hasOwn }: WantedUser,
  deps: SignInDeps,
): Promise<Opened & { user: User }> {
  if (proved.owner) throw registered(proved.contact);
  const user = newUser(proved, said, deps);
  const at = user.created_at;
  const own = ownership(user, at);
  const names = eachVersion(proved.keys).map((each) => contactName(proved.contact, each));
  const write: WriteWith<Opened> = async (entry) => {
    const home = entry?.membership ?? own;
    const session = newSession(user, home.organization, request, at);
    const wanted: NewUser = {
      user,
      names,
      session,
      ...(hasOwn && { own }),
      ...(entry?.joining && { joining: entry.joining }),
    };
    const outcome = await deps.users.signUp(wanted, proved.code, at);
    if (outcome === "uninvited" || outcome === "contended") return undefined;
    if (outcome === "taken") throw registered(proved.contact);
    if (outcome === "spent") throw new GatewayError("verification_expired");
    return { session, home, joined: entry?.membership };
  };
  const asked = { invitation, isNeeded: true, user, ip: request.ip };
  return { user, ...(await writeInvited(asked, write, deps)) };
}

/** `POST /api/v1/auth/sign-in`. It also makes what a sign-up that crashed has left to be made. */
export async function signIn({ request }: ConsoleCall, deps: SignInDeps) {
  refuseOtherSites(request.headers);
  const fields = readFields<keyof ConsoleBody<"sign_in">>(request, [...contactKinds, "code", "invitation"]);
  const invitation = readInvitation(fields, deps);
  const proved = await proveContact(fields, request.ip, deps);
  const open = async () => await openSession(proved, { request, invitation }, deps);
  const { user, session, home, joined, first } = await withRightCode(proved, open, deps);
  const [homePlace] = await Promise.all([
    placeOf(home, user, deps),
    joined && first && placeOf(first, user, deps),
    tellGuards(proved, deps),
  ]);
  const place = await openPlace(homePlace, { session, memberships: proved.owner?.memberships ?? [] }, deps);
  deps.log("info", "console_signed_in");
  const told = { place, ...joinedOrNot(invitation, joined) };
  return await signedInReply(user, session, told, deps);
}

/**
 * Opens a session in the organization of a good invitation, else in `first`. Who is in none needs the invitation, or
 * gets the organization of their own that they never had, where anybody may sign up.
 */
async function openSession(
  proved: ProvedContact,
  { request, invitation }: Pick<WantedUser, "request" | "invitation">,
  deps: SignInDeps,
): Promise<Opened & { user: User; first: Membership | undefined }> {
  if (!proved.owner) throw unknown(proved.contact);
  const { user } = proved.owner;
  if (user.status === "frozen") throw new GatewayError("login_frozen");
  const first = firstPlace(proved.owner);
  const at = deps.now();
  const isAlone = first === undefined && invitation === undefined;
  const own = isAlone && (await mayOwn(user, deps)) ? ownership(user, at) : undefined;
  const write: WriteWith<Opened> = async (entry) => {
    const home = entry?.membership ?? first ?? own;
    if (!home) throw homeless();
    const session = newSession(user, home.organization, request, at);
    const wanted: NewSession = {
      session,
      ...movedContact(proved, user),
      ...(own && { own }),
      ...(entry?.joining && { joining: entry.joining }),
    };
    const outcome = await deps.users.signIn(wanted, proved.code, at);
    if (outcome === "uninvited" || outcome === "contended") return undefined;
    if (outcome === "spent") throw new GatewayError("verification_expired");
    return { session, home, joined: entry?.membership };
  };
  const asked = { invitation, isNeeded: !first, user, ip: request.ip };
  return { user, first, ...(await writeInvited(asked, write, deps)) };
}

/**
 * Whether a user without organization may have their own: it was never made. Who has left theirs does not get it back.
 */
async function mayOwn(
  { organization }: User,
  { accounts, isRegistrationOpen }: Pick<SignInDeps, "accounts" | "isRegistrationOpen">,
): Promise<boolean> {
  return isRegistrationOpen && (await accounts.organization(organization)) === undefined;
}

/** A user as the owner of the organization that is theirs. */
function ownership({ id: user, organization }: User, since: number): Membership {
  return { user, organization, role: "owner", since };
}

/** A membership's organization. The user's own one is made if a crash has left it unmade. */
export async function placeOf(
  { organization: id, role }: Membership,
  user: User,
  deps: SignInDeps,
): Promise<Workplace> {
  const organization = await deps.accounts.organization(id);
  if (organization) return { organization, role };
  if (id !== user.organization) throw new Error(`the organization ${id} is missing`);
  return { organization: await makeOrganization(user, deps), role };
}

/**
 * Makes a user's organization from the user's record and the catalog alone, so that any write of it may be repeated.
 */
async function makeOrganization(user: User, deps: SignInDeps): Promise<Organization> {
  const wanted = {
    name: user.name || (organizationNames[user.locale] ?? "My organization"),
    ...(deps.plan(firstPlan) && { plan: firstPlan }),
    points: "0",
    ids: {
      organization: user.organization,
      subscription: meterOf(user.organization),
      wallet: meterOf(user.id),
    },
  };
  return await createOrganization(wanted, { ...deps, now: () => user.created_at });
}

/** Whether a request's invitation was accepted; nothing where it has none. */
function joinedOrNot(invitation: string | undefined, joined: Membership | undefined) {
  return invitation === undefined ? {} : { invitation_accepted: joined !== undefined };
}

function newUser(
  { contact, keys }: ProvedContact,
  said: Pick<User, "name" | "locale">,
  deps: Pick<SignInDeps, "now">,
): User {
  const created_at = deps.now();
  const id = newId("user", created_at);
  return {
    id,
    ...said,
    status: "active",
    ...sealContact(contact, id, keys.current),
    organization: newId("organization", created_at),
    created_at,
  };
}

/** What a sign-in under a newer version of the secret adds to a user. An older copy of the secret changes nothing. */
function movedContact({ contact, keys, claims }: ProvedContact, user: User): Omit<NewSession, "session"> {
  const { current } = keys;
  const kept = contactsOf(user).find(({ kind }) => kind === contact.kind);
  return {
    ...(claims[0] === undefined && { unclaimed: contactName(contact, current) }),
    ...(kept && kept.version < current.version && { box: sealContact(contact, user.id, current) }),
  };
}

/** A session that a request opens at `at`, Unix milliseconds. */
export function newSession(
  { id: user }: Pick<User, "id">,
  organization: string,
  { headers, ip }: ConsoleRequest,
  at: number,
): SessionRecord {
  return {
    id: newId("session", at),
    user,
    generation: 1,
    refreshed_at: at,
    created_at: at,
    label: cleanLabel(headers["user-agent"] ?? ""),
    ip,
    ended_at: null,
    organization,
  };
}

/** Where a user works first: in the organization of their own, else in any. Undefined for who is in none. */
export function firstPlace({ user, memberships }: UserWithMemberships): Membership | undefined {
  return memberships.find(({ organization }) => organization === user.organization) ?? memberships[0];
}

export function homeless(): GatewayError {
  const message = "You are not a member of any organization. Ask for an invitation.";
  return new GatewayError("permission_denied", { message, reason: "no_organization" });
}

/** The refusal of a contact that has a user. */
export function registered({ kind }: Contact): GatewayError {
  return new GatewayError("phone_registration", {
    message: `This ${kindOf[kind].word} is registered already. Sign in with it; the code is good for that.`,
  });
}

function unknown({ kind }: Contact): GatewayError {
  return new GatewayError("phone_unknown", { message: `The ${kindOf[kind].word} is not registered.` });
}

function registrationClosed(): GatewayError {
  return new GatewayError("phone_registration", { message: "Registration is closed." });
}
