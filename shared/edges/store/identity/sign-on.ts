/** People who sign on by a provider, on DynamoDB: which user each of them is, and the transaction that lets them in. */
import type { Aws } from "../../../base/platform/aws.ts";
import type { LinkedPerson } from "../../../people/sign-on/connection.ts";
import { personName, type SignOns } from "../../../people/sign-on/entering.ts";
import { linkedPersonKey, userKey } from "../dynamodb/account-keys.ts";
import { toItem } from "../dynamodb/attributes.ts";
import { absent } from "../dynamodb/expressions.ts";
import { readRecord, type TableNames } from "../dynamodb/item-keys.ts";
import { getItem } from "../dynamodb/items.ts";
import { put, unlessContended } from "../dynamodb/transaction.ts";
import { auditWrite } from "./audit.ts";
import { linkWrite, takeNames } from "./directories.ts";
import { membershipWrites, roleWrites } from "./membership.ts";
import { newSession } from "./sessions.ts";

/** The people of a table of accounts. */
export function createSignOns(aws: Aws, tables: Pick<TableNames, "accounts">): SignOns {
  const { accounts: table } = tables;
  return {
    person: async (name) => readRecord<LinkedPerson>(await getItem(aws, table, linkedPersonKey(name))),

    async enter(entrance) {
      const { user, person, membership, change, provisioned, named, session, entries } = entrance;
      const link = person && { ...linkedPersonKey(personName(person, person.subject)), ...toItem(person) };
      const writes = [
        ...(link ? [put(table, link, [absent("pk")])] : []),
        ...(user ? [put(table, { ...userKey(user.id), ...toItem(user) }, [absent("pk")])] : []),
        ...(membership ? membershipWrites(tables, membership) : []),
        ...(change ? roleWrites(tables, change.before, change.role) : []),
        ...(provisioned ? [linkWrite(table, provisioned.person, provisioned.issuer)] : []),
        ...(named ? takeNames(table, session.organization, session.user, [named]) : []),
        newSession(table, session),
        ...entries.map((entry) => auditWrite(tables, entry)),
      ];
      return (await unlessContended(aws, writes)) === null;
    },
  };
}
