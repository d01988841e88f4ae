/** Closed months on DynamoDB (books/close/README.md). They are written once, and never changed. */
import type { Aws } from "../../base/platform/aws.ts";
import { closeBounds } from "../../books/close/bounds.ts";
import type { MonthCloses } from "../../books/close/closes.ts";
import { type BalanceRow, hashOfRows } from "../../books/close/journal.ts";
import type { ClosedMonth } from "../../books/close/summary.ts";
import {
  closedMonthKey,
  closesPartition,
  lastClosedKey,
  monthBalancesPartition,
  monthBalancesPartKey,
} from "./dynamodb/account-keys.ts";
import { readText, toAttribute, toItem } from "./dynamodb/attributes.ts";
import { absent, equals } from "./dynamodb/expressions.ts";
import { everything, readRecord, type TableNames } from "./dynamodb/item-keys.ts";
import { itemsBetween, putItem } from "./dynamodb/items.ts";
import { put, transact, update } from "./dynamodb/transaction.ts";

/** The closed months in these tables. */
export function createMonthCloses(aws: Aws, { accounts }: Pick<TableNames, "accounts">): MonthCloses {
  return {
    async all() {
      const items = await itemsBetween(aws, accounts, closesPartition, everything);
      return items.map((item) => readRecord<ClosedMonth>(item));
    },

    async balances({ month, balances: { sha256 } }) {
      const partition = monthBalancesPartition(month, sha256);
      const items = await itemsBetween(aws, accounts, partition, everything);
      const rows = items.flatMap((item) => JSON.parse(readText(item.rows)) as BalanceRow[]);
      if (hashOfRows(rows) !== sha256)
        throw new Error(`the balances of ${month} are not as they were closed: restore the table`);
      return rows;
    },

    async write(closed, balances, before) {
      const sha256 = hashOfRows(balances);
      for (const [part, rows] of partsOf(balances).entries()) {
        const key = monthBalancesPartKey({ month: closed.month, sha256 }, part);
        // Their partition is named by what they say, so a close that was broken off has left nothing else there.
        await putItem(aws, accounts, { ...key, rows: toAttribute(JSON.stringify(rows)) }, []);
      }
      const item = { ...closedMonthKey(closed.month), ...toItem(closed) };
      const isLast = before ? equals("month", toAttribute(before.month)) : absent("pk");
      const last = { table: accounts, key: lastClosedKey(), set: toItem({ month: closed.month }) };
      const actions = [put(accounts, item, [absent("pk")]), update({ ...last, when: [isLast] })];
      return (await transact(aws, actions)) === null;
    },
  };
}

function partsOf(rows: readonly BalanceRow[]): BalanceRow[][] {
  const { balancesPerItemMax: most } = closeBounds;
  return Array.from({ length: Math.ceil(rows.length / most) }, (_, part) =>
    rows.slice(part * most, (part + 1) * most),
  );
}
