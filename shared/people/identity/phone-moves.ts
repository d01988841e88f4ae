import type { User } from "./user.ts";

/**
 * What an operator does with the phones of all users when a version of the secret goes (people/identity/README.md "The
 * secret and its versions").
 */
export interface PhoneMoves {
  /** Every user. It reads the whole table. */
  users(): AsyncIterable<User>;
  /**
   * Claims a phone under another name for its user, and replaces its box, in one transaction. False where the user has
   * moved meanwhile. Throws where another user has the name.
   */
  move(user: User, name: string, box: Pick<User, "phone_box" | "phone_version">): Promise<boolean>;
  /** Removes claims by their names, at most 25 at a time. Those that are gone already are no error. */
  forget(names: string[]): Promise<void>;
}
