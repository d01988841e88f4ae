/** Who sends a request. The token only names them; all else is read at each call, so a sign-out acts on the next one. */

import { GatewayError } from "../../base/errors.ts";
import type { Organization } from "../../books/accounts/account.ts";
import type { Caller } from "./caller.ts";
import type { ReadKeys } from "./identity-keys.ts";
import { isOpen, mayOpen, type SessionRecord } from "./session.ts";
import { type AccessClaims, readAccessToken } from "./session-token.ts";
import { groupProjects, type Membership, type User } from "./user.ts";

/** What is stored about somebody who is signed in; a part that is not there is absent. */
interface SignedIn {
  user?: User;
  session?: SessionRecord;
  membership?: Membership;
  organization?: Organization;
}

/** The store, as far as a call with a session reads it. */
export interface Callers {
  /** Everything that the ids name, in one strongly consistent read. */
  signedIn(claims: AccessClaims): Promise<SignedIn>;
}

export interface IdentifyDeps {
  keys: ReadKeys;
  callers: Callers;
  now: () => number;
  /**
   * Counts a call of a session, or of another caller that may make more calls a minute. Throws `rate_limited` where it makes
   * too many. Absent: nobody counts.
   */
  pace?: (caller: string, callsAMinuteMax?: number) => Promise<void>;
}

/**
 * The caller of a request. Throws `not_authenticated` without a bearer token. Throws `session_expired` where the token
 * is not good, the session has ended, the user is no member of the organization any more, or the session may not open
 * it (`mayOpen`). Throws `login_frozen` for a frozen user, and what `pace` throws. A frozen organization is let in: what
 * it may not do, the operations refuse.
 */
export async function identify(
  { headers }: { headers: Record<string, string | undefined> },
  deps: IdentifyDeps,
): Promise<Caller> {
  const claims = await readAccessToken(bearerOf(headers.authorization), deps.now(), deps.keys);
  const [{ user, session, membership, organization }] = await Promise.all([
    deps.callers.signedIn(claims),
    deps.pace?.(claims.session),
  ]);
  if (!user || !session || !isOpen(session, deps.now())) throw new GatewayError("session_expired");
  if (user.status === "frozen") throw new GatewayError("login_frozen");
  if (!membership || !organization) {
    const message = "You are not a member of this organization any more.";
    throw new GatewayError("session_expired", { message });
  }
  if (!mayOpen(session, organization)) throw signOnRequired();
  const { role, since } = membership;
  return { user, session, organization, role, since, projects: groupProjects(membership, organization) };
}

/** What is said where a session may not open an organization: its people sign in by its own provider, or by a code. */
export function signOnRequired(): GatewayError {
  const message = "This organization is not open to this session. Sign in with its own provider.";
  return new GatewayError("session_expired", { message, reason: "sign_on_required" });
}

function bearerOf(authorization: string | undefined): string {
  const [scheme = "", token = "", ...rest] = authorization?.trim().split(/\s+/) ?? [];
  if (scheme.toLowerCase() === "bearer" && token !== "" && rest.length === 0) return token;
  const message = "No session was given. Send its access token as `Authorization: Bearer <token>`.";
  throw new GatewayError("not_authenticated", { message });
}
