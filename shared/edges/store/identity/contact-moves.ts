/** The contacts of all users, for an operator who drops a version of the secret. */

import type { Aws } from "../../../base/platform/aws.ts";
import { kindOf } from "../../../people/identity/contact.ts";
import type { ContactMoves } from "../../../people/identity/contact-moves.ts";
import type { User } from "../../../people/identity/user.ts";
import { accountPrefixes, contactKey, userKey } from "../dynamodb/account-keys.ts";
import { toAttribute, toItem } from "../dynamodb/attributes.ts";
import { begins, equals } from "../dynamodb/expressions.ts";
import { readRecord, single, type TableNames } from "../dynamodb/item-keys.ts";
import { eachWhere } from "../dynamodb/items.ts";
import { remove, transact, update } from "../dynamodb/transaction.ts";
import { ownClaim } from "./users.ts";

/** The contacts of a table of accounts. */
export function createContactMoves(
  aws: Aws,
  { accounts: table }: Pick<TableNames, "accounts">,
): ContactMoves {
  return {
    async *users() {
      const when = [begins("pk", accountPrefixes.user), equals("sk", { S: single })];
      for await (const item of eachWhere(aws, table, when)) yield readRecord<User>(item);
    },

    async move(user, kind, name, box) {
      const { version } = kindOf[kind].members;
      const isAsRead = equals(version, toAttribute(user[version]));
      const outcomes = await transact(aws, [
        ownClaim(table, name, user.id),
        update({ table, key: userKey(user.id), set: toItem(box), when: [isAsRead] }),
      ]);
      if (outcomes?.[0]?.failed) throw new Error(`another user has the ${kind} of ${user.id}`);
      return outcomes === null;
    },

    async forget(names) {
      if (names.length > 0)
        await transact(
          aws,
          names.map((name) => remove(table, contactKey(name), [])),
        );
    },
  };
}
