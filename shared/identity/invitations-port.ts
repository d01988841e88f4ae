import type { Membership, User } from "./user.ts";

/** What signing up and in need of the invitations. */
export interface InvitationsPort {
  /**
   * Throws a `GatewayError` where somebody with this phone (E.164) could not accept the invitation of a token: it is
   * unknown, used, too old, or made for another phone. It changes nothing.
   */
  check(token: string, phone: string): Promise<void>;
  /**
   * Makes the user a member by an invitation's token, and gives the membership. Doing it again gives the same. `ip` is
   * the address that the request came from, for the audit log. Throws like `check`.
   */
  accept(token: string, user: User, ip: string): Promise<Membership>;
}
