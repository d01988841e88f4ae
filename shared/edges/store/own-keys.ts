/** Keys by their organization: one is read, and its defaults are replaced in both of its records. */
import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type { Aws } from "../../base/platform/aws.ts";
import { isId } from "../../base/platform/id.ts";
import type { KeyRecord } from "../../books/accounts/account.ts";
import type { KeyDefaults } from "../../books/accounts/key-defaults.ts";
import { toAttribute, toItem } from "./dynamodb/attributes.ts";
import { absent, equals } from "./dynamodb/expressions.ts";
import { keyByHash, keyOfOrganization, readRecord } from "./dynamodb/item-keys.ts";
import { getItem } from "./dynamodb/items.ts";
import { transact, update } from "./dynamodb/transaction.ts";

/** A key is changed by a person, and moves to another hash once in its life. */
const attemptsMax = 5;

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

/** Replaces a key's defaults, with the writes of `also`. Begins anew where the key was changed or moved meanwhile. */
export async function changeKey(
  aws: Aws,
  table: string,
  { organization, id, defaults }: { organization: string; id: string; defaults: KeyDefaults | undefined },
  also: (key: KeyRecord) => TransactWriteItem[] = () => [],
): Promise<KeyRecord | undefined> {
  const change = defaults ? { set: toItem({ defaults }) } : { remove: ["defaults"] };
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const before = await ownKey(aws, table, organization, id);
    if (!before || before.status === "revoked") return undefined;
    const { hash, defaults: was } = before;
    const when = [
      equals("hash", toAttribute(hash)),
      equals("status", toAttribute("active")),
      was ? equals("defaults", toAttribute(was)) : absent("defaults"),
    ];
    const records = [keyByHash(hash), keyOfOrganization(organization, id)];
    const writes = records.map((key) => update({ table, key, ...change, when }));
    if (!(await transact(aws, [...writes, ...also(before)]))) return before;
  }
  throw new Error(`the key ${id} is changed by others again and again`);
}
