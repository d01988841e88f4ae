/** Verification codes on DynamoDB: one item a contact, which the next code takes over. */
import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import { consoleLimits } from "../../../base/console-limits.ts";
import type { Aws } from "../../../base/platform/aws.ts";
import { type CodeRecord, type Codes, codeKeptMs } from "../../../people/identity/code.ts";
import type { RightCode } from "../../../people/identity/users-port.ts";
import { codeKey } from "../dynamodb/account-keys.ts";
import { type Item, toAttribute, toItem } from "../dynamodb/attributes.ts";
import { above, absent, atLeast, below, type Condition, equals } from "../dynamodb/expressions.ts";
import { readRecord, type TableNames } from "../dynamodb/item-keys.ts";
import { changeItem, getItem, putItem, updateItem } from "../dynamodb/items.ts";
import { update } from "../dynamodb/transaction.ts";

/** The codes of a table of accounts. */
export function createCodes(aws: Aws, { accounts: table }: Pick<TableNames, "accounts">): Codes {
  return {
    async read(name) {
      const item = await getItem(aws, table, codeKey(name));
      return item && recordOf(item);
    },

    async send(name, next, before) {
      // Somebody else may have sent one since. Of two codes of one millisecond the count differs.
      const unchanged = before
        ? [equals("sent_at", toAttribute(before.sent_at)), equals("sent", toAttribute(before.sent))]
        : [absent("pk")];
      // The item must outlive its code, because it counts the others.
      const expires_at = Math.ceil((next.sent_at + codeKeptMs) / 1000);
      const item = { ...codeKey(name), ...toItem({ ...next, expires_at }) };
      return (await putItem(aws, table, item, unchanged)).done;
    },

    async guess(name, at) {
      const { done, item } = await updateItem(aws, {
        table,
        key: codeKey(name),
        add: { tries: 1 },
        when: [below("tries", consoleLimits.codeTriesMax), isRunning(at)],
      });
      if (done) return recordOf(item);
      return item ? "over" : "none";
    },

    async giveBack(name, code) {
      const when = [equals("code", toAttribute(code)), atLeast("tries", 1n)];
      await changeItem(aws, { table, key: codeKey(name), add: { tries: -1 }, when });
    },
  };
}

/** Fails at `at` (Unix ms) where the code is spent, replaced or ended. A spent code no longer counts for its contact. */
export function spendCode(table: string, { name, code }: RightCode, at: number): TransactWriteItem {
  return update({
    table,
    key: codeKey(name),
    set: toItem({ ends_at: 0 }),
    add: { sent: -1 },
    when: [equals("code", toAttribute(code)), isRunning(at)],
  });
}

function isRunning(at: number): Condition {
  return above("ends_at", at);
}

function recordOf(item: Item): CodeRecord {
  const { expires_at: _expiry, ...record } = item;
  return readRecord<CodeRecord>(record);
}
