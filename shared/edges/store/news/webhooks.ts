/** Webhooks on DynamoDB: one item for each organization that has some, which the index of what is due finds. */
import type { Aws } from "../../../base/platform/aws.ts";
import { noWebhooks, type Webhook, type WebhookStore } from "../../../people/news/webhook.ts";
import { accountPrefixes, dueKinds, webhooksKey } from "../dynamodb/account-keys.ts";
import { type Item, readText, toAttribute, toItem } from "../dynamodb/attributes.ts";
import { dueItems, dueText } from "../dynamodb/due.ts";
import { absent, type Condition, either, equals, exists, hasRevision } from "../dynamodb/expressions.ts";
import { readRecord, type TableNames } from "../dynamodb/item-keys.ts";
import { changeItem, getItem } from "../dynamodb/items.ts";
import { unlessContended, update } from "../dynamodb/transaction.ts";
import { auditWrite } from "../identity/audit.ts";

/** What an item holds beside its key and its place in the index. */
interface WebhooksRecord {
  list: Webhook[];
  revision: number;
  told_to: number;
}

/** The instant of those that are not due. They stay in the index, where a rotation of secrets finds them. */
const never = 999_999_999_999_999;

/** The webhooks in a table of accounts. */
export function createWebhooks(aws: Aws, tables: Pick<TableNames, "accounts">): WebhookStore {
  const { accounts: table } = tables;
  return {
    async of(organization) {
      const item = await getItem(aws, table, webhooksKey(organization));
      if (!item) return noWebhooks(organization);
      return { ...noWebhooks(organization), ...keptOf(item) };
    },

    async change({ organization, revision, told_to }, list, line, now) {
      const told = revision === 0 ? now : told_to;
      const changed = update({
        table,
        key: webhooksKey(organization),
        set: {
          ...toItem({ list, revision: revision + 1, told_to: told }),
          // The next run drops what waits for those that are disabled or deleted.
          ...dueAt(now),
        },
        when: [hasRevision(revision)],
      });
      const lines = line ? [auditWrite(tables, line)] : [];
      return (await unlessContended(aws, [changed, ...lines])) === null;
    },

    async due(now, limit) {
      const items = await dueItems(aws, table, { kind: dueKinds.news, now, limit });
      return items.map((item) => ({
        organization: organizationOf(item),
        due_at: Number(readText(item.due_at)),
      }));
    },

    async *all() {
      const limit = 1_000;
      for (let start: Item | undefined; ; ) {
        const found = await dueItems(aws, table, { kind: dueKinds.news, limit, ...(start && { start }) });
        yield* found.map(organizationOf);
        start = found.at(-1);
        if (found.length < limit) return;
      }
    },

    claim: ({ organization, due_at }, next) =>
      changeItem(aws, {
        table,
        key: webhooksKey(organization),
        set: dueAt(next),
        when: [equals("due_at", { S: dueText(due_at) })],
      }),

    async wake(organization, at) {
      const key = webhooksKey(organization);
      await changeItem(aws, { table, key, set: dueAt(at), when: [either(absent("due_at"), isLater(at))] });
    },

    async looked({ organization, list, revision }, told_to, next) {
      const isKept = next !== null || list.length > 0;
      await changeItem(aws, {
        table,
        key: webhooksKey(organization),
        set: { told_to: toAttribute(told_to), ...(isKept && dueAt(next ?? never)) },
        ...(!isKept && { remove: ["due_kind", "due_at"] }),
        // A change makes it due. It must not rest because of what was there before.
        when: [next === null ? hasRevision(revision) : exists("due_kind")],
      });
    },
  };
}

/** What an item has. One that mails alone have made due has no list yet. */
function keptOf(item: Item): Partial<WebhooksRecord> {
  if (!item.list) return {};
  const { list, revision, told_to } = readRecord<WebhooksRecord>(item);
  return { list, revision, told_to };
}

/** It is due later than `at`. Instants are kept as text. */
function isLater(at: number): Condition {
  return (slots) => `${slots.name("due_at")} > ${slots.value({ S: dueText(at) })}`;
}

function organizationOf({ pk }: Item): string {
  return readText(pk).slice(accountPrefixes.organization.length);
}

function dueAt(at: number): Item {
  return { due_kind: { S: dueKinds.news }, due_at: { S: dueText(at) } };
}
