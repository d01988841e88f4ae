/** Invitations into organizations (members.md "Invitations"). A token is shown once; only its hash is stored. */
import { createHmac, randomBytes } from "node:crypto";
import type { AuditEntry } from "./audit.ts";
import { type Contact, type ContactKind, contactName, contactsOf, openContact, shownOf } from "./contact.ts";
import { type IdentityKeys, type KeyVersions, keysOfVersion, type ReadKeys } from "./identity-keys.ts";
import type { RoleHeld } from "./members.ts";
import type { Membership, Role, User } from "./user.ts";

/** The contact that an invitation is for: its hash under one version of the accounts' secret. */
interface InvitedContact {
  /** Absent: a phone. */
  kind?: ContactKind;
  hash: string;
  version: number;
  /** What may be shown of it: of a phone, its last four digits. */
  last_four: string;
}

export interface Invitation {
  id: string;
  organization: string;
  role: Role;
  /**
   * Null: whoever has the token may accept. An address stands here too: a release that knows phones alone then finds
   * that it is nobody's phone.
   */
  phone: InvitedContact | null;
  /** The hash of the token. */
  token: string;
  /** The user who invites. */
  inviter: string;
  /** Unix milliseconds. */
  created_at: number;
  ends_at: number;
  accepted_by: string | null;
  withdrawn_at: number | null;
}

/** The contact that an inviter wrote, as its invitation keeps it. */
export function invitedContact(contact: Contact, { current }: KeyVersions): InvitedContact {
  const { kind } = contact;
  const known = {
    hash: contactName(contact, current),
    version: current.version,
    last_four: shownOf(contact),
  };
  return kind === "phone" ? known : { kind, ...known };
}

/** Whether a user has the invited contact. They have not where the secret's version is gone: nobody can tell. */
export async function isInvited(
  user: User,
  { kind = "phone", hash, version }: InvitedContact,
  readKeys: ReadKeys,
): Promise<boolean> {
  const kept = contactsOf(user).find((each) => each.kind === kind);
  const keys = await keysOfVersion(version, readKeys);
  if (!kept || !keys) return false;
  return contactName(await openContact(user.id, kept, readKeys), keys) === hash;
}

/** A new token: 256 random bits. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** The hash of a token under one version of the accounts' secret, hex. */
export function tokenHash({ invitations }: Pick<IdentityKeys, "invitations">, token: string): string {
  return createHmac("sha256", invitations).update(token).digest("hex");
}

/** Whether an invitation waits for somebody at `now`, Unix milliseconds. */
export function isOpen({ accepted_by, withdrawn_at, ends_at }: Invitation, now: number): boolean {
  return accepted_by === null && withdrawn_at === null && ends_at > now;
}

/** A new membership by an invitation, as one transaction writes it. */
export interface Joining {
  invitation: Invitation;
  membership: Membership;
  /** The role that the inviter must still have. */
  holding: RoleHeld;
  entry: AuditEntry;
  /** The organization's provider provisions people: then whom it has deactivated does not become a member. */
  isProvisioning: boolean;
}

/** The store of invitations. Every read is strongly consistent. */
export interface Invitations {
  /** Stores it with its line of the audit log. `full`: too many are open. `changed`: the inviter's role, or a race was lost. */
  create(invitation: Invitation, holding: RoleHeld, entry: AuditEntry): Promise<"done" | "full" | "changed">;
  byToken(hash: string): Promise<Invitation | undefined>;
  byId(organization: string, id: string): Promise<Invitation | undefined>;
  /** The invitations that wait at `now`, the oldest first. It reads no others, so its cost has a bound. */
  open(organization: string, now: number): Promise<Invitation[]>;
  /** Withdraws an open invitation. False if it is not open any more, or others wrote the same: then nothing was written. */
  withdraw(invitation: Invitation, entry: AuditEntry): Promise<boolean>;
  /**
   * Makes the membership and uses the invitation up, in one transaction with the line of the audit log. False if the
   * invitation is not open at `membership.since`, the membership exists, the inviter's role is not `holding`, or the
   * inviter is frozen. False too where others wrote the same at that moment. Then nothing was written.
   */
  accept(joining: Joining): Promise<boolean>;
}

/** What an invitation leads to, before it is written. */
export interface Acceptance {
  membership: Membership;
  /** What makes the membership and uses the invitation up; absent where the user is a member already. */
  joining?: Joining;
}

/** What signing up and signing in need of the invitations. */
export interface InvitationsPort {
  /**
   * What the invitation of a token would write for a user, who need not be stored yet. `ip` is the address that the
   * request came from, for the audit log. It changes nothing. Throws `not_found` where the invitation is unknown, used,
   * too old or for somebody else. It does so too where its inviter may invite no more.
   */
  prepare(token: string, user: User, ip: string): Promise<Acceptance>;
}
