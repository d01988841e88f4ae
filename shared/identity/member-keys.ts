/** Keys as members make and end them: each change and its line of the audit log are one transaction. */
import type { KeyRecord, KeyRefusal, NewKey } from "../accounts/account.ts";
import type { AuditEntry } from "./audit.ts";

/** The store of members' keys. */
export interface MemberKeys {
  /** As `Accounts.createKey`. Where the key is not stored, neither is the line. */
  create(key: KeyRecord, more: NewKey, entry: AuditEntry): Promise<KeyRefusal | undefined>;
  /** As `Accounts.revokeKey`. `entryOf` makes the line of the key that is revoked. */
  revoke(
    organization: string,
    id: string,
    at: number,
    entryOf: (key: KeyRecord) => AuditEntry,
  ): Promise<KeyRecord | undefined>;
}
