/** What a call with a session reads, over two tables in one request. */

import type { Aws } from "../../../base/platform/aws.ts";
import type { Organization } from "../../../books/accounts/account.ts";
import type { Callers } from "../../../people/identity/identify.ts";
import type { User } from "../../../people/identity/user.ts";
import { membershipKey, sessionKey, userKey } from "../dynamodb/account-keys.ts";
import { organizationKey, readRecord, type TableNames } from "../dynamodb/item-keys.ts";
import { getItems } from "../dynamodb/items.ts";
import { membershipOf } from "./membership.ts";
import { sessionOf } from "./sessions.ts";

/** Reads callers from the tables of accounts and of organizations. */
export function createCallers(aws: Aws, { accounts, keys }: Pick<TableNames, "accounts" | "keys">): Callers {
  return {
    async signedIn({ user, session, organization }) {
      const [userItem, sessionItem, membershipItem, organizationItem] = await getItems(aws, [
        { table: accounts, key: userKey(user) },
        { table: accounts, key: sessionKey(user, session) },
        { table: accounts, key: membershipKey(user, organization) },
        { table: keys, key: organizationKey(organization) },
      ]);
      const membership = membershipOf(membershipItem);
      return {
        ...(userItem && { user: readRecord<User>(userItem) }),
        ...(sessionItem && { session: sessionOf(sessionItem) }),
        ...(membership && { membership }),
        ...(organizationItem && { organization: readRecord<Organization>(organizationItem) }),
      };
    },
  };
}
