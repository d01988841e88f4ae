/** Tokens of the operators' API on DynamoDB. No function may write them: the operators' commands alone do. */
import type { Aws } from "../../../base/platform/aws.ts";
import type { AdminToken, AdminTokens } from "../../../people/admin/token.ts";
import { adminTokenKey, adminTokensPartition } from "../dynamodb/account-keys.ts";
import { toItem } from "../dynamodb/attributes.ts";
import { absent, exists } from "../dynamodb/expressions.ts";
import { everything, readRecord, type TableNames } from "../dynamodb/item-keys.ts";
import { changeItem, getItem, itemsBetween, putItem } from "../dynamodb/items.ts";

/** The tokens of a table of accounts. */
export function createAdminTokens(aws: Aws, { accounts: table }: Pick<TableNames, "accounts">): AdminTokens {
  return {
    async read(id) {
      return readRecord<AdminToken>(await getItem(aws, table, adminTokenKey(id)));
    },

    async all() {
      const items = await itemsBetween(aws, table, adminTokensPartition, everything);
      return items.map((item) => readRecord<AdminToken>(item));
    },

    async make(token) {
      await putItem(aws, table, { ...adminTokenKey(token.id), ...toItem(token) }, [absent("pk")]);
    },

    revoke: (id, revoked_at, revoked_by) =>
      changeItem(aws, {
        table,
        key: adminTokenKey(id),
        set: toItem({ revoked_at, revoked_by }),
        when: [exists("pk"), absent("revoked_at")],
      }),
  };
}
