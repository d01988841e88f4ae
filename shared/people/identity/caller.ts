/** Who calls with a session, and what they may do. */
import type { Organization } from "../../books/accounts/account.ts";
import type { Role, Session, User } from "./user.ts";

/** Somebody who is signed in, as one organization's member. Everything was read for this call. */
export interface Caller {
  user: User;
  session: Session;
  /** The organization that the access token names. */
  organization: Organization;
  role: Role;
  /** Since when they are a member of it, Unix milliseconds. */
  since: number;
  /** The handles of projects of which their groups make them a member. */
  projects: readonly string[];
}
