/**
 * Keys as anybody makes and ends them: each change and its line of the audit log are one transaction (members.md "Who
 * made a key").
 */
import type { KeyRecord, KeyRefusal, NewKey } from "../../books/accounts/account.ts";
import type { KeyDefaults } from "../../books/accounts/key-defaults.ts";
import type { AuditEntry } from "./audit.ts";
import type { Role } from "./user.ts";

/** The store of keys whose changes leave lines. */
export interface AuditedKeys {
  /**
   * As `Accounts.createKey`. Where the key is not stored, neither is the line. It is refused as `maker` where the
   * key that makes it is revoked, or the person whom it descends from may not make it any more.
   */
  create(key: KeyRecord, more: NewKey, entry: AuditEntry): Promise<KeyRefusal | undefined>;
  /** As `Accounts.changeKey`. `entryOf` makes the line of the key, which is given as it was. */
  change(
    organization: string,
    id: string,
    defaults: KeyDefaults | undefined,
    entryOf: (key: KeyRecord) => AuditEntry,
  ): Promise<KeyRecord | undefined>;
  /**
   * As `Accounts.revokeKey`, for any number of keys. `entryOf` makes the line of a key that is revoked. Gives those that
   * were: if it rejects, some may be revoked, each with its line, and a repetition revokes the rest.
   */
  revoke(
    organization: string,
    ids: string[],
    at: number,
    entryOf: (key: KeyRecord) => AuditEntry,
  ): Promise<KeyRecord[]>;
  /** As `Accounts.emptyCache`: what a key that manages keys may change besides. */
  emptyCache(organization: string, entry: AuditEntry): Promise<void>;
  /** The role of a user in an organization; undefined for somebody who is no member. Strongly consistent. */
  roleOf(organization: string, user: string): Promise<Role | undefined>;
}
