/** The two records of a membership. One that is over has no role: no function may delete, so it expires later. */
import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import { consoleLimits } from "../../../base/console-limits.ts";
import type { RoleHeld } from "../../../people/identity/members.ts";
import type { Membership, Role } from "../../../people/identity/user.ts";
import type { OwnAddress } from "../../../people/sign-on/entering.ts";
import { contactKey, memberKey, membershipKey } from "../dynamodb/account-keys.ts";
import { type Item, toAttribute, toItem } from "../dynamodb/attributes.ts";
import { absent, equals } from "../dynamodb/expressions.ts";
import { readRecord, type TableNames } from "../dynamodb/item-keys.ts";
import { check, put, update } from "../dynamodb/transaction.ts";

type AccountTable = Pick<TableNames, "accounts">;

/** The membership of a record; undefined where there is none, or it is over. */
export function membershipOf(item: Item | undefined): Membership | undefined {
  return item?.role ? readRecord<Membership>(item) : undefined;
}

/** The writes of a new membership, for the transaction that makes it. It fails where the user is a member. */
export function membershipWrites({ accounts }: AccountTable, membership: Membership): TransactWriteItem[] {
  return bothKeys(membership).map((key) =>
    put(accounts, { ...key, ...toItem(membership) }, [absent("role")]),
  );
}

/**
 * The writes of another role, for a transaction. They fail where the role is not as it was read. The projects that groups
 * give stay, unless others are given.
 */
export function roleWrites(
  { accounts }: AccountTable,
  before: Membership,
  role: Role,
  projects?: readonly string[],
): TransactWriteItem[] {
  const set = toItem({ role, ...(projects && { projects }) });
  return bothKeys(before).map((key) => update({ table: accounts, key, set, when: [hasRole(before)] }));
}

/** The writes that end a membership at `at`, Unix milliseconds. They fail where the role is not as it was read. */
export function endWrites({ accounts }: AccountTable, before: Membership, at: number): TransactWriteItem[] {
  const expires_at = Math.ceil(at / 1000) + consoleLimits.memberKeptSeconds;
  const change = { set: toItem({ removed_at: at, expires_at }), rename: { from: "role", to: "last_role" } };
  return bothKeys(before).map((key) => update({ table: accounts, key, ...change, when: [hasRole(before)] }));
}

/** Conditions that people still have roles, as writes that change nothing: these need no other permission. */
export function holdingWrites({ accounts }: AccountTable, holding: RoleHeld[]): TransactWriteItem[] {
  return holding.map(({ organization, user, role }) => {
    const key = memberKey(organization, user);
    return update({ table: accounts, key, set: toItem({ role }), when: [hasRole({ role })] });
  });
}

/** Conditions on a member whom their own address has found: it is theirs still, and they have the role that was read. */
export function foundWrites(
  { accounts }: AccountTable,
  { own, holding }: { own?: OwnAddress; holding?: RoleHeld },
): TransactWriteItem[] {
  return [
    ...(own ? [check(accounts, contactKey(own.contact), [equals("user", toAttribute(own.user))])] : []),
    ...(holding ? holdingWrites({ accounts }, [holding]) : []),
  ];
}

function bothKeys({ organization, user }: Membership): Item[] {
  return [memberKey(organization, user), membershipKey(user, organization)];
}

function hasRole({ role }: Pick<Membership, "role">) {
  return equals("role", toAttribute(role));
}
