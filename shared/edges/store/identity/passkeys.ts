/** Passkeys on DynamoDB: an item of their user's partition each (people/passkeys/README.md). */
import type { Aws } from "../../../base/platform/aws.ts";
import { type Passkey, type Passkeys, passkeyLimits } from "../../../people/passkeys/passkey.ts";
import { accountSorts, passkeyKey, userKey } from "../dynamodb/account-keys.ts";
import { readText, toAttribute, toItem } from "../dynamodb/attributes.ts";
import { absent, equals, exists } from "../dynamodb/expressions.ts";
import { between, readRecord, type TableNames } from "../dynamodb/item-keys.ts";
import { changeItem, getItem, itemsBetween, putItem } from "../dynamodb/items.ts";
import { unlessContended, update } from "../dynamodb/transaction.ts";
import { newSession } from "./sessions.ts";

/** A removed one has no public key. */
const isThere = exists("public_key");

/** The passkeys of a table of accounts. */
export function createPasskeys(aws: Aws, { accounts: table }: Pick<TableNames, "accounts">): Passkeys {
  return {
    async list(user) {
      const range = between(accountSorts.passkey, `${accountSorts.passkey}~`);
      const items = await itemsBetween(aws, table, readText(userKey(user).pk), range);
      const passkeys = items.filter((item) => item.public_key).map((item) => readRecord<Passkey>(item));
      return passkeys.sort((one, other) => one.created_at - other.created_at);
    },

    async read(user, id) {
      const item = await getItem(aws, table, passkeyKey(user, id));
      return item?.public_key ? readRecord<Passkey>(item) : undefined;
    },

    async add(passkey) {
      const item = { ...passkeyKey(passkey.user, passkey.id), ...toItem(passkey) };
      return (await putItem(aws, table, item, [absent("public_key")])).done;
    },

    async use(passkey, counter, session) {
      const noted = update({
        table,
        key: passkeyKey(passkey.user, passkey.id),
        set: toItem({ counter, used_at: session.created_at }),
        when: [isThere, equals("counter", toAttribute(passkey.counter))],
      });
      return (await unlessContended(aws, [noted, newSession(table, session)])) === null;
    },

    async remove(user, id, at) {
      const expires_at = Math.ceil(at / 1000) + passkeyLimits.removedSeconds;
      return await changeItem(aws, {
        table,
        key: passkeyKey(user, id),
        set: toItem({ expires_at }),
        remove: ["public_key"],
        when: [isThere],
      });
    },
  };
}
