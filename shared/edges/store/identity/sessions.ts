/** Sessions on DynamoDB: each is an item of its user's partition. None holds a secret. */
import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import { consoleLimits } from "../../../base/console-limits.ts";
import type { Aws } from "../../../base/platform/aws.ts";
import { type SessionRecord, type Sessions, sessionEnd } from "../../../people/identity/session.ts";
import { accountSorts, sessionKey, userKey } from "../dynamodb/account-keys.ts";
import { type Item, readText, toAttribute, toItem } from "../dynamodb/attributes.ts";
import { absent, equals } from "../dynamodb/expressions.ts";
import { readRecord, type TableNames } from "../dynamodb/item-keys.ts";
import { changeItem, eachBefore, getItem, lastBetween } from "../dynamodb/items.ts";
import { put } from "../dynamodb/transaction.ts";

/** Sort keys that enclose those of a user's sessions. */
const range = { first: accountSorts.session, last: `${accountSorts.session}~` };

/** The sessions of a table of accounts. */
export function createSessions(aws: Aws, { accounts: table }: Pick<TableNames, "accounts">): Sessions {
  return {
    async read(user, session) {
      const item = await getItem(aws, table, sessionKey(user, session));
      return item && sessionOf(item);
    },

    async list(user, most) {
      const items = await lastBetween(aws, table, readText(userKey(user).pk), range, most);
      return items.map(sessionOf);
    },

    async *since(user, at) {
      const { sessionListMax } = consoleLimits;
      const pk = readText(userKey(user).pk);
      for await (const item of eachBefore(aws, table, pk, range, sessionListMax)) {
        const session = sessionOf(item);
        if (session.created_at < at) return;
        yield session;
      }
    },

    async refresh(session, organization, at) {
      const next = { refreshed_at: at, organization, generation: session.generation + 1 };
      const expires_at = expiryOf({ ...session, ...next });
      return await changeItem(aws, {
        table,
        key: sessionKey(session.user, session.id),
        set: toItem({ ...next, expires_at }),
        when: [equals("generation", toAttribute(session.generation)), isOpen],
      });
    },

    async end(user, session, at) {
      const set = toItem({ ended_at: at });
      return await changeItem(aws, { table, key: sessionKey(user, session), set, when: [isOpen] });
    },
  };
}

/** Puts a new session as part of a transaction. */
export function newSession(table: string, session: SessionRecord): TransactWriteItem {
  const fields = toItem({ ...session, expires_at: expiryOf(session) });
  return put(table, { ...sessionKey(session.user, session.id), ...fields }, [absent("pk")]);
}

/** What a stored session says. */
export function sessionOf(item: Item): SessionRecord {
  const { expires_at: _expiry, ...record } = item;
  return readRecord<SessionRecord>(record);
}

/** The session is there, and nobody has ended it. */
const isOpen = equals("ended_at", toAttribute(null));

/** Unix seconds, after which DynamoDB may delete it. */
function expiryOf(session: SessionRecord): number {
  return Math.ceil(sessionEnd(session) / 1000);
}
