import type { ContactFields, ContactKind } from "./contact.ts";
import type { User } from "./user.ts";

/** What an operator does with contacts when a version goes (people/identity/README.md "The secret and its versions"). */
export interface ContactMoves {
  /** Every user. It reads the whole table. */
  users(): AsyncIterable<User>;
  /**
   * Moves a user's contact to another name and box at once. False: it has moved, or is gone. Throws where another user
   * has the name.
   */
  move(user: User, kind: ContactKind, name: string, box: ContactFields): Promise<boolean>;
  /** Removes claims by their names, at most 25 at a time. Those that are gone already are no error. */
  forget(names: string[]): Promise<void>;
}
