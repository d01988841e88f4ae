/** Signing up and signing in with a phone that is proved (identity/README.md "Signing up"). */
import type { Organization } from "../../accounts/account.ts";
import { readFields } from "../../console/body.ts";
import type { ConsoleCall, ConsoleRequest } from "../../console/call.ts";
import { consoleLimits } from "../../console-limits.ts";
import { GatewayError, invalidRequest } from "../../errors.ts";
import type { HttpReply } from "../../http/message.ts";
import { refuseOtherSites } from "../../identity/cookie.ts";
import { eachVersion } from "../../identity/identity-keys.ts";
import { lastFourOf, phoneName, sealPhone } from "../../identity/phone.ts";
import type { SessionRecord } from "../../identity/session.ts";
import type { Membership, User } from "../../identity/user.ts";
import type { NewSession } from "../../identity/users-port.ts";
import { type Fields, optionalString } from "../../json/fields.ts";
import { meterOf, newId } from "../../platform/id.ts";
import { describeError } from "../../platform/log.ts";
import { createOrganization } from "../admin/organizations.ts";
import { type ProvedPhone, provePhone, refuseRightCode, tellGuard } from "./sign-in-code.ts";
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
  const name = readUserName(fields) ?? "";
  const locale = localeOf(fields, request.headers);
  const invitation = readInvitation(fields, deps);
  if (!deps.isRegistrationOpen && invitation === undefined) throw registrationClosed();
  const phone = await provePhone(fields, deps);
  if (phone.claims.some((claim) => claim !== undefined))
    return await refuseRightCode(phone, registered(), deps);
  if (invitation !== undefined) await deps.invitations?.check(invitation, phone.number);
  const user = newUser(phone, { name, locale }, deps);
  const at = user.created_at;
  const membership: Membership = {
    user: user.id,
    organization: user.organization,
    role: "owner",
    since: at,
  };
  const session = newSession(user, user.organization, request, at);
  const phoneNames = eachVersion(phone.keys).map((each) => phoneName(phone.number, each));
  const outcome = await deps.users.signUp({ user, phoneNames, membership, session }, phone.code, at);
  if (outcome === "taken") throw registered();
  if (outcome === "spent") throw new GatewayError("verification_expired");
  const [organization] = await Promise.all([makeOrganization(user, deps), tellGuard(phone.number, deps)]);
  deps.log("info", "console_signed_up", { organization: organization.id });
  const joined = await join(user, invitation, request.ip, deps);
  const told = { place: joined ?? { organization, role: "owner" }, ...joinedOrNot(invitation, joined) };
  return { ...(await signedInReply(user, session, told, deps)), status: 201 };
}

/** `POST /api/v1/auth/sign-in`. It also makes what a sign-up that crashed has left to be made. */
export async function signIn({ request }: ConsoleCall, deps: SignInDeps): Promise<HttpReply> {
  refuseOtherSites(request.headers);
  const fields = readFields(request, ["phone", "code", "invitation"]);
  const invitation = readInvitation(fields, deps);
  const phone = await provePhone(fields, deps);
  const owner = phone.claims.find((claim) => claim !== undefined);
  if (owner === undefined) return await refuseRightCode(phone, new GatewayError("phone_unknown"), deps);
  const found = await deps.users.read(owner);
  if (!found) throw new Error(`the user ${owner} is missing`);
  const { user, memberships } = found;
  if (user.status === "frozen") throw new GatewayError("login_frozen");
  const first = memberships.find(({ organization }) => organization === user.organization) ?? memberships[0];
  if (!first) await requireInvitation(invitation, phone.number, deps);
  const at = deps.now();
  const session = newSession(user, first?.organization ?? user.organization, request, at);
  const wanted: NewSession = { session, ...movedPhone(phone, user) };
  if (!(await deps.users.signIn(wanted, phone.code, at))) throw new GatewayError("verification_expired");
  const [place] = await Promise.all([first && placeOf(first, user, deps), tellGuard(phone.number, deps)]);
  deps.log("info", "console_signed_in");
  const joined = await join(user, invitation, request.ip, deps);
  const entered = joined ?? place;
  if (!entered) throw homeless();
  return await signedInReply(user, session, { place: entered, ...joinedOrNot(invitation, joined) }, deps);
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

/** Somebody who has left every organization needs an invitation to sign in. Throws like `InvitationsPort.check`. */
async function requireInvitation(
  invitation: string | undefined,
  phone: string,
  { invitations }: Pick<SignInDeps, "invitations">,
): Promise<void> {
  if (invitation === undefined || !invitations) throw homeless();
  await invitations.check(invitation, phone);
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
  return new GatewayError("permission_denied", { message });
}

function registered(): GatewayError {
  return new GatewayError("phone_registration", {
    message: "This phone number is registered already. Sign in with it; the code is good for that.",
  });
}

function registrationClosed(): GatewayError {
  return new GatewayError("phone_registration", { message: "Registration is closed." });
}
