/** The status of users on DynamoDB. Signing in and every call of a session read it. */

import type { Aws } from "../../../base/platform/aws.ts";
import type { User } from "../../../people/identity/user.ts";
import type { UserStatuses } from "../../../people/identity/users-port.ts";
import { userKey } from "../dynamodb/account-keys.ts";
import { toItem } from "../dynamodb/attributes.ts";
import { exists } from "../dynamodb/expressions.ts";
import { readRecord, type TableNames } from "../dynamodb/item-keys.ts";
import { updateItem } from "../dynamodb/items.ts";

/** The statuses of the users in a table of accounts. */
export function createUserStatuses(
  aws: Aws,
  { accounts: table }: Pick<TableNames, "accounts">,
): UserStatuses {
  return {
    async set(user, status) {
      const change = { table, key: userKey(user), set: toItem({ status }), when: [exists("pk")] };
      const { done, item } = await updateItem(aws, change);
      return done ? readRecord<User>(item) : undefined;
    },
  };
}
