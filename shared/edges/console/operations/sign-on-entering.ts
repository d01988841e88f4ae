/** One attempt to sign on, from the address that somebody types to their session (people/sign-on/README.md "An attempt"). */
import { GatewayError } from "../../../base/errors.ts";
import { invalidField, optionalString, requiredString } from "../../../base/json/fields.ts";
import { isSameSecret } from "../../../base/platform/encryption.ts";
import { describeError } from "../../../base/platform/log.ts";
import { refuseOtherSites } from "../../../people/identity/cookie.ts";
import { readSealedCookie } from "../../../people/identity/sealed-cookie.ts";
import { attemptCookie, type SignOnAttempt } from "../../../people/sign-on/attempt.ts";
import { openSecret, type SignOnConnection } from "../../../people/sign-on/connection.ts";
import {
  type DomainClaim,
  domainOf,
  hasRecord,
  isCheckDue,
  isProved,
} from "../../../people/sign-on/domain.ts";
import type { Claims, ProviderClient, Returned } from "../../../people/sign-on/provider.ts";
import type { ConsoleBody } from "../../openapi/route-types.ts";
import { readFields } from "../body.ts";
import { type ConsoleCall, type ConsoleRequest, callerOf } from "../call.ts";
import { originOf } from "../origin.ts";
import { attemptReply, countAttempt, spendAttempt } from "./attempts.ts";
import { requireOwn } from "./own-session.ts";
import { signedInReply } from "./sign-in-reply.ts";
import type { SignOnDeps } from "./sign-on-deps.ts";
import { letIn, shutOut } from "./sign-on-person.ts";

/** The client of OpenID Connect is large, and only an attempt needs it. */
const loadProvider = () => import("../../../people/sign-on/provider.ts");

/** `POST /api/v1/auth/sign-on {email}`: where the address's organization signs its people in. Nobody is looked up by it. */
export async function beginSignOn({ request }: ConsoleCall, deps: SignOnDeps) {
  refuseOtherSites(request.headers);
  const fields = readFields<keyof ConsoleBody<"begin_sign_on">>(request, ["email"]);
  const email = requiredString(fields, "email").trim();
  const domain = domainOf(email);
  if (domain === undefined) throw invalidField("email", "an e-mail address, such as ann@example.com");
  await countAttempt(request.ip, deps);
  const connection = await connectionOf(domain, deps);
  if (!connection) {
    const message = `No organization signs its people in by the domain ${domain}.`;
    throw new GatewayError("not_found", { message, reason: "sign_on_unknown" });
  }
  return await begin(connection, { request, hint: email, link: null }, deps);
}

/** `POST /api/v1/auth/sign-on/link`: somebody who is signed in joins their account to the one at the provider. */
export async function beginLink(call: ConsoleCall, deps: SignOnDeps) {
  const { request } = call;
  const { user, session, organization } = callerOf(call);
  readFields(request, []);
  requireOwn(call, deps);
  await countAttempt(request.ip, deps);
  const connection = await deps.connections.read(organization.id);
  if (!connection) throw noConnection();
  const link = { user: user.id, session: session.id };
  return await begin(connection, { request, hint: undefined, link }, deps);
}

/** `POST /api/v1/auth/sign-on/finish`, by the page that the provider leads back to. The answer is that of a sign-in. */
export async function finishSignOn(call: ConsoleCall, deps: SignOnDeps) {
  const { request } = call;
  refuseOtherSites(request.headers);
  const given = readReturned(request);
  const attempt = await readSealedCookie<SignOnAttempt>(
    attemptCookie,
    request.headers,
    deps.now(),
    deps.keys,
  );
  if (!attempt) throw over();
  // The address that a provider leads back to names its organization, so an answer of another one is found out.
  if (!isSameSecret(attempt.state, given.state) || attempt.organization !== given.organization) throw wrong();
  if (!(await spendAttempt(attempt.state, attempt.ends_at, deps))) throw over();
  const connection = await deps.connections.read(attempt.organization);
  if (connection?.changed_at !== attempt.connection_at) throw over();
  const { organization: _named, ...returned } = given;
  const claims = await claimsOf(connection, { attempt, returned, request }, deps);
  const address = await admit(call, connection, claims, deps);
  const arrived = { connection, claims, address, link: attempt.link };
  const { user, session, place } = await letIn(call, arrived, deps);
  deps.log("info", "console_signed_on", { organization: connection.organization });
  return await signedInReply(user, session, { place }, deps);
}

function readReturned(request: ConsoleRequest): Returned & { organization: string } {
  const names = ["organization", "code", "state", "iss"] as const;
  const fields = readFields<keyof ConsoleBody<"finish_sign_on">>(request, names);
  const [organization, code, state] = (["organization", "code", "state"] as const).map((name) =>
    requiredString(fields, name),
  ) as [string, string, string];
  const iss = optionalString(fields, "iss");
  return { organization, code, state, ...(iss !== undefined && { iss }) };
}

/** The connection of the organization that has proved a domain. */
async function connectionOf(domain: string, deps: SignOnDeps): Promise<SignOnConnection | undefined> {
  const { domains, connections } = deps;
  const holder = await domains.holder(domain);
  if (holder === undefined) return undefined;
  const [claim, connection] = await Promise.all([domains.read(holder, domain), connections.read(holder)]);
  if (!claim || !connection) return undefined;
  return (await isGood(claim, deps)) ? connection : undefined;
}

/** Whether a proved claim is good still. Its record is looked for again once a day. */
async function isGood(
  claim: DomainClaim,
  { domains, readTexts, now }: Pick<SignOnDeps, "domains" | "readTexts" | "now">,
): Promise<boolean> {
  if (!isCheckDue(claim, now()) || !(await hasRecord(claim, readTexts))) return isProved(claim, now());
  await domains.see(claim, now());
  return true;
}

interface Beginning extends Pick<SignOnAttempt, "link"> {
  request: ConsoleRequest;
  hint: string | undefined;
}

async function begin(connection: SignOnConnection, { request, hint, link }: Beginning, deps: SignOnDeps) {
  const provider = await clientOf(connection, deps);
  const { beginAt } = await loadProvider();
  const at = redirectUri(request, connection.organization);
  const { url, ...begun } = await beginAt(provider, at, hint, deps.fetching).catch(
    failedAt(connection, deps),
  );
  const { organization, changed_at: connection_at } = connection;
  const attempt: Omit<SignOnAttempt, "ends_at"> = { ...begun, organization, connection_at, link };
  return await attemptReply({ url }, { sealed: attemptCookie, attempt }, deps);
}

/**
 * Where a provider leads back to: a page of the console's own, at the host that was asked. Nothing of a request can send
 * anybody elsewhere, and each organization has its own, so that no provider can answer in another one's place.
 */
export function redirectUri({ headers }: Pick<ConsoleRequest, "headers">, organization: string): string {
  return `${originOf(headers)}/sign-on/${organization}`;
}

interface Answered {
  attempt: SignOnAttempt;
  returned: Returned;
  request: ConsoleRequest;
}

async function claimsOf(
  connection: SignOnConnection,
  { attempt, returned, request }: Answered,
  deps: SignOnDeps,
): Promise<Claims> {
  const provider = await clientOf(connection, deps);
  const { finishAt } = await loadProvider();
  const at = redirectUri(request, connection.organization);
  return await finishAt(provider, at, { attempt, returned }, deps.fetching).catch(failedAt(connection, deps));
}

/** What a connection asks its provider with. Throws `invalid_state` where its secret is lost. */
export async function clientOf(
  connection: SignOnConnection,
  { keys }: Pick<SignOnDeps, "keys">,
): Promise<ProviderClient> {
  const secret = await openSecret(connection, keys);
  if (secret !== undefined) return { ...connection, secret };
  const message = "The client secret of this organization's provider is lost. An owner has to set it again.";
  throw new GatewayError("invalid_state", { message, reason: "sign_on_provider" });
}

/**
 * Makes an error of a provider one of ours: what came back was wrong, or nothing of use came. The log has the cause,
 * which may name the provider and quotes no token.
 */
export function failedAt(
  { organization }: Pick<SignOnConnection, "organization">,
  { log }: Pick<SignOnDeps, "log">,
) {
  return async (error: unknown): Promise<never> => {
    const { SignOnError } = await loadProvider();
    if (!(error instanceof SignOnError)) throw error;
    log("warn", "sign_on_failed", { organization, reason: error.why, error: describeError(error) });
    if (error.why === "refused") throw wrong();
    if (error.why === "closed") throw invalidField("issuer", "an address of the public Internet");
    const message = "The organization's identity provider gave no usable answer.";
    throw new GatewayError("upstream_error", { message, reason: "sign_on_provider" });
  };
}

/**
 * The person's address, where the provider calls it verified and it is in a proved domain. Throws `permission_denied`
 * for whom the connection does not let in. Who has no such address any more loses what they have by the provider. A
 * record that DNS has lost ends nothing: it is not about them.
 */
async function admit(
  call: ConsoleCall,
  connection: SignOnConnection,
  claims: Claims,
  deps: SignOnDeps,
): Promise<string | undefined> {
  const { organization, admits } = connection;
  const { email, isVerified } = claims;
  const domain = isVerified && email !== null ? domainOf(email) : undefined;
  const claim = domain === undefined ? undefined : await deps.domains.read(organization, domain);
  if (email !== null && claim && (await isGood(claim, deps))) return email;
  if (admits === "everybody") return undefined;
  if (!claim) await shutOut(call, { connection, claims }, deps);
  const message = "The provider gives no verified address in a domain of this organization.";
  throw new GatewayError("permission_denied", { message, reason: "sign_on_unverified" });
}

export function noConnection(): GatewayError {
  const message = "This organization has no provider of its own.";
  return new GatewayError("not_found", { message, reason: "sign_on_unknown" });
}

function over(): GatewayError {
  const message = "This sign-in has ended, or another browser began it. Begin again.";
  return new GatewayError("verification_expired", { message, reason: "sign_on_over" });
}

function wrong(): GatewayError {
  const message = "What came back from the identity provider is not good. Begin again.";
  return new GatewayError("verification_wrong", { message, reason: "sign_on_wrong" });
}
