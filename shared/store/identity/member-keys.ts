/** Members' keys on DynamoDB: the records of the keys, and the audit log in another table, in one transaction. */
import type { MemberKeys } from "../../identity/member-keys.ts";
import type { Aws } from "../../platform/aws.ts";
import { endKey } from "../accounts.ts";
import type { Tables } from "../dynamodb/item-keys.ts";
import { storeKey } from "../key-hashes.ts";
import { auditWrite } from "./audit.ts";

/** The keys of these tables. */
export function createMemberKeys(
  aws: Aws,
  tables: Pick<Tables, "accounts" | "keys" | "counters">,
): MemberKeys {
  return {
    create: async (key, more, entry) =>
      await storeKey(aws, tables.keys, key, more, [auditWrite(tables, entry)]),
    revoke: async (organization, id, at, entryOf) =>
      await endKey(aws, tables, { organization, id, at }, (key) => [auditWrite(tables, entryOf(key))]),
  };
}
