/** Where a session by a code may work (people/sign-on/README.md "The only way in"). */
import { signOnRequired } from "../../../people/identity/identify.ts";
import { mayOpen, type SessionRecord } from "../../../people/identity/session.ts";
import type { Membership } from "../../../people/identity/user.ts";
import type { SignInDeps } from "./sign-in-deps.ts";
import type { Workplace } from "./sign-in-reply.ts";

/**
 * Where a session by a code may work: at `first`, else in another organization of the user's. Throws `session_expired`
 * where each of them demands its own provider, and ends the session.
 */
export async function openPlace(
  first: Workplace,
  { session, memberships }: { session: SessionRecord; memberships: readonly Membership[] },
  deps: Pick<SignInDeps, "accounts" | "sessions" | "now">,
): Promise<Workplace> {
  if (mayOpen(session, first.organization)) return first;
  for (const { organization: id, role } of memberships) {
    const organization = await deps.accounts.organization(id);
    if (organization && mayOpen(session, organization)) return { organization, role };
  }
  await deps.sessions.end(session.user, session.id, deps.now());
  throw signOnRequired();
}
