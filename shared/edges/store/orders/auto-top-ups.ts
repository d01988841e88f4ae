/** What organizations buy by themselves, on DynamoDB (people/payments/auto-top-up.md "Bounds"). */
import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type { Aws } from "../../../base/platform/aws.ts";
import { type AutoTopUp, topUpMonth } from "../../../people/payments/auto-top-up.ts";
import type { AutoTopUps } from "../../../people/payments/auto-top-ups.ts";
import type { Order } from "../../../people/payments/order.ts";
import { topUpKey, topUpMonthKey } from "../dynamodb/account-keys.ts";
import { toItem } from "../dynamodb/attributes.ts";
import { absent, absentOrAtMost, type Change, type Condition, hasRevision } from "../dynamodb/expressions.ts";
import { readRecord, type TableNames } from "../dynamodb/item-keys.ts";
import { getItem } from "../dynamodb/items.ts";
import { put, unlessContended, update } from "../dynamodb/transaction.ts";
import { auditWrite } from "../identity/audit.ts";
import { openCount, orderWrites } from "./new-order.ts";

/** The settings of a table of accounts. */
export function createAutoTopUps(aws: Aws, tables: Pick<TableNames, "accounts">): AutoTopUps {
  const { accounts: table } = tables;
  return {
    async of(organization) {
      const kept = readRecord<AutoTopUp>(await getItem(aws, table, topUpKey(organization)));
      return kept ?? { organization, revision: 0, is_on: false };
    },

    async used(organization, month, currency) {
      const item = await getItem(aws, table, topUpMonthKey(organization, month, currency));
      return readRecord<{ used: number }>(item)?.used ?? 0;
    },

    async change(before, after, { lines, closed }) {
      const writes = [
        replaced(table, before, after),
        ...(closed ? [update(monthChange(table, closed, -closed.amount))] : []),
        ...lines.map((line) => auditWrite(tables, line)),
      ];
      return (await unlessContended(aws, writes)) === null;
    },

    async order(topUp, order, due_at, line) {
      const room = absentOrAtMost("used", BigInt(topUp.terms.month_max - order.amount));
      const own = orderWrites(table, order, { due_at, claim: undefined });
      const outcomes = await unlessContended(aws, [
        replaced(table, topUp, { ...topUp, order: order.id }, [absent("order")]),
        update({ ...monthChange(table, order, order.amount), when: [room] }),
        update(openCount(table, order)),
        ...own,
        auditWrite(tables, line),
      ]);
      if (outcomes === null) return "created";
      // The next pass looks again.
      if (outcomes === "contended") return "changed";
      const [settings, month, open] = outcomes;
      if (settings?.failed) return "changed";
      if (month?.failed) return "month_full";
      if (open?.failed) return "too_many";
      return "too_often";
    },
  };
}

/** The settings in the place of those that were read. A counter would not keep another process from writing between. */
function replaced(
  table: string,
  { organization, revision }: AutoTopUp,
  after: AutoTopUp,
  when: Condition[] = [],
): TransactWriteItem {
  const item = { ...topUpKey(organization), ...toItem({ ...after, revision: revision + 1 }) };
  return put(table, item, [hasRevision(revision), ...when]);
}

/** An automatic order counts in the month in which it was made. */
function monthChange(table: string, order: Order, amount: number): Change {
  const { organization, currency } = order;
  return { table, key: topUpMonthKey(organization, topUpMonth(order), currency), add: { used: amount } };
}
