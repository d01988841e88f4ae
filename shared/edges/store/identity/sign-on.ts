/** People who sign on by a provider, on DynamoDB: which user each of them is, and the transaction that lets them in. */
import type { Aws } from "../../../base/platform/aws.ts";
import type { LinkedPerson } from "../../../people/sign-on/connection.ts";
import { personName, type SignOns } from "../../../people/sign-on/entering.ts";
import { linkedPersonKey, provisionedKey, userKey } from "../dynamodb/account-keys.ts";
import { toAttribute, toItem } from "../dynamodb/attributes.ts";
import { absent, equals } from "../dynamodb/expressions.ts";
import { readRecord, type TableNames } from "../dynamodb/item-keys.ts";
import { getItem } from "../dynamodb/items.ts";
import { check, put, unlessContended } from "../dynamodb/transaction.ts";
import { auditWrite } from "./audit.ts";
import { groupsAre, linkWrite, takeNames } from "./directories.ts";
import { foundWrites, membershipWrites, roleWrites } from "./membership.ts";
import { newSession } from "./sessions.ts";

/** The people of a table of accounts. */
export function createSignOns(aws: Aws, tables: Pick<TableNames, "accounts">): SignOns {
  const { accounts: table } = tables;
  return {
    person: async (name) => readRecord<LinkedPerson>(await getItem(aws, table, linkedPersonKey(name))),

    async enter(entrance) {
      const {
        user,
        person,
        replaced,
        membership,
        change,
        provisioned,
        named,
        own,
        groups,
        session,
        entries,
      } = entrance;
      const unnamed = own && !provisioned && provisionedKey(session.organization, own.user);
      const link = person && { ...linkedPersonKey(personName(person, person.subject)), ...toItem(person) };
      const asRead = replaced
        ? [equals("user", toAttribute(replaced.user)), equals("since", toAttribute(replaced.since))]
        : [absent("pk")];
      const writes = [
        ...(link ? [put(table, link, asRead)] : []),
        ...(user ? [put(table, { ...userKey(user.id), ...toItem(user) }, [absent("pk")])] : []),
        ...(membership ? membershipWrites(tables, membership) : []),
        ...(change ? roleWrites(tables, change.before, change.role, change.projects) : []),
        ...(provisioned ? [linkWrite(table, provisioned.person, provisioned.issuer)] : []),
        ...(unnamed ? [check(table, unnamed, [absent("user_name")])] : []),
        ...(named ? takeNames(table, session.organization, session.user, [named]) : []),
        ...(groups ? [groupsAre(table, groups)] : []),
        ...foundWrites(tables, entrance),
        newSession(table, session),
        ...entries.map((entry) => auditWrite(tables, entry)),
      ];
      return (await unlessContended(aws, writes)) === null;
    },
  };
}
