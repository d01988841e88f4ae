import type { User } from "./user.ts";

/** What an operator does with phones when a version goes (people/identity/README.md "The secret and its versions"). */
export interface PhoneMoves {
  /** Every user. It reads the whole table. */
  users(): AsyncIterable<User>;
  /** Moves a phone to another name and box at once. False: the user has moved. Throws where another user has the name. */
  move(user: User, name: string, box: Pick<User, "phone_box" | "phone_version">): Promise<boolean>;
  /** Removes claims by their names, at most 25 at a time. Those that are gone already are no error. */
  forget(names: string[]): Promise<void>;
}
