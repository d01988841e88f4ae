/** The record of an organization. */
import type { Aws } from "../../base/platform/aws.ts";
import type { Organization } from "../../books/accounts/account.ts";
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
