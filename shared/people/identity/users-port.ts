/** The store of users and of what signs them in. Every read is strongly consistent. */
import type { ContactFields, ContactKind } from "./contact.ts";
import type { Joining } from "./invitation.ts";
import type { SessionRecord } from "./session.ts";
import type { Membership, User } from "./user.ts";

export interface UserWithMemberships {
  user: User;
  memberships: Membership[];
}

/** A code that is right, and is spent by what it is used for. */
export interface RightCode {
  name: string;
  /** The hash that the guess was compared with. */
  code: string;
}

/** What lets a user in. All of it is written, or nothing. */
interface Entrance {
  session: SessionRecord;
  /** The membership in an organization of their own, for a user who is in none. */
  own?: Membership;
  /** The membership that an invitation leads to. */
  joining?: Joining;
}

/** What a sign-up makes in one transaction. */
export interface NewUser extends Entrance {
  user: User;
  /** The names of the contact under all versions in use. */
  names: string[];
}

/** What a sign-in changes in one transaction. */
export interface NewSession extends Entrance {
  /** A name of the contact that its user has not claimed yet. */
  unclaimed?: string;
  /** The contact in its box under the current version, where the stored one is under another. */
  box?: ContactFields;
}

export interface Users {
  /** Who has claimed a contact, by each of its names. */
  claims(names: string[]): Promise<(string | undefined)[]>;
  read(user: string): Promise<UserWithMemberships | undefined>;
  /**
   * `taken`: the contact has a user. `spent`: the code was used meanwhile. `uninvited`: the invitation or its inviter has
   * changed. `contended`: others wrote the same at that moment. None of them has written anything.
   */
  signUp(
    wanted: NewUser,
    code: RightCode,
    at: number,
  ): Promise<"done" | "taken" | "spent" | "uninvited" | "contended">;
  /** As `signUp`, for a contact that has a user. */
  signIn(
    wanted: NewSession,
    code: RightCode,
    at: number,
  ): Promise<"done" | "spent" | "uninvited" | "contended">;
  /** Changes what a user says of themselves, and gives the user then. Undefined for an unknown one. */
  change(user: string, changes: Partial<Pick<User, "name" | "locale">>): Promise<User | undefined>;
}

/** A contact that a user adds or removes, by its names under all versions in use. */
interface ContactChange {
  user: string;
  kind: ContactKind;
  names: string[];
}

/** The contacts of a user, as they come and go. */
export interface UserContacts {
  /**
   * Adds a contact. `taken`: another user has it. `there`: the user has one of that kind. `spent`, `contended`: as of
   * `signUp`. None of them has written anything.
   */
  addContact(
    wanted: ContactChange & { added: ContactFields },
    code: RightCode,
    at: number,
  ): Promise<"done" | "taken" | "there" | "spent" | "contended">;
  /** Removes a contact, and gives up its claims. `last`: the user would have none. Then nothing was written. */
  removeContact(wanted: ContactChange, at: number): Promise<"done" | "last" | "contended">;
}

/** What an operator changes of users. */
export interface UserStatuses {
  /** Freezes or unfreezes a user, and gives the user then; undefined for an unknown one. */
  set(user: string, status: User["status"]): Promise<User | undefined>;
}
