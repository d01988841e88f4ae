/** Deliveries on DynamoDB: an item for each message and target. Only those with an attempt to come are in the index. */
import type { Aws } from "../../../base/platform/aws.ts";
import { firstIdAt } from "../../../base/platform/id.ts";
import type { AuditEntry } from "../../../people/identity/audit.ts";
import { newsLimits } from "../../../people/news/bounds.ts";
import type {
  DeliveryKey,
  DeliveryStore,
  MessageDelivery,
  NewsLines,
} from "../../../people/news/delivery.ts";
import {
  accountPrefixes,
  accountSorts,
  auditKey,
  deliveryDueKind,
  deliveryKey,
  deliveryRange,
  dueKinds,
} from "../dynamodb/account-keys.ts";
import { type Item, readText, toItem } from "../dynamodb/attributes.ts";
import { dueItems, dueText, unmarked } from "../dynamodb/due.ts";
import { absent, equals, exists } from "../dynamodb/expressions.ts";
import { readHash } from "../dynamodb/item-hash.ts";
import { between, readRecord, type TableNames } from "../dynamodb/item-keys.ts";
import { changeItem, eachBetween, getItem, lastBetween, putItem, updateItem } from "../dynamodb/items.ts";

/** A delivery as it is stored. */
type Kept = Omit<MessageDelivery, "organization" | "target" | "message"> & {
  due_kind?: string;
  due_at?: string;
  expires_at: number;
};

/** The deliveries in a table of accounts. */
export function createDeliveries(aws: Aws, { accounts: table }: Pick<TableNames, "accounts">): DeliveryStore {
  const partition = (organization: string) => `${accountPrefixes.deliveries}${organization}`;
  return {
    async known(organization, target, from) {
      const range = deliveryRange(target, firstIdAt("audit", from));
      const projection = { ProjectionExpression: "pk, sk" };
      const items = eachBetween(aws, table, partition(organization), range, projection);
      const messages = new Set<string>();
      for await (const item of items) messages.add(keyOf(item).message);
      return messages;
    },

    async make(delivery, due_at) {
      const { organization, target, message, ...kept } = delivery;
      const key = deliveryKey(organization, target, message);
      const expires_at = Math.floor(delivery.created_at / 1000) + newsLimits.deliveryKeptSeconds;
      const item = {
        ...key,
        ...toItem({ ...kept, expires_at }),
        ...(due_at !== null && dueAt(organization, due_at)),
      };
      return (await putItem(aws, table, item, [absent("pk")])).done;
    },

    async waiting(organization, limit) {
      const items = await dueItems(aws, table, { kind: deliveryDueKind(organization), limit });
      return items.map((item) => ({ ...keyOf(item), due_at: Number(readText(item.due_at)) }));
    },

    async claim({ organization, target, message, due_at }, next) {
      const written = await updateItem(aws, {
        table,
        key: deliveryKey(organization, target, message),
        set: dueAt(organization, next),
        when: [equals("due_at", { S: dueText(due_at) })],
      });
      return written.done ? readDelivery(written.item) : undefined;
    },

    end: ({ organization, target, message, state, attempts, last, due_at }, claimed) =>
      changeItem(aws, {
        table,
        key: deliveryKey(organization, target, message),
        set: { ...toItem({ state, attempts, last }), ...(due_at !== null && dueAt(organization, due_at)) },
        ...(due_at === null && { remove: ["due_kind", "due_at"] }),
        when: [equals("due_at", { S: dueText(claimed) })],
      }),

    async list(organization, target, { limit, after }) {
      // The range has the message `after` itself, which has been shown.
      const most = limit + (after === undefined ? 1 : 2);
      const range = deliveryRange(target, "", after);
      const found = await lastBetween(aws, table, partition(organization), range, most);
      const shown = found.filter((item) => keyOf(item).message !== after);
      const deliveries = shown.slice(0, limit).map((item) => ({
        ...readDelivery(item),
        due_at: item.due_at ? Number(readText(item.due_at)) : null,
      }));
      return { deliveries, more: shown.length > limit };
    },

    replay: ({ organization, target, message }, due_at) =>
      changeItem(aws, {
        table,
        key: deliveryKey(organization, target, message),
        set: { ...toItem({ state: "waiting", attempts: 0 }), ...dueAt(organization, due_at) },
        when: [exists("pk")],
      }),
  };
}

/** The lines of the audit log in a table of accounts, as messages are made of them. */
export function createNewsLines(aws: Aws, { accounts: table }: Pick<TableNames, "accounts">): NewsLines {
  return {
    async since(organization, from, limit) {
      const { pk, sk } = auditKey(organization, firstIdAt("audit", from));
      const range = between(readText(sk), "aud_~");
      const lines: AuditEntry[] = [];
      for await (const item of eachBetween(aws, table, readText(pk), range)) {
        lines.push(lineOf(item));
        if (lines.length === limit) break;
      }
      return lines;
    },

    async marked(from, to, limit) {
      const wanted = { kind: dueKinds.line, from, now: to, limit, newestFirst: true };
      const items = await dueItems(aws, table, wanted);
      return items.map(({ pk, sk }) => ({
        organization: readText(pk).slice(accountPrefixes.audit.length),
        id: readText(sk),
      }));
    },

    async ofAll(from, to, limit) {
      const kinds = [dueKinds.line, dueKinds.quietLine] as const;
      const read = await Promise.all(
        kinds.map((kind) => dueItems(aws, table, { kind, from, now: to, limit })),
      );
      const found = read.map((items) =>
        items.map(({ pk, sk, due_at }) => ({
          organization: readText(pk).slice(accountPrefixes.audit.length),
          id: readText(sk),
          at: Number(readText(due_at)),
        })),
      );
      // A list that is full ends somewhere, and the other one counts only so far.
      const ends = found.flatMap((lines) => (lines.length === limit ? (lines.at(-1)?.at ?? []) : []));
      const end = Math.min(to, ...ends);
      const lines = found.flat().filter(({ at }) => at <= end);
      return {
        lines: lines.toSorted((one, other) => one.at - other.at),
        to: ends.length === 0 ? null : end,
      };
    },

    async line(organization, id) {
      const item = await getItem(aws, table, auditKey(organization, id));
      return item && lineOf(item);
    },
  };
}

function lineOf(item: Item): AuditEntry {
  return readRecord<AuditEntry>(unmarked(readHash(item).item));
}

function keyOf({ pk, sk }: Item): DeliveryKey {
  const [target = "", message = ""] = readText(sk).slice(accountSorts.delivery.length).split("#");
  return { organization: readText(pk).slice(accountPrefixes.deliveries.length), target, message };
}

function readDelivery(item: Item): MessageDelivery {
  const { due_kind: _kind, due_at: _at, expires_at: _until, ...kept } = readRecord<Kept>(item);
  return { ...keyOf(item), ...kept };
}

function dueAt(organization: string, at: number): Item {
  return { due_kind: { S: deliveryDueKind(organization) }, due_at: { S: dueText(at) } };
}
