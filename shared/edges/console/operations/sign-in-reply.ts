/** What somebody gets who has signed in: an access token for the page, and a refresh token for the browser. */

import { consoleLimits } from "../../../base/console-limits.ts";
import { jsonReply } from "../../../base/http/message.ts";
import type { Organization } from "../../../books/accounts/account.ts";
import { rfc3339 } from "../../../books/billing/instant.ts";
import { shownContacts } from "../../../people/identity/contact.ts";
import { sessionCookie } from "../../../people/identity/cookie.ts";
import { refreshToken, type SessionRecord } from "../../../people/identity/session.ts";
import { signAccessToken } from "../../../people/identity/session-token.ts";
import type { Role, User } from "../../../people/identity/user.ts";
import type { ConsoleSchema } from "../../openapi/route-types.ts";
import type { SignInDeps } from "./sign-in-deps.ts";

/** A session's tokens: one in the body, one in the cookie. The body names user and organization, for the page. */
export async function tokenReply<const More extends object>(
  { user, id: session, generation }: Pick<SessionRecord, "user" | "id" | "generation">,
  { organization, role }: { organization: string; role: Role },
  body: More,
  deps: Pick<SignInDeps, "keys" | "now">,
) {
  const { current } = await deps.keys();
  const claims = { user, session, organization, role };
  const access_token = await signAccessToken(claims, deps.now(), current);
  const expires_in = consoleLimits.accessTokenSeconds;
  const reply = jsonReply({
    ...{ access_token, token_type: "Bearer", expires_in },
    ...{ user: { id: user }, organization: { id: organization }, ...body },
  });
  const cookie = sessionCookie(refreshToken({ user, session, generation }, current));
  return { ...reply, headers: { ...reply.headers, "set-cookie": cookie } };
}

/** Where somebody works, and as what. */
export interface Workplace {
  organization: Organization;
  role: Role;
}

/** The reply to a sign-in or a sign-up. */
export async function signedInReply(
  user: User,
  session: SessionRecord,
  { place, ...more }: { place: Workplace; invitation_accepted?: boolean },
  deps: Pick<SignInDeps, "keys" | "now">,
) {
  const { organization, role } = place;
  const { id, name, status } = organization;
  const body = { user: userObject(user), organization: { id, name, status, role }, ...more };
  return await tokenReply(session, { organization: id, role }, body, deps);
}

/** A user as the interface shows them to themselves. */
export function userObject(user: User): ConsoleSchema<"User"> {
  const { id, name, locale, created_at } = user;
  return { id, name, locale, ...shownContacts(user), created_at: rfc3339(created_at) };
}
