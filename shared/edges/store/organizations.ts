/** The record of an organization. */
import type { Aws } from "../../base/platform/aws.ts";
import type { Organization } from "../../books/accounts/account.ts";
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

/** What an organization's record has rows of: of its levels, or of providers. */
type RowsName = "budgets" | "policies" | "provider_keys";
type Rows<Name extends RowsName> = NonNullable<Organization[Name]>;

/** The change that replaces the rows of an organization's levels if they are still as `before` says. */
export function rowsChange<Name extends RowsName>(
  table: string,
  id: string,
  name: Name,
  { before, after }: { before: Rows<Name> | undefined; after: Rows<Name> },
): Change {
  const when = [exists("pk"), rowsAre(name, before)];
  return { table, key: organizationKey(id), set: toItem({ [name]: after }), when };
}

/** That the rows of an organization's levels are still as they were read. */
export function rowsAre<Name extends RowsName>(name: Name, before: Rows<Name> | undefined): Condition {
  return before === undefined ? absent(name) : equals(name, toAttribute(before));
}
