/** Keys as anybody makes and ends them, each with its line of the audit log (members.md "Who made a key"). */
import type { ChangedKey, KeyChange, KeyRecord, KeyRefusal, NewKey } from "../../books/accounts/account.ts";
import type { AuditEntry } from "./audit.ts";
import type { DeviceRequest } from "./device.ts";
import type { Role } from "./user.ts";

/** The store of keys whose changes leave lines. */
export interface AuditedKeys {
  /**
   * As `Accounts.createKey`. `maker`: the key that makes it is revoked, or its person may not make it any more. The key of
   * a program uses its request up: `maker` also where that is used, or the person is frozen.
   */
  create(
    key: KeyRecord,
    more: NewKey,
    entry: AuditEntry,
    request?: Pick<DeviceRequest, "id" | "user_code">,
  ): Promise<KeyRefusal | undefined>;
  /** As `Accounts.changeKey`. `entryOf` makes the line of the change. */
  change(
    organization: string,
    id: string,
    change: KeyChange,
    entryOf: (changed: ChangedKey) => AuditEntry,
  ): Promise<ChangedKey | undefined>;
  /** As `Accounts.revokeKey` for many keys, each with its line. If it rejects, a repetition revokes the rest. */
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
