/** What an invitation adds to the transactions of signing up and in (people/identity/README.md "Signing up"). */
import { consoleLimits } from "../../../base/console-limits.ts";
import { GatewayError, invalidRequest } from "../../../base/errors.ts";
import { type Fields, optionalString } from "../../../base/json/fields.ts";
import { describeError } from "../../../base/platform/log.ts";
import type { Acceptance } from "../../../people/identity/invitation.ts";
import type { User } from "../../../people/identity/user.ts";
import type { SignInDeps } from "./sign-in-deps.ts";

/** The token of the invitation that a request has. Throws `invalid_request` where the console takes none. */
export function readInvitation(
  fields: Fields,
  { invitations }: Pick<SignInDeps, "invitations">,
): string | undefined {
  const invitation = optionalString(fields, "invitation");
  if (invitation !== undefined && !invitations) throw invalidRequest("This console takes no invitations.");
  return invitation;
}

/**
 * A transaction that may use up an invitation. Undefined where that or other writers stopped it: nothing was written.
 */
export type WriteWith<Done> = (entry: Acceptance | undefined) => Promise<Done | undefined>;

/** An invitation as a request has it. Where it is not needed, one that is not good changes nothing. */
interface Invited {
  invitation: string | undefined;
  isNeeded: boolean;
  user: User;
  ip: string;
}

/**
 * Reads all again if the invitation or its inviter has changed. Throws `not_found` for a needed invitation that is not
 * good, and `invalid_state` where others keep writing.
 */
export async function writeInvited<Done>(
  invited: Invited,
  write: WriteWith<Done>,
  deps: Pick<SignInDeps, "invitations" | "log">,
): Promise<Done> {
  for (let attempt = 1; attempt <= consoleLimits.memberAttemptsMax; attempt++) {
    const done = await write(await entryOf(invited, deps));
    if (done) return done;
  }
  const message = "Others changed the same at this moment. Try again: your code is still good.";
  throw new GatewayError("invalid_state", { message, reason: "changed" });
}

/** Where an invitation leads; undefined without one. Throws where it is needed and not good. */
async function entryOf(
  { invitation, isNeeded, user, ip }: Invited,
  { invitations, log }: Pick<SignInDeps, "invitations" | "log">,
): Promise<Acceptance | undefined> {
  if (invitation === undefined || !invitations) return undefined;
  try {
    return await invitations.prepare(invitation, user, ip);
  } catch (error) {
    if (isNeeded) throw error;
    log("warn", "invitation_not_accepted", { user: user.id, error: describeError(error) });
    return undefined;
  }
}
