/** Signing up and signing in with a phone that is proved (identity/README.md "Signing up"). */
import type { Organization } from "../../accounts/account.ts";
import { readFields } from "../../console/body.ts";
import type { ConsoleCall, ConsoleRequest } from "../../console/call.ts";
import { consoleLimits } from "../../console-limits.ts";
import { GatewayError, invalidRequest } from "../../errors.ts";
import type { HttpReply } from "../../http/message.ts";
import { refuseOtherSites } from "../../identity/cookie.ts";
import { eachVersion } from "../../identity/identity-keys.ts";
import type { Entry } from "../../identity/invitations-port.ts";
import { lastFourOf, phoneName, sealPhone } from "../../identity/phone.ts";
import type { SessionRecord } from "../../identity/session.ts";
import type { Membership, User } from "../../identity/user.ts";
import type { NewSession } from "../../identity/users-port.ts";
import { type Fields, optionalString } from "../../json/fields.ts";
import { meterOf, newId } from "../../platform/id.ts";
import { describeError } from "../../platform/log.ts";
import { createOrganization } from "../admin/organizations.ts";
import { type ProvedPhone, provePhone, tellGuards, withRightCode } from "./sign-in-code.ts";
import type { SignInDeps } from "./sign-in-deps.ts";
import { localeOf } from "./sign-in-locale.ts";
import { readUserName } from "./sign-in-name.ts";
import { type Place, signedInReply } from "./sign-in-reply.ts";

/** The plan that a new organization has, if the catalog has it. */
const firstPlan = "free";

/** What an organization is called whose owner has not said a name. */
const organizationNames: Readonly<Record<string, string>> = { en: "My organization", zh: "我的组织" };

/** `POST /api/v1/auth/sign-up`. It makes a user with an organization of their own, and signs them in. */
export async function signUp({ request }: ConsoleCall, deps: SignInDeps): Promise<HttpReply> {
  refuseOtherSites(request.headers);
  const fields = readFields(request, ["phone", "code", "name", "locale", "invitation"]);
  const said = { name: readUserName(fields) ?? "", locale: localeOf(fields, request.headers) };
  const invitation = readInvitation(fields, deps);
  if (!deps.isRegistrationOpen && invitation === undefined) throw registrationClosed();
  const phone = await provePhone(fields, request.ip, deps);
  const make = async () => await makeUser(phone, { request, said, invitation }, deps);
  const { user, session, joined } = await withRightCode(phone, make, deps);
  const [organization, place] = await Promise.all([
    makeOrganization(user, deps),
    joined && placeOf(joined, user, deps),
    tellGuards(phone, deps),
  ]);
  deps.log("info", "console_signed_up", { organization: organization.id });
  const own: Place = { organization, role: "owner" };
  const told = { place: place ?? own, ...joinedOrNot(invitation, place) };
  return { ...(await signedInReply(user, session, told, deps)), status: 201 };
}

/** What a sign-up asks for, beside its phone. */
interface WantedUser {
  request: ConsoleRequest;
  said: Pick<User, "name" | "locale">;
  invitation: string | undefined;
}

/**
 * Makes the user of a phone, with all that one transaction can make. An invitation is used up by that same transaction.
 * So it brings in one person, also where many sign up with it at once and nobody may without one.
 */
async function makeUser(
  phone: ProvedPhone,
  { request, said, invitation }: WantedUser,
  deps: SignInDeps,
): Promise<{ user: User; session: SessionRecord; joined: Membership | undefined }> {
  if (phone.owner) throw registered();
  const user = newUser(phone, said, deps);
  const { organization, created_at: at } = user;
  const membership: Membership = { user: user.id, organization, role: "owner", since: at };
  const session = newSession(user, organization, request, at);
  const phoneNames = eachVersion(phone.keys).map((each) => phoneName(phone.number, each));
  const write: WriteWith<{ joined: Membership | undefined }> = async (entry) => {
    const wanted = {
      user,
      phoneNames,
      membership,
      session,
      ...(entry?.joining && { joining: entry.joining }),
    };
    const outcome = await deps.users.signUp(wanted, phone.code, at);
    if (outcome === "uninvited" || outcome === "contended") return undefined;
    if (outcome === "taken") throw registered();
    if (outcome === "spent") throw new GatewayError("verification_expired");
    return { joined: entry?.membership };
  };
  return { user, session, ...(await writeInvited({ invitation, user, ip: request.ip }, write, deps)) };
}

/** `POST /api/v1/auth/sign-in`. It also makes what a sign-up that crashed has left to be made. */
export async function signIn({ request }: ConsoleCall, deps: SignInDeps): Promise<HttpReply> {
  refuseOtherSites(request.headers);
  const fields = readFields(request, ["phone", "code", "invitation"]);
  const invitation = readInvitation(fields, deps);
  const phone = await provePhone(fields, request.ip, deps);
  const open = async () => await openSession(phone, { request, invitation }, deps);
  const { user, session, home, isNewcomer } = await withRightCode(phone, open, deps);
  const [place] = await Promise.all([placeOf(home, user, deps), tellGuards(phone, deps)]);
  deps.log("info", "console_signed_in");
  const joined = isNewcomer ? place : await join(user, invitation, request.ip, deps);
  const told = { place: joined ?? place, ...joinedOrNot(invitation, joined) };
  return await signedInReply(user, session, told, deps);
}

/**
 * Opens a session for the owner of a phone. Somebody who has left every organization needs an invitation, which the same
 * transaction uses up.
 */
async function openSession(
  phone: ProvedPhone,
  { request, invitation }: Omit<WantedUser, "said">,
  deps: SignInDeps,
): Promise<{ user: User; session: SessionRecord; home: Membership; isNewcomer: boolean }> {
  if (!phone.owner) throw new GatewayError("phone_unknown");
  const { user, memberships } = phone.owner;
  if (user.status === "frozen") throw new GatewayError("login_frozen");
  const first = memberships.find(({ organization }) => organization === user.organization) ?? memberships[0];
  const at = deps.now();
  const write: WriteWith<{ session: SessionRecord; home: Membership }> = async (entry) => {
    const home = first ?? entry?.membership;
    if (!home) throw homeless();
    const session = newSession(user, home.organization, request, at);
    const wanted: NewSession = {
      session,
      ...movedPhone(phone, user),
      ...(entry?.joining && { joining: entry.joining }),
    };
    const outcome = await deps.users.signIn(wanted, phone.code, at);
    if (outcome === "uninvited" || outcome === "contended") return undefined;
    if (outcome === "spent") throw new GatewayError("verification_expired");
    return { session, home };
  };
  const asked = { invitation: first ? undefined : invitation, user, ip: request.ip };
  return { user, isNewcomer: !first, ...(await writeInvited(asked, write, deps)) };
}

/**
 * A transaction that may use up an invitation. Undefined where the invitation or other writers stopped it: then nothing
 * was written.
 */
type WriteWith<Done> = (entry: Entry | undefined) => Promise<Done | undefined>;

/**
 * Runs a transaction with what the user's invitation adds to it. If the invitation or its inviter has changed meanwhile,
 * all is read again. Throws `not_found` for an invitation that is not good, and `invalid_state` where others write the
 * same again and again.
 */
async function writeInvited<Done>(
  { invitation, user, ip }: { invitation: string | undefined; user: User; ip: string },
  write: WriteWith<Done>,
  { invitations }: Pick<SignInDeps, "invitations">,
): Promise<Done> {
  for (let attempt = 1; attempt <= consoleLimits.memberAttemptsMax; attempt++) {
    const entry = invitation === undefined ? undefined : await invitations?.prepare(invitation, user, ip);
    const done = await write(entry);
    if (done) return done;
  }
  const message = "Others changed the same at this moment. Try again: your code is still good.";
  throw new GatewayError("invalid_state", { message, reason: "changed" });
}

/** A membership's organization. The user's own one is made if a crash has left it unmade. */
async function placeOf({ organization: id, role }: Membership, user: User, deps: SignInDeps): Promise<Place> {
  const organization = await deps.accounts.organization(id);
  if (organization) return { organization, role };
  if (id !== user.organization) throw new Error(`the organization ${id} is missing`);
  return { organization: await makeOrganization(user, deps), role };
}

/**
 * Makes the organization that a user has fixed the id of: the Free plan, an empty wallet, the first fee. All of it
 * depends on the user's record and the catalog alone, so that it can be made again after any write of it.
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

/** Where an invitation leads; undefined without one, and where it is not good. Who signs in does so all the same. */
async function join(
  user: User,
  invitation: string | undefined,
  ip: string,
  deps: SignInDeps,
): Promise<Place | undefined> {
  if (invitation === undefined || !deps.invitations) return undefined;
  try {
    const { organization: id, role } = await deps.invitations.accept(invitation, user, ip);
    const organization = await deps.accounts.organization(id);
    return organization && { organization, role };
  } catch (error) {
    deps.log("warn", "invitation_not_accepted", { user: user.id, error: describeError(error) });
    return undefined;
  }
}

/** Whether a request's invitation was accepted; nothing where it has none. */
function joinedOrNot(invitation: string | undefined, joined: Place | undefined) {
  return invitation === undefined ? {} : { invitation_accepted: joined !== undefined };
}

function newUser(
  { number, keys }: ProvedPhone,
  said: Pick<User, "name" | "locale">,
  deps: Pick<SignInDeps, "now">,
): User {
  const created_at = deps.now();
  const id = newId("user", created_at);
  return {
    id,
    ...said,
    status: "active",
    phone_last_four: lastFourOf(number),
    ...sealPhone(number, id, keys.current),
    organization: newId("organization", created_at),
    created_at,
  };
}

/** What a sign-in under a newer version of the secret adds to a user. An older copy of the secret changes nothing. */
function movedPhone(
  { number, keys, claims }: ProvedPhone,
  { id, phone_version }: User,
): Omit<NewSession, "session"> {
  const { current } = keys;
  return {
    ...(claims[0] === undefined && { unclaimed: phoneName(number, current) }),
    ...(phone_version < current.version && { box: sealPhone(number, id, current) }),
  };
}

function newSession(
  { id: user }: User,
  organization: string,
  { headers, ip }: ConsoleRequest,
  at: number,
): SessionRecord {
  const label = (headers["user-agent"] ?? "").replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, "");
  return {
    id: newId("session", at),
    user,
    generation: 1,
    refreshed_at: at,
    created_at: at,
    label: label.slice(0, consoleLimits.sessionLabelCharsMax).toWellFormed(),
    ip,
    ended_at: null,
    organization,
  };
}

function readInvitation(
  fields: Fields,
  { invitations }: Pick<SignInDeps, "invitations">,
): string | undefined {
  const invitation = optionalString(fields, "invitation");
  if (invitation !== undefined && !invitations) throw invalidRequest("This console takes no invitations.");
  return invitation;
}

function homeless(): GatewayError {
  const message = "You are not a member of any organization. Ask for an invitation.";
  return new GatewayError("permission_denied", { message, reason: "no_organization" });
}

function registered(): GatewayError {
  return new GatewayError("phone_registration", {
    message: "This phone number is registered already. Sign in with it; the code is good for that.",
  });
}

function registrationClosed(): GatewayError {
  return new GatewayError("phone_registration", { message: "Registration is closed." });
}
