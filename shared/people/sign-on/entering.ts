/** Somebody who comes in by their provider: what is written then (README.md "Who somebody is"). */
import { createHash } from "node:crypto";
import type { AuditEntry } from "../identity/audit.ts";
import type { RoleHeld } from "../identity/members.ts";
import type { SessionRecord } from "../identity/session.ts";
import type { Membership, Role, User } from "../identity/user.ts";
import type { LinkedPerson, SignOnConnection } from "./connection.ts";

/** Somebody whom SCIM has provisioned, as far as a sign-on needs them (people/scim/README.md). */
export interface Provisioned {
  /** The user. */
  id: string;
  organization: string;
  /** The issuer that has signed them in. Null: none has. */
  linked_issuer: string | null;
  /** It rises with each change. */
  revision: number;
}

/** All groups of an organization's directory, as they were read. */
export interface GroupsRead {
  organization: string;
  /** 0: nothing is stored. */
  revision: number;
}

/** A name of the organization's directory that a user takes, and whose it was, as it was read. */
export interface TakenName {
  name: string;
  from: string | undefined;
}

/** A user's own address, by the claim that names them (people/identity/contact.ts). */
export interface OwnAddress {
  /** The name of the claim. */
  contact: string;
  user: string;
}

/** Another role of a member, and the projects that groups give from now on. The role must be as it was read. */
export interface MembershipMove {
  before: Membership;
  role: Role;
  projects: readonly string[];
}

/** What lets a person in. All of it is written, or nothing. */
export interface SignOnEntrance {
  /** The user, where the person has none yet. */
  user?: User;
  /** The person's place at the provider, where no user has it yet, or one whose it is no more. */
  person?: LinkedPerson;
  /** Whose the place was, as it was read. */
  replaced?: LinkedPerson;
  /** The membership, where the user has none. */
  membership?: Membership;
  /** Another role, or other projects, by the groups of the person. */
  change?: MembershipMove;
  /** Whom SCIM has provisioned must still be so, and is noted as signed in by this issuer. */
  provisioned?: { person: Provisioned; issuer: string };
  /** The address that has found a member. It must be theirs still, and SCIM must not have named them meanwhile. */
  own?: OwnAddress;
  /** The role of a member whom an address or an external id has found. It must be as it was read: they may become an owner. */
  holding?: RoleHeld;
  /** The groups that the role follows from. They must be as they were read. */
  groups?: GroupsRead;
  /** The address by which SCIM may find the person. */
  named?: TakenName;
  session: SessionRecord;
  entries: AuditEntry[];
}

/** The store of people who sign on. Every read is strongly consistent. */
export interface SignOns {
  /** The user of a person, by `personName`. */
  person(name: string): Promise<LinkedPerson | undefined>;
  /** False where others have written one of these meanwhile: then nothing was written. */
  enter(entrance: SignOnEntrance): Promise<boolean>;
}

/**
 * The name of a person: who they are is a subject of an issuer, within one organization. Another organization with the
 * same issuer knows them as somebody else, so that nobody's provider signs anybody in elsewhere.
 */
export function personName(
  { organization, issuer }: Pick<SignOnConnection, "organization" | "issuer">,
  subject: string,
): string {
  return createHash("sha256")
    .update(JSON.stringify([organization, issuer, subject]))
    .digest("hex");
}
