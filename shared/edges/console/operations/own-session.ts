/** Which sessions may change how a user signs in, and what is charged without a person. */
import { consoleLimits } from "../../../base/console-limits.ts";
import { GatewayError } from "../../../base/errors.ts";
import { type ConsoleCall, callerOf } from "../call.ts";

/**
 * Refuses a session by which somebody else may make the account theirs: an old one, which may be stolen, and one of an
 * organization's provider, which whoever runs the provider can begin as anybody there.
 */
export function requireOwn(call: ConsoleCall, { now }: { now: () => number }): void {
  const { session } = callerOf(call);
  if (session.sign_on !== undefined) {
    const message = "Sign in by a code first: an organization's provider changes no way in.";
    throw new GatewayError("permission_denied", { message });
  }
  requireRecent(call, { now });
}

/** Refuses an old session, which may be stolen, for what lets its thief spend money or take an account. */
export function requireRecent(call: ConsoleCall, { now }: { now: () => number }): void {
  const { session } = callerOf(call);
  if (now() - session.created_at <= consoleLimits.freshSessionSeconds * 1000) return;
  const minutes = consoleLimits.freshSessionSeconds / 60;
  const message = `Sign in again first: this takes a session that began in the last ${minutes} minutes.`;
  throw new GatewayError("permission_denied", { message, reason: "session_old" });
}
