/** The phones of all users, for an operator who drops a version of the secret. */

import type { Aws } from "../../../base/platform/aws.ts";
import type { PhoneMoves } from "../../../people/identity/phone-moves.ts";
import type { User } from "../../../people/identity/user.ts";
import { accountPrefixes, phoneKey, userKey } from "../dynamodb/account-keys.ts";
import { toAttribute, toItem } from "../dynamodb/attributes.ts";
import { begins, equals } from "../dynamodb/expressions.ts";
import { readRecord, single, type TableNames } from "../dynamodb/item-keys.ts";
import { eachWhere } from "../dynamodb/items.ts";
import { remove, transact, update } from "../dynamodb/transaction.ts";
import { ownClaim } from "./users.ts";

/** The phones of a table of accounts. */
export function createPhoneMoves(aws: Aws, { accounts: table }: Pick<TableNames, "accounts">): PhoneMoves {
  return {
    async *users() {
      const when = [begins("pk", accountPrefixes.user), equals("sk", { S: single })];
      for await (const item of eachWhere(aws, table, when)) yield readRecord<User>(item);
    },

    async move(user, name, box) {
      const isAsRead = equals("phone_version", toAttribute(user.phone_version));
      const outcomes = await transact(aws, [
        ownClaim(table, name, user.id),
        update({ table, key: userKey(user.id), set: toItem(box), when: [isAsRead] }),
      ]);
      if (outcomes?.[0]?.failed) throw new Error(`another user has the phone of ${user.id}`);
      return outcomes === null;
    },

    async forget(names) {
      if (names.length > 0)
        await transact(
          aws,
          names.map((name) => remove(table, phoneKey(name), [])),
        );
    },
  };
}
