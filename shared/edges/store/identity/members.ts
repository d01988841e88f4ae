/** Members on DynamoDB. Both records of a membership change in one transaction with the audit log (membership.ts). */
import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import { GatewayError } from "../../../base/errors.ts";
import type { Aws } from "../../../base/platform/aws.ts";
import { isId } from "../../../base/platform/id.ts";
import { rowsNames } from "../../../books/accounts/rows.ts";
import type { MemberChange, Members } from "../../../people/identity/members.ts";
import type { Membership, User } from "../../../people/identity/user.ts";
import { accountSorts, memberKey, organizationAccountKey, userKey } from "../dynamodb/account-keys.ts";
import { readText, toAttribute, toItem } from "../dynamodb/attributes.ts";
import { absent, equals, exists } from "../dynamodb/expressions.ts";
import { between, organizationKey, readRecord, type TableNames } from "../dynamodb/item-keys.ts";
import { changeItem, eachBetween, getAllItems, getItem } from "../dynamodb/items.ts";
import { unlessContended, update } from "../dynamodb/transaction.ts";
import { rowsAre } from "../organizations.ts";
import { auditWrite } from "./audit.ts";
import { endWrites, holdingWrites, membershipOf, roleWrites } from "./membership.ts";

type MemberTables = Pick<TableNames, "accounts" | "keys">;

/** The members of a table of accounts, whose organizations are in a table of keys. */
export function createMembers(aws: Aws, tables: MemberTables): Members {
  const { accounts } = tables;
  const ofOrganization = (id: string, after?: string) =>
    membershipsUnder(aws, accounts, readText(organizationAccountKey(id).pk), after);

  return {
    async membership(organization, user) {
      return membershipOf(await getItem(aws, accounts, memberKey(organization, user)));
    },

    async list(organization, { limit, after }) {
      if (after !== undefined && !isId(after, "user")) {
        const message = "`after` must be the id of a user.";
        throw new GatewayError("invalid_request", { message, param: "after" });
      }
      const members: Membership[] = [];
      for await (const membership of ofOrganization(organization, after)) {
        if (members.length === limit) return { members, more: true };
        members.push(membership);
      }
      return { members, more: false };
    },

    async count(user) {
      const own = membershipsUnder(aws, accounts, readText(userKey(user).pk));
      return (await Array.fromAsync(own)).length;
    },

    async users(ids) {
      const wanted = [...new Set(ids)].map((id) => ({ table: accounts, key: userKey(id) }));
      const items = (await getAllItems(aws, wanted)).filter((item) => item !== undefined);
      return new Map(items.map((item) => readRecord<User>(item)).map((user) => [user.id, user]));
    },

    async otherOwner(organization, user) {
      for await (const each of ofOrganization(organization))
        if (each.role === "owner" && each.user !== user) return each.user;
      return undefined;
    },

    changeRole: async (change, role) =>
      await changeMember(aws, tables, change, roleWrites(tables, change.before, role)),

    changeMails: async ({ organization, user, mails: before }, mails) =>
      await changeItem(aws, {
        table: accounts,
        key: memberKey(organization, user),
        set: toItem({ mails }),
        when: [exists("role"), before ? equals("mails", toAttribute(before)) : absent("mails")],
      }),

    remove: async (change) =>
      await changeMember(aws, tables, change, endWrites(tables, change.before, change.entry.at)),

    async changeOrganization({ organization, entries, permissions, ...changes }) {
      const { id, permissions: before } = organization;
      const set = toItem({ permissions, ...changes });
      // Another change of the permissions must not be undone.
      const when = permissions ? equals("permissions", toAttribute(before)) : exists("pk");
      const unchanged = rowsNames.flatMap((name) =>
        changes[name] ? [rowsAre(name, organization[name])] : [],
      );
      // A provider that was removed or changed meanwhile is not made the only way in.
      const { sign_on_since } = organization;
      const sameProvider =
        sign_on_since === undefined
          ? absent("sign_on_since")
          : equals("sign_on_since", toAttribute(sign_on_since));
      const changed = update({
        table: tables.keys,
        key: organizationKey(id),
        set,
        when: [when, ...unchanged, ...(changes.sign_on === "required" ? [sameProvider] : [])],
      });
      const lines = entries.map((entry) => auditWrite(tables, entry));
      return (await unlessContended(aws, [changed, ...lines])) === null;
    },
  };
}

/** Writes a change of a membership under its conditions, with its line of the audit log. */
async function changeMember(
  aws: Aws,
  tables: MemberTables,
  { before, holding, entry }: MemberChange,
  writes: TransactWriteItem[],
): Promise<boolean> {
  // A transaction takes one action an item. The records that change have conditions of their own.
  const others = new Map(holding.map((each) => [each.user, each]));
  others.delete(before.user);
  const held = holdingWrites(tables, [...others.values()]);
  return (await unlessContended(aws, [...writes, ...held, auditWrite(tables, entry)])) === null;
}

/** The memberships under an organization or a user, from the one behind the id `after`. */
async function* membershipsUnder(
  aws: Aws,
  table: string,
  pk: string,
  after?: string,
): AsyncGenerator<Membership> {
  const { membership: sort } = accountSorts;
  // A `!` sorts before everything that ids have, so the id itself is left out.
  const first = after === undefined ? sort : `${sort}${after}!`;
  for await (const item of eachBetween(aws, table, pk, between(first, `${sort}~`))) {
    const membership = membershipOf(item);
    if (membership) yield membership;
  }
}
