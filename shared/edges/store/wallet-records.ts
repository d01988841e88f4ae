/** The wallet in the record of its organization, for whoever changes its shards. */
import type { Aws } from "../../base/platform/aws.ts";
import type { Accounts } from "../../books/accounts/account.ts";
import { openedShards } from "../../books/meters/shards.ts";
import { toAttribute, toItem } from "./dynamodb/attributes.ts";
import { equals, exists } from "./dynamodb/expressions.ts";
import { meterKey, organizationKey, type TableNames } from "./dynamodb/item-keys.ts";
import { transact, update } from "./dynamodb/transaction.ts";
import { names } from "./meters/meter-item.ts";
import { findOrganization } from "./organizations.ts";

/** The records of a table of keys, and the first items of their wallets in a table of counters. */
export function createWalletRecords(
  aws: Aws,
  { keys, counters }: Pick<TableNames, "keys" | "counters">,
): Pick<Accounts, "organization" | "setWallet"> {
  return {
    organization: (id) => findOrganization(aws, keys, id),

    async setWallet(id, before, after) {
      const first = {
        [names.opened]: toAttribute(openedShards(after)),
        [names.owner]: toAttribute(id),
      };
      const outcomes = await transact(
        aws,
        [
          {
            table: keys,
            key: organizationKey(id),
            set: toItem({ wallet: after }),
            when: [equals("wallet", toAttribute(before))],
          },
          { table: counters, key: meterKey(after.meter, 0), set: first, when: [exists("kind")] },
        ].map(update),
      );
      return outcomes === null;
    },
  };
}
