/** The connections of organizations to their providers, on DynamoDB. No function may delete: a removed one has no issuer. */
import type { AttributeValue, TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type { Aws } from "../../../base/platform/aws.ts";
import type {
  ConnectionMoves,
  SignOnConnection,
  SignOnConnections,
} from "../../../people/sign-on/connection.ts";
import { connectionKey } from "../dynamodb/account-keys.ts";
import { toAttribute, toItem } from "../dynamodb/attributes.ts";
import { absent, equals, exists, not } from "../dynamodb/expressions.ts";
import { organizationKey, readRecord, type TableNames } from "../dynamodb/item-keys.ts";
import { attemptChange, eachWhere, getItem } from "../dynamodb/items.ts";
import { put, unlessContended, update } from "../dynamodb/transaction.ts";
import { auditWrite } from "./audit.ts";

/** The connections of a table of accounts, whose organizations are in a table of keys. */
export function createConnections(
  aws: Aws,
  tables: Pick<TableNames, "accounts" | "keys">,
): SignOnConnections {
  const { accounts: table } = tables;
  return {
    async read(organization) {
      const item = await getItem(aws, table, connectionKey(organization));
      return item?.issuer ? readRecord<SignOnConnection>(item) : undefined;
    },

    async save(connection, before, entry, isAnother) {
      const key = connectionKey(connection.organization);
      const stored = put(
        table,
        { ...key, ...toItem(connection) },
        before ? asRead(before) : [absent("issuer")],
      );
      const ending = isAnother ? [sessionsOver(tables, connection, connection.changed_at)] : [];
      return (await unlessContended(aws, [stored, ...ending, auditWrite(tables, entry)])) === null;
    },

    async remove(connection, entry) {
      const gone = update({
        table,
        key: connectionKey(connection.organization),
        remove: ["issuer", "client_id", "secret_box"],
        when: asRead(connection),
      });
      const ending = sessionsOver(tables, connection, connection.changed_at + 1, true);
      return (await unlessContended(aws, [gone, ending, auditWrite(tables, entry)])) === null;
    },
  };
}

/**
 * Ends the sessions that came by a connection older than `at` (Unix ms), where it is not the only way in. With the
 * connection itself, what its groups gave ends as well.
 */
function sessionsOver(
  { keys: table }: Pick<TableNames, "keys">,
  { organization }: Pick<SignOnConnection, "organization">,
  at: number,
  sign_on_removed = false,
): TransactWriteItem {
  const when = [exists("pk"), not(equals("sign_on", toAttribute("required")))];
  return update({
    table,
    key: organizationKey(organization),
    set: toItem({ sign_on_since: at, sign_on_removed }),
    when,
  });
}

/** The same connections, for an operator who drops a version of the secret. */
export function createConnectionMoves(
  aws: Aws,
  { accounts: table }: Pick<TableNames, "accounts">,
): ConnectionMoves {
  return {
    async *all() {
      const when = [equals("sk", connectionKey("").sk as AttributeValue), exists("issuer")];
      for await (const item of eachWhere(aws, table, when)) yield readRecord<SignOnConnection>(item);
    },

    async move(connection, box) {
      const key = connectionKey(connection.organization);
      await attemptChange(aws, { table, key, set: toItem(box), when: asRead(connection) });
    },
  };
}

/** A removed one has no issuer, so it is none that was read. */
function asRead({ issuer, changed_at }: SignOnConnection) {
  return [equals("issuer", toAttribute(issuer)), equals("changed_at", toAttribute(changed_at))];
}
