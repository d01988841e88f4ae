/** Somebody who comes in by their provider: what is written then (README.md "Who somebody is"). */
import { createHash } from "node:crypto";
import type { AuditEntry } from "../identity/audit.ts";
import type { SessionRecord } from "../identity/session.ts";
import type { Membership, User } from "../identity/user.ts";
import type { GivenRole, LinkedPerson, SignOnConnection } from "./connection.ts";

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

/** A name of the organization's directory that a user takes, and whose it was, as it was read. */
export interface TakenName {
  name: string;
  from: string | undefined;
}

/** What lets a person in. All of it is written, or nothing. */
export interface SignOnEntrance {
  /** The user, where the person has none yet. */
  user?: User;
  /** The person's place at the provider, where no user has it yet. */
  person?: LinkedPerson;
  /** The membership, where the user has none. */
  membership?: Membership;
  /** Another role, by the groups of the person. */
  change?: { before: Membership; role: GivenRole };
  /** Whom SCIM has provisioned must still be so, and is noted as signed in by this issuer. */
  provisioned?: { person: Provisioned; issuer: string };
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
