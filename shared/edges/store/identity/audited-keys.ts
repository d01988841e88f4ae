/** Keys and their lines on DynamoDB: the records of the keys, and the audit log in another table, in one transaction. */
import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type { Aws } from "../../../base/platform/aws.ts";
import type { KeyRecord } from "../../../books/accounts/account.ts";
import { personOf } from "../../../books/accounts/key-state.ts";
import type { AuditedKeys } from "../../../people/identity/audited-keys.ts";
import type { DeviceRequest } from "../../../people/identity/device.ts";
import { rolesWith } from "../../../people/identity/roles.ts";
import { emptying } from "../accounts.ts";
import { membershipKey, userKey } from "../dynamodb/account-keys.ts";
import { toAttribute } from "../dynamodb/attributes.ts";
import { equals, isAmong } from "../dynamodb/expressions.ts";
import { keyOfOrganization, type TableNames } from "../dynamodb/item-keys.ts";
import { getItem } from "../dynamodb/items.ts";
import { check, transact, update } from "../dynamodb/transaction.ts";
import { storeKey } from "../key-hashes.ts";
import { changeKey, endKeys } from "../key-revisions.ts";
import { auditWrite } from "./audit.ts";
import { useDevice } from "./devices.ts";
import { membershipOf } from "./membership.ts";

type KeyTables = Pick<TableNames, "accounts" | "keys" | "counters">;

/** The keys of these tables. */
export function createAuditedKeys(aws: Aws, tables: KeyTables): AuditedKeys {
  return {
    create: async (key, more, entry, request) =>
      await storeKey(aws, tables.keys, key, more, {
        lines: [auditWrite(tables, entry)],
        checks: [...makerChecks(tables, key), ...(request ? programChecks(tables, key, request) : [])],
      }),
    change: async (organization, id, change, entryOf) =>
      await changeKey(aws, tables, { organization, id, change }, (changed) => [
        auditWrite(tables, entryOf(changed)),
      ]),
    revoke: async (organization, ids, at, entryOf) =>
      await endKeys(aws, tables, { organization, ids, at }, (key) => [auditWrite(tables, entryOf(key))]),
    async emptyCache(organization, entry) {
      const emptied = update(emptying(tables.keys, organization));
      if (await transact(aws, [emptied, auditWrite(tables, entry)]))
        throw new Error(`the organization ${organization} is missing`);
    },
    // The gateway may read what lies under a user, and nothing else of people.
    roleOf: async (organization, user) =>
      membershipOf(await getItem(aws, tables.accounts, membershipKey(user, organization)))?.role,
  };
}

/** The making key is not revoked, and the person at the root has their role. So who is removed leaves no key behind. */
function makerChecks({ accounts, keys }: KeyTables, key: KeyRecord): TransactWriteItem[] {
  const checks: TransactWriteItem[] = [];
  const { organization, parent, permissions } = key;
  if (parent !== undefined) {
    const isActive = equals("status", toAttribute("active"));
    checks.push(check(keys, keyOfOrganization(organization, parent), [isActive]));
  }
  const person = personOf(key);
  if (person !== undefined) {
    const needsAll = parent !== undefined || permissions.includes("manage_keys");
    const may = rolesWith(needsAll ? "manage_all_keys" : "manage_own_keys").map((role) => toAttribute(role));
    checks.push(check(accounts, membershipKey(person, organization), [isAmong("role", may)]));
  }
  return checks;
}

/** The request is approved and not used, and the person is not frozen. So who is frozen leaves no program behind. */
function programChecks(
  { accounts }: KeyTables,
  { created_by = "" }: KeyRecord,
  request: Pick<DeviceRequest, "id" | "user_code">,
): TransactWriteItem[] {
  const isActive = equals("status", toAttribute("active"));
  return [useDevice(accounts, request), check(accounts, userKey(created_by), [isActive])];
}
