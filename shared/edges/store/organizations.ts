/** The record of an organization. */
import type { Aws } from "../../base/platform/aws.ts";
import type { Organization } from "../../books/accounts/account.ts";
import type { RowsChange, RowsName } from "../../books/accounts/rows.ts";
import { toAttribute, toItem } from "./dynamodb/attributes.ts";
import { absent, type Change, type Condition, equals, exists } from "./dynamodb/expressions.ts";
import { organizationKey, readRecord } from "./dynamodb/item-keys.ts";
import { getItem } from "./dynamodb/items.ts";

/** Reads it, strongly consistent, from a table of keys; undefined where there is none. */
export async function findOrganization(
  aws: Aws,
  table: string,
  id: string,
): Promise<Organization | undefined> {
  return readRecord<Organization>(await getItem(aws, table, organizationKey(id)));
}

/** The change that replaces rows of an organization if they are still as `before` says. */
export function rowsChange<Name extends RowsName>(
  table: string,
  id: string,
  name: Name,
  { before, after }: RowsChange<Organization[Name]>,
): Change {
  const when = [exists("pk"), rowsAre(name, before)];
  return { table, key: organizationKey(id), set: toItem({ [name]: after }), when };
}

/** That rows of an organization are still as they were read. */
export function rowsAre<Name extends RowsName | "budgets">(
  name: Name,
  before: Organization[Name],
): Condition {
  return before === undefined ? absent(name) : equals(name, toAttribute(before));
}
