/** The members of an organization, as those who manage them need the store (members.md). */
import type { Organization } from "../../books/accounts/account.ts";
import type { OwnKey } from "../../books/accounts/own-key.ts";
import type { LevelPolicy } from "../../books/accounts/policy.ts";
import type { RowsName } from "../../books/accounts/rows.ts";
import type { WalletThreshold } from "../../books/accounts/wallet-threshold.ts";
import type { AuditEntry } from "./audit.ts";
import type { Membership, Role, User } from "./user.ts";

/** A role that somebody must still have when a change is written. */
export type RoleHeld = Pick<Membership, "organization" | "user" | "role">;

/** A change of one membership with its line of the audit log, if it is as it was read and all of `holding` hold. */
export interface MemberChange {
  before: Membership;
  holding: RoleHeld[];
  entry: AuditEntry;
}

/** What is changed of an organization as it was read, with the lines of the audit log about it. */
export interface OrganizationChanges {
  organization: Pick<Organization, "id" | "permissions" | "sign_on_since" | RowsName>;
  name?: string;
  permissions?: Organization["permissions"];
  policies?: LevelPolicy[];
  provider_keys?: OwnKey[];
  wallet_thresholds?: WalletThreshold[];
  sign_on?: Organization["sign_on"];
  entries: AuditEntry[];
}

/** The store of members. Every read is strongly consistent. */
export interface Members {
  membership(organization: string, user: string): Promise<Membership | undefined>;
  /** Members in the order of their ids, from the one behind the user id `after`. */
  list(
    organization: string,
    page: { limit: number; after?: string },
  ): Promise<{ members: Membership[]; more: boolean }>;
  /** How many organizations a user is a member of. */
  count(user: string): Promise<number>;
  /** Those of these users who are there, by their ids. */
  users(ids: string[]): Promise<Map<string, User>>;
  /** Some owner of the organization who is not this user. */
  otherOwner(organization: string, user: string): Promise<string | undefined>;
  /** Gives a member another role. False if a condition failed: then nothing was written. */
  changeRole(change: MemberChange, role: Role): Promise<boolean>;
  /** Replaces which mails a member wants. False if the member has gone, or chose others since `before` was read. */
  changeMails(before: Membership, mails: NonNullable<Membership["mails"]>): Promise<boolean>;
  /** Removes a member. False if a condition failed: then nothing was written. */
  remove(change: MemberChange): Promise<boolean>;
  /** Changes the organization and writes the lines of the audit log. False if it is not as it was read. */
  changeOrganization(changes: OrganizationChanges): Promise<boolean>;
}
