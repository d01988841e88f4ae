/** Users on DynamoDB: who has claimed which contact, and the transactions of signing up and in. */
import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type { Aws } from "../../../base/platform/aws.ts";
import type { Membership, User } from "../../../people/identity/user.ts";
import type { Users } from "../../../people/identity/users-port.ts";
import { accountSorts, contactKey, memberKey, membershipKey, userKey } from "../dynamodb/account-keys.ts";
import { type Item, readText, toAttribute, toItem } from "../dynamodb/attributes.ts";
import { absent, either, equals, exists } from "../dynamodb/expressions.ts";
import { between, readRecord, single, type TableNames } from "../dynamodb/item-keys.ts";
import { getItems, itemsBetween, updateItem } from "../dynamodb/items.ts";
import { type ActionOutcome, put, unlessContended, update } from "../dynamodb/transaction.ts";
import { spendCode } from "./codes.ts";
import { joiningWrites } from "./invitations.ts";
import { membershipOf } from "./membership.ts";
import { newSession } from "./sessions.ts";

/** The users of a table of accounts. */
export function createUsers(aws: Aws, tables: Pick<TableNames, "accounts">): Users {
  const { accounts: table } = tables;
  return {
    async claims(names) {
      const items = await getItems(
        aws,
        names.map((name) => ({ table, key: contactKey(name) })),
      );
      // A claim that was given up names nobody.
      return items.map((item) => item?.user && readText(item.user));
    },

    async read(id) {
      // The user's own item stands before the memberships, and the sessions behind them.
      const range = between(single, `${accountSorts.membership}~`);
      const items = await itemsBetween(aws, table, readText(userKey(id).pk), range);
      const [own, ...others] = items;
      if (own?.sk?.S !== single) return undefined;
      const memberships = others.map(membershipOf).filter((each) => each !== undefined);
      return { user: readRecord<User>(own), memberships };
    },

    async signUp({ user, names, own: owned, session, joining }, code, at) {
      const claims = names.map((name) => put(table, claimOf(name, user.id), [absent("user")]));
      const own = [
        spendCode(table, code, at),
        ...claims,
        put(table, { ...userKey(user.id), ...toItem(user) }, [absent("pk")]),
        ...ownWrites(table, owned),
        newSession(table, session),
      ];
      const invited = joining ? joiningWrites(tables, joining) : [];
      const outcomes = await unlessContended(aws, [...own, ...invited]);
      if (!outcomes) return "done";
      if (outcomes === "contended") return "contended";
      // A contact that is taken is told first: its code is spent by whoever took it.
      if (outcomes.slice(1, 1 + claims.length).some(isFailed)) return "taken";
      if (outcomes[0]?.failed) return "spent";
      if (outcomes.slice(own.length).some(isFailed)) return "uninvited";
      throw new Error(`the user ${user.id} is there already`);
    },

    async signIn({ session, unclaimed, box, own: owned, joining }, code, at) {
      const own = [
        spendCode(table, code, at),
        newSession(table, session),
        ...ownWrites(table, owned),
        ...(unclaimed === undefined ? [] : [ownClaim(table, unclaimed, session.user)]),
        ...(box
          ? [
              update({
                table,
                key: userKey(session.user),
                set: toItem(box),
                when: Object.keys(box).map(exists),
              }),
            ]
          : []),
      ];
      const invited = joining ? joiningWrites(tables, joining) : [];
      const outcomes = await unlessContended(aws, [...own, ...invited]);
      if (!outcomes) return "done";
      if (outcomes === "contended") return "contended";
      if (outcomes[0]?.failed) return "spent";
      if (outcomes.slice(own.length).some(isFailed)) return "uninvited";
      throw new Error(`the session ${session.id} could not be stored`);
    },

    async change(id, changes) {
      const set = toItem(changes);
      const { done, item } = await updateItem(aws, { table, key: userKey(id), set, when: [exists("pk")] });
      return done ? readRecord<User>(item) : undefined;
    },
  };
}

function isFailed({ failed }: ActionOutcome): boolean {
  return failed;
}

/** The writes that make a user the owner of the organization of their own. They fail where the user ever was a member. */
function ownWrites(table: string, own: Membership | undefined): TransactWriteItem[] {
  if (!own) return [];
  const { organization, user } = own;
  const keys = [memberKey(organization, user), membershipKey(user, organization)];
  return keys.map((key) => put(table, { ...key, ...toItem(own) }, [absent("pk")]));
}

function claimOf(name: string, user: string): Item {
  return { ...contactKey(name), ...toItem({ user }) };
}

/** Claims another name of a contact for the user who has it. Two sign-ins at once may both do it. */
export function ownClaim(table: string, name: string, user: string): TransactWriteItem {
  const isFree = either(absent("user"), equals("user", toAttribute(user)));
  return put(table, claimOf(name, user), [isFree]);
}
