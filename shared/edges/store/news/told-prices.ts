/** What organizations were told of prices that will change, on DynamoDB: an item for each that a look was at. */
import type { Aws } from "../../../base/platform/aws.ts";
import type { ToldPrices, ToldPricesStore } from "../../../people/news/told-prices.ts";
import { toldPricesKey } from "../dynamodb/account-keys.ts";
import { toItem } from "../dynamodb/attributes.ts";
import { hasRevision } from "../dynamodb/expressions.ts";
import { readRecord, type TableNames } from "../dynamodb/item-keys.ts";
import { getItem } from "../dynamodb/items.ts";
import { unlessContended, update } from "../dynamodb/transaction.ts";
import { auditWrite } from "../identity/audit.ts";

/** What was told, in a table of accounts, whose log has the lines. */
export function createToldPrices(aws: Aws, tables: Pick<TableNames, "accounts">): ToldPricesStore {
  const { accounts: table } = tables;
  return {
    async of(organization) {
      const kept = readRecord<Omit<ToldPrices, "organization">>(
        await getItem(aws, table, toldPricesKey(organization)),
      );
      return { organization, revision: 0, look: "", told: [], ...kept };
    },

    async change({ organization, revision }, { look, told }, lines) {
      const changed = update({
        table,
        key: toldPricesKey(organization),
        set: toItem({ look, told: [...told], revision: revision + 1 }),
        when: [hasRevision(revision)],
      });
      const writes = lines.map((line) => auditWrite(tables, line));
      return (await unlessContended(aws, [changed, ...writes])) === null;
    },
  };
}
