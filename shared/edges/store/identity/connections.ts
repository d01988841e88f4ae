/** The connections of organizations to their providers, on DynamoDB. No function may delete: a removed one has no issuer. */
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import type { Aws } from "../../../base/platform/aws.ts";
import type {
  ConnectionMoves,
  SignOnConnection,
  SignOnConnections,
} from "../../../people/sign-on/connection.ts";
import { connectionKey } from "../dynamodb/account-keys.ts";
import { toAttribute, toItem } from "../dynamodb/attributes.ts";
import { absent, equals, exists } from "../dynamodb/expressions.ts";
import { readRecord, type TableNames } from "../dynamodb/item-keys.ts";
import { attemptChange, eachWhere, getItem } from "../dynamodb/items.ts";
import { put, unlessContended, update } from "../dynamodb/transaction.ts";
import { auditWrite } from "./audit.ts";

/** The connections of a table of accounts. */
export function createConnections(aws: Aws, tables: Pick<TableNames, "accounts">): SignOnConnections {
  const { accounts: table } = tables;
  return {
    async read(organization) {
      const item = await getItem(aws, table, connectionKey(organization));
      return item?.issuer ? readRecord<SignOnConnection>(item) : undefined;
    },

    async save(connection, before, entry) {
      const key = connectionKey(connection.organization);
      const stored = put(
        table,
        { ...key, ...toItem(connection) },
        before ? asRead(before) : [absent("issuer")],
      );
      return (await unlessContended(aws, [stored, auditWrite(tables, entry)])) === null;
    },

    async remove(connection, entry) {
      const gone = update({
        table,
        key: connectionKey(connection.organization),
        remove: ["issuer", "client_id", "secret_box"],
        when: asRead(connection),
      });
      return (await unlessContended(aws, [gone, auditWrite(tables, entry)])) === null;
    },
  };
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
