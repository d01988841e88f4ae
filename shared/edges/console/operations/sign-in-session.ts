/** Sessions that go on, and sessions that end (people/identity/README.md "Sessions"). */

import { consoleLimits } from "../../../base/console-limits.ts";
import { GatewayError } from "../../../base/errors.ts";
import { type HttpReply, jsonReply } from "../../../base/http/message.ts";
import { readQuery } from "../../../base/http/query.ts";
import { optionalString } from "../../../base/json/fields.ts";
import { isId } from "../../../base/platform/id.ts";
import { rfc3339 } from "../../../books/billing/instant.ts";
import { cookieOf, endedCookie, requireSameOrigin } from "../../../people/identity/cookie.ts";
import { eachVersion } from "../../../people/identity/identity-keys.ts";
import {
  isOpen,
  type RefreshToken,
  readRefreshToken,
  refreshOf,
  type SessionRecord,
} from "../../../people/identity/session.ts";
import type { Membership, Session } from "../../../people/identity/user.ts";
import type { UserWithMemberships } from "../../../people/identity/users-port.ts";
import type { ConsoleBody } from "../../openapi/route-types.ts";
import { readFields } from "../body.ts";
import { type ConsoleCall, type ConsoleRequest, callerOf } from "../call.ts";
import type { SignInDeps } from "./sign-in-deps.ts";
import { tokenReply } from "./sign-in-reply.ts";

type SessionDeps = Pick<SignInDeps, "keys" | "sessions" | "users" | "pace" | "log" | "now">;

/** `POST /api/v1/auth/refresh`. A session goes on, in the organization that the body names or in its last one. */
export async function refreshSession({ request }: ConsoleCall, deps: SessionDeps) {
  requireSameOrigin(request.headers);
  const asked = optionalString(
    readFields<keyof ConsoleBody<"refresh_session">>(request, ["organization"]),
    "organization",
  );
  const token = await tokenOf(request, deps);
  if (!token) throw over();
  const [open] = await Promise.all([openSession(token, deps), deps.pace(token.session)]);
  const { user, session } = open;
  await checkGeneration(token, session, deps);
  if (user.status === "frozen") throw new GatewayError("login_frozen");
  const membership = membershipFor(open, asked);
  await raise(token, session, membership.organization, deps);
  const next = { ...session, generation: token.generation + 1 };
  return await tokenReply(next, membership, {}, deps);
}

/** `POST /api/v1/auth/sign-out`. Doing it again, or without a session, is the same. */
export async function signOut({ request }: ConsoleCall, deps: SessionDeps): Promise<HttpReply> {
  requireSameOrigin(request.headers);
  readFields(request, []);
  const token = await tokenOf(request, deps);
  if (token) await deps.sessions.end(token.user, token.session, deps.now());
  return { status: 204, headers: { "set-cookie": endedCookie }, body: "" };
}

/** `GET /api/v1/auth/sessions`: those of the user that are open, the newest first. */
export async function listSessions(call: ConsoleCall, deps: SessionDeps) {
  const { user, session: own } = callerOf(call);
  readQuery(call.request.query, {});
  const sessions = await deps.sessions.list(user.id, consoleLimits.sessionListMax);
  const open = sessions.filter((session) => isOpen(session, deps.now()) && isKnownTo(own, session));
  const data = open.map((session) => ({
    id: session.id,
    label: session.label,
    ip: session.ip,
    created_at: rfc3339(session.created_at),
    seen_at: rfc3339(session.refreshed_at),
    current: session.id === own.id,
  }));
  return jsonReply({ object: "list", data, has_more: false, last_id: data.at(-1)?.id ?? null });
}

/** `DELETE /api/v1/auth/sessions/{id}`. It acts on that session's very next call. */
export async function endSession(call: ConsoleCall, deps: SessionDeps): Promise<HttpReply> {
  const { user, session: own } = callerOf(call);
  const { id = "" } = call.parameters;
  const session = isId(id, "session") ? await deps.sessions.read(user.id, id) : undefined;
  const isTheirs = session !== undefined && isKnownTo(own, session);
  if (!isTheirs || !(await deps.sessions.end(user.id, id, deps.now())))
    throw new GatewayError("not_found", { message: "There is no such session." });
  return { status: 204, headers: {}, body: "" };
}

/** Whether a session sees and ends another one of its user. One of a provider has those of the provider alone. */
function isKnownTo({ sign_on }: Pick<Session, "sign_on">, other: Pick<Session, "sign_on">): boolean {
  return sign_on === undefined || other.sign_on === sign_on;
}

/** The refresh token of a request's cookie; undefined where it is none of ours. */
async function tokenOf(
  { headers }: ConsoleRequest,
  { keys }: Pick<SessionDeps, "keys">,
): Promise<RefreshToken | undefined> {
  const cookie = cookieOf(headers);
  if (cookie === undefined) return undefined;
  const known = await keys();
  // A process that has the next version already may have made it.
  return (
    readRefreshToken(cookie, eachVersion(known)) ?? readRefreshToken(cookie, eachVersion(await keys(known)))
  );
}

/** Whom a session belongs to, and where they may work. */
interface OpenSession extends UserWithMemberships {
  session: SessionRecord;
}

/** The open session of a token, with its user. Throws `session_expired`. */
async function openSession(
  { user, session: id }: RefreshToken,
  { users, sessions, now }: SessionDeps,
): Promise<OpenSession> {
  const [found, session] = await Promise.all([users.read(user), sessions.read(user, id)]);
  if (!found || !session || !isOpen(session, now())) throw over();
  return { ...found, session };
}

/** Ends a session whose old token comes back, and throws `session_expired` for every token that is not good. */
async function checkGeneration(
  { generation, user }: RefreshToken,
  session: SessionRecord,
  { sessions, log, now }: SessionDeps,
): Promise<"next" | "repeat"> {
  const verdict = refreshOf(session, generation, now());
  if (verdict === "next" || verdict === "repeat") return verdict;
  if (verdict === "reused") {
    await sessions.end(user, session.id, now());
    log("warn", "session_reused", { user, session: session.id });
  }
  throw over();
}

/**
 * The asked membership, else the last, else any. A session of a provider has that of the provider's organization alone.
 * Throws `permission_denied` for one that the user does not have.
 */
function membershipFor(
  { user, memberships: all, session }: OpenSession,
  asked: string | undefined,
): Membership {
  const { sign_on } = session;
  const memberships = all.filter(({ organization }) => sign_on === undefined || organization === sign_on);
  const wanted = asked === undefined ? [session.organization, user.organization] : [asked];
  const found = wanted.map((id) => memberships.find(({ organization }) => organization === id));
  const membership = found.find((each) => each) ?? (asked === undefined ? memberships[0] : undefined);
  if (membership) return membership;
  const message = "You are not a member of this organization.";
  throw new GatewayError("permission_denied", { message, param: "organization" });
}

/** Raises the generation, unless another tab has done so a moment ago. */
async function raise(
  token: RefreshToken,
  session: SessionRecord,
  organization: string,
  deps: SessionDeps,
): Promise<void> {
  if (session.generation !== token.generation) return;
  if (await deps.sessions.refresh(session, organization, deps.now())) return;
  const { session: fresh } = await openSession(token, deps);
  await checkGeneration(token, fresh, deps);
}

/** The session is over, so the browser may forget its cookie. */
function over(): GatewayError {
  return new GatewayError("session_expired", { headers: { "set-cookie": endedCookie } });
}
