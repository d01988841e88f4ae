/** What an identity provider has said of an organization's people by SCIM, and where it is kept (README.md). */
import type { AuditEntry } from "../identity/audit.ts";
import type { RoleHeld } from "../identity/members.ts";
import type { Membership, User } from "../identity/user.ts";
import type { GroupsRead, MembershipMove, OwnAddress, Provisioned, TakenName } from "../sign-on/entering.ts";

/** Whether a provider may provision, and by which token. Who was provisioned stays when the token is gone. */
export interface Directory {
  organization: string;
  /** Null: nobody may. */
  token: DirectoryToken | null;
  /** When the provider called last, Unix milliseconds, to the minute. */
  called_at: number | null;
  /** How many people it has provisioned. */
  people: number;
  /** The claim of a sign-in that is the person's `externalId`. Null: a verified address finds the person. */
  external_id_claim: string | null;
}

export interface DirectoryToken {
  id: string;
  /** SHA-256 of its secret, hex. */
  hash: string;
  /** Unix milliseconds. */
  made_at: number;
}

export interface DirectoryEmail {
  value: string;
  type: string | null;
  primary: boolean;
}

/** Somebody whom the provider has provisioned. The user's id is the person's in SCIM too. */
export interface DirectoryPerson extends Provisioned {
  user_name: string;
  external_id: string | null;
  display_name: string | null;
  formatted: string | null;
  given_name: string | null;
  family_name: string | null;
  emails: DirectoryEmail[];
  active: boolean;
  /** Ids of groups. One that is gone counts for nothing. */
  groups: string[];
  /** SCIM has made the user. Else somebody who was there before was found. */
  made: boolean;
  /** When an owner released their sign-in, Unix milliseconds: no place at the provider from before counts. Absent: never. */
  released_at?: number;
  /** Unix milliseconds. */
  created_at: number;
  changed_at: number;
}

/** What is left of somebody whom SCIM has deleted, for as long as their record is kept. */
export type GonePerson = Pick<DirectoryPerson, "external_id" | "released_at">;

export interface DirectoryGroup {
  id: string;
  name: string;
  external_id: string | null;
  /** Unix milliseconds. */
  created_at: number;
  changed_at: number;
}

/** All groups of an organization, in one record: whoever computes a role needs their names. */
export interface DirectoryGroups extends GroupsRead {
  list: DirectoryGroup[];
}

/** What becomes of the membership of a person. */
export type Standing =
  | { is: "joined"; membership: Membership }
  | ({ is: "changed" } & MembershipMove)
  | { is: "over"; before: Membership };

/** A change of a person, which is written whole or not at all. */
export interface PersonChange {
  organization: string;
  before?: DirectoryPerson;
  /** Absent: the person is gone. */
  after?: DirectoryPerson;
  /** The user that is made with the person. */
  user?: User;
  /** What a user is called from now on. */
  called?: { user: string; name: string };
  taken: TakenName[];
  /** Names that the person gives up. */
  freed: string[];
  standing?: Standing;
  /** The address that has found a member. It must be theirs still. */
  own?: OwnAddress;
  /** The role of a member whom SCIM names, and who keeps it. It must be as it was read. */
  holding?: RoleHeld;
  /** The groups that the role follows from. They must be as they were read. */
  groups?: GroupsRead;
  entries: AuditEntry[];
}

/** The store of directories. Every read is strongly consistent. */
export interface Directories {
  read(organization: string): Promise<Directory>;
  /** Gives a token, or takes it away. False where the stored one is not `before`. */
  setToken(
    organization: string,
    change: { before: DirectoryToken | null; token: DirectoryToken | null },
    entry: AuditEntry,
  ): Promise<boolean>;
  /** Sets the claim that finds people. False where it is not as it was read. */
  setClaim(directory: Directory, claim: string | null, entry: AuditEntry): Promise<boolean>;
  /** Notes a call of a token at `at`, Unix milliseconds. */
  called(organization: string, token: string, at: number): Promise<void>;
  groups(organization: string): Promise<DirectoryGroups>;
  /** False where the groups are not as they were read. */
  changeGroups(before: DirectoryGroups, list: DirectoryGroup[], entry: AuditEntry): Promise<boolean>;
  person(organization: string, user: string): Promise<DirectoryPerson | undefined>;
  /** Somebody who was deleted; undefined where no record is kept. */
  gone(organization: string, user: string): Promise<GonePerson | undefined>;
  /** All people in the order of their ids. */
  people(organization: string): AsyncIterable<DirectoryPerson>;
  /** The user who has a name in this organization. */
  holder(organization: string, name: string): Promise<string | undefined>;
  /** Releases the sign-in of a person at `entry.at`. False where they are not as they were read. */
  release(person: DirectoryPerson, entry: AuditEntry): Promise<boolean>;
  /**
   * `changed`: something is not as it was read. `full`: there is no room for another person, or the token that asked has
   * ended. Then nothing was written.
   */
  change(change: PersonChange, token: string): Promise<"done" | "changed" | "full">;
}

/** The groups of a person that are there. */
export function groupsOf(
  { groups }: Pick<DirectoryPerson, "groups">,
  { list }: Pick<DirectoryGroups, "list">,
): DirectoryGroup[] {
  const theirs = new Set(groups);
  return list.filter(({ id }) => theirs.has(id));
}
