/** The end of what somebody has by their organization's provider (people/sign-on/README.md "When it ends"). */
import { consoleLimits } from "../../../base/console-limits.ts";
import type { MemberKeyDeps } from "./organization-keys.ts";
import { type EndingBy, endKeysOf } from "./organization-member-keys.ts";
import type { SignInDeps } from "./sign-in-deps.ts";

type ProviderEndDeps = Pick<MemberKeyDeps, "accounts" | "auditedKeys" | "log" | "now"> &
  Pick<SignInDeps, "sessions">;

/**
 * Ends a user's sessions by the provider of the actor's organization, and the keys that are bound to a member. Whether
 * the membership ends is for whoever asks. A session of a code is for other organizations too, and stays.
 */
export async function endByProvider(by: EndingBy, user: string, deps: ProviderEndDeps): Promise<void> {
  const { id } = by.actor.organization;
  // One that is older is over by its time.
  const from = deps.now() - consoleLimits.signOnSessionSeconds * 1000;
  const all = await Array.fromAsync(deps.sessions.since(user, from));
  const theirs = all.filter(({ sign_on, ended_at }) => sign_on === id && ended_at === null);
  await Promise.all(theirs.map((session) => deps.sessions.end(user, session.id, deps.now())));
  await endKeysOf(by, user, "bound", deps);
}
