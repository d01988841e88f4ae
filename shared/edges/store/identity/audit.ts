/** The audit log on DynamoDB: a partition for each organization, in order of time. Nothing here changes an entry. */
import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import { consoleLimits } from "../../../base/console-limits.ts";
import type { Aws } from "../../../base/platform/aws.ts";
import { type AuditEntry, type AuditLog, isBilling } from "../../../people/identity/audit.ts";
import { isMailed } from "../../../people/news/mail-kinds.ts";
import { auditKey, auditRange, dueKinds } from "../dynamodb/account-keys.ts";
import { type Item, toItem } from "../dynamodb/attributes.ts";
import { dueText, unmarked } from "../dynamodb/due.ts";
import { absent } from "../dynamodb/expressions.ts";
import { hashed, readHash } from "../dynamodb/item-hash.ts";
import { readRecord, type TableNames } from "../dynamodb/item-keys.ts";
import { eachBefore, putItem } from "../dynamodb/items.ts";
import { put } from "../dynamodb/transaction.ts";

/** The write of an entry, as part of the transaction that makes the change. */
export function auditWrite({ accounts }: Pick<TableNames, "accounts">, entry: AuditEntry): TransactWriteItem {
  return put(accounts, auditItem(entry), [absent("pk")]);
}

/** The log of a table of accounts. */
export function createAuditLog(aws: Aws, { accounts }: Pick<TableNames, "accounts">): AuditLog {
  return {
    async write(entry) {
      await putItem(aws, accounts, auditItem(entry), [absent("pk")]);
    },

    async entries(organization, { limit, after, billing = false }) {
      const { pk, ...range } = auditRange(organization, after);
      const entries: AuditEntry[] = [];
      let read = 0;
      let seen: string | null = null;
      for await (const item of eachBefore(aws, accounts, pk, range, limit + 1)) {
        const entry = readRecord<AuditEntry>(unmarked(readHash(item).item));
        if (entry.id === after) continue;
        if (entries.length === limit || read === consoleLimits.auditReadsMax)
          return { entries, more: true, last: seen };
        read += 1;
        seen = entry.id;
        if (!billing || isBilling(entry.kind)) entries.push(entry);
      }
      return { entries, more: false, last: seen };
    },
  };
}

function auditItem(entry: AuditEntry): Item {
  const { organization, id, kind, at } = entry;
  // The mark is written with the line and stays, so the hash is of both.
  const due_kind = { S: isMailed(kind) ? dueKinds.line : dueKinds.quietLine };
  return hashed({ ...auditKey(organization, id), ...toItem(entry), due_kind, due_at: { S: dueText(at) } })
    .item;
}
