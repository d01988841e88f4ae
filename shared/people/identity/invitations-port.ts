import type { Joining } from "./invitation.ts";
import type { Membership, User } from "./user.ts";

/** What an invitation leads to, before it is written. */
export interface Acceptance {
  membership: Membership;
  /** What makes the membership and uses the invitation up; absent where the user is a member already. */
  joining?: Joining;
}

/** What signing up and in need of the invitations. */
export interface InvitationsPort {
  /**
   * What the invitation of a token would write for a user, who need not be stored yet. `ip` is the address that the
   * request came from, for the audit log. It changes nothing. Throws `not_found` where
   * the invitation is unknown, used, too old or for another phone. It does so too where its inviter may invite no more.
   */
  prepare(token: string, user: User, ip: string): Promise<Acceptance>;
}
