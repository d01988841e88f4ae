import type { User } from "./user.ts";

/** What an operator changes of users. */
export interface UserStatuses {
  /** Freezes or unfreezes a user, and gives the user then; undefined for an unknown one. */
  set(user: string, status: User["status"]): Promise<User | undefined>;
}
