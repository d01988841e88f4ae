/** When owners are told that a plan ends, on DynamoDB: an item for each organization that has bought one. */
import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type { Aws } from "../../../base/platform/aws.ts";
import { nextNotice, type PlanEnds } from "../../../people/payments/plan-ends.ts";
import { accountPrefixes, dueKinds, planEndKey } from "../dynamodb/account-keys.ts";
import { type Item, readText } from "../dynamodb/attributes.ts";
import { dueItems, dueText } from "../dynamodb/due.ts";
import { type Change, equals, exists } from "../dynamodb/expressions.ts";
import type { TableNames } from "../dynamodb/item-keys.ts";
import { changeItem } from "../dynamodb/items.ts";
import { unlessContended, update } from "../dynamodb/transaction.ts";
import { auditWrite } from "../identity/audit.ts";

/** The ends of plans in a table of accounts. */
export function createPlanEnds(aws: Aws, { accounts: table }: Pick<TableNames, "accounts">): PlanEnds {
  return {
    async due(now, limit) {
      const items = await dueItems(aws, table, { kind: dueKinds.planEnd, now, limit });
      return items.map(({ pk, due_at }) => ({
        organization: readText(pk).slice(accountPrefixes.organization.length),
        due_at: Number(readText(due_at)),
      }));
    },

    async claim({ organization, due_at }, next, line) {
      const change: Change = {
        table,
        key: planEndKey(organization),
        ...(next === null ? { remove: ["due_kind", "due_at"] } : { set: dueAt(next) }),
        when: [equals("due_at", { S: dueText(due_at) })],
      };
      if (!line) return await changeItem(aws, change);
      return (await unlessContended(aws, [update(change), auditWrite({ accounts: table }, line)])) === null;
    },

    async reschedule(organization, next) {
      // A purchase has made the item, and nothing removes it.
      await changeItem(aws, {
        table,
        key: planEndKey(organization),
        set: dueAt(next),
        when: [exists("pk")],
      });
    },
  };
}

/** What a bought plan writes, so that its owners are told before it ends. */
export function planEndWrites(
  table: string,
  organization: string,
  ends_at: number | null,
  now: number,
): TransactWriteItem[] {
  const next = nextNotice(ends_at, now);
  return next === null ? [] : [update({ table, key: planEndKey(organization), set: dueAt(next) })];
}

function dueAt(at: number): Item {
  return { due_kind: { S: dueKinds.planEnd }, due_at: { S: dueText(at) } };
}
