/** Keys by their organization. */
import type { Aws } from "../../base/platform/aws.ts";
import { isId } from "../../base/platform/id.ts";
import type { KeyRecord } from "../../books/accounts/account.ts";
import { keyOfOrganization, readRecord } from "./dynamodb/item-keys.ts";
import { getItem } from "./dynamodb/items.ts";

/** A key of an organization. What is no id of a key, as a client may give it, need not be looked for. */
export async function ownKey(
  aws: Aws,
  table: string,
  owner: string,
  id: string,
): Promise<KeyRecord | undefined> {
  if (!isId(id, "key")) return undefined;
  return readRecord<KeyRecord>(await getItem(aws, table, keyOfOrganization(owner, id)));
}
