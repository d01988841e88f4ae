/**
 * What the table `accounts` of a restore has, and what is written to it before it serves (infra/operator/restore.md).
 */

import type { Aws } from "../../base/platform/aws.ts";
import type { User } from "../../people/identity/user.ts";
import type { Invoice } from "../../people/invoices/invoice.ts";
import type { SkippedNumbers } from "../../people/invoices/numbers.ts";
import type { Order, OrderState, Refund } from "../../people/payments/order.ts";
import { isOpen } from "../../people/payments/states.ts";
import type { AccountsState } from "../restore/accounts-losses.ts";
import type { OrderPlace, RestoringAccounts } from "../restore/accounts-redo.ts";
import {
  accountPrefixes,
  accountSorts,
  openOrdersKey,
  orderKey,
  readOrderKey,
  refundKey,
  seriesKey,
} from "./dynamodb/account-keys.ts";
import {
  fromAttribute,
  type Item,
  readBigint,
  readText,
  toAttribute,
  toItem,
} from "./dynamodb/attributes.ts";
import { absent, begins, type Change, equals } from "./dynamodb/expressions.ts";
import { readRecord, single, type TableNames } from "./dynamodb/item-keys.ts";
import { changeItem, eachWhere, getItem } from "./dynamodb/items.ts";
import { put, transact, update } from "./dynamodb/transaction.ts";
import { endWrites, membershipOf, roleWrites } from "./identity/membership.ts";
import { createSessions, sessionOf } from "./identity/sessions.ts";
import { createUserStatuses } from "./identity/user-statuses.ts";
import { dueItem, noLongerOpen, orderPlace, readOrder } from "./orders/order-item.ts";

type AccountTable = Pick<TableNames, "accounts">;

/** Reads a whole table of accounts. */
export async function readAccountsState(aws: Aws, { accounts }: AccountTable): Promise<AccountsState> {
  const state: AccountsState = {
    ...{ users: new Map(), members: new Map(), orders: new Map(), refunds: new Map() },
    ...{ invoices: new Map(), series: new Map() },
  };
  for await (const item of eachWhere(aws, accounts, [])) add(state, item);
  return state;
}

function add(state: AccountsState, item: Item): void {
  const [pk, sk] = [readText(item.pk), readText(item.sk)];
  const { user, organization, order, series } = accountPrefixes;
  const is = (prefix: string, sort: string) =>
    pk.startsWith(prefix) && (sort === single ? sk === single : sk.startsWith(sort));
  if (is(user, single)) state.users.set(pk.slice(user.length), readRecord<User>(item));
  else if (is(organization, accountSorts.membership)) {
    const member = membershipOf(item);
    if (member) state.members.set(`${member.organization} ${member.user}`, member);
  } else if (is(order, single)) state.orders.set(readOrderKey(pk), readOrder(item));
  else if (is(order, accountSorts.refund)) {
    const id = readOrderKey(pk);
    state.refunds.set(id, [...(state.refunds.get(id) ?? []), readRecord<Refund>(item)]);
  } else if (is(organization, accountSorts.invoice)) {
    const invoice = readRecord<Invoice>(item);
    state.invoices.set(invoice.id, invoice);
  } else if (is(series, single) && item.last)
    state.series.set(pk.slice(series.length), Number(readBigint(item.last)));
}

/** A restored table of accounts, as it is prepared. */
export function createRestoringAccounts(aws: Aws, tables: AccountTable): RestoringAccounts {
  const table = tables.accounts;
  const sessions = createSessions(aws, tables);
  return {
    async endSessions(at) {
      const isSession = [begins("pk", accountPrefixes.user), begins("sk", accountSorts.session)];
      const when = [...isSession, equals("ended_at", toAttribute(null))];
      let ended = 0;
      for await (const item of eachWhere(aws, table, when)) {
        const { user, id } = sessionOf(item);
        if (await sessions.end(user, id, at)) ended += 1;
      }
      return ended;
    },

    async raiseSeries(series, last) {
      const key = seriesKey(series);
      const item = await getItem(aws, table, key);
      const before = Number(readBigint(item?.last));
      if (before >= last) return;
      const earlier = item?.skipped ? (fromAttribute(item.skipped) as SkippedNumbers[]) : [];
      const skipped = [...earlier, { from: before + 1, to: last }];
      const when = [item?.last ? equals("last", item.last) : absent("last")];
      if (!(await changeItem(aws, { table, key, set: toItem({ last, skipped }), when })))
        throw new Error(`somebody issues invoices of ${series}; run the command again`);
    },

    async freeze(user) {
      if (!(await createUserStatuses(aws, tables).set(user, "frozen")))
        throw new Error(`there is no user ${user}`);
    },

    async setRole(member, role, at) {
      const writes = role === undefined ? endWrites(tables, member, at) : roleWrites(tables, member, role);
      return (await transact(aws, writes)) === null;
    },

    putOrder: (order, refunds, on) => putOrder(aws, table, { order, refunds, ...on }),
  };
}

interface OrderToRestore extends OrderPlace {
  order: Order;
  refunds: Refund[];
}

async function putOrder(
  aws: Aws,
  table: string,
  { order, refunds, before, due_at }: OrderToRestore,
): Promise<boolean> {
  const when = [before === undefined ? absent("pk") : equals("state", toAttribute(before))];
  const { id, state } = order;
  const due = due_at === null ? {} : dueItem(due_at, state);
  const outcomes = await transact(aws, [
    put(table, { ...orderKey(id), ...toItem(order), ...due }, when),
    put(table, orderPlace(order), []),
    ...countOfOpen(table, order, before).map(update),
    ...refunds.map((refund) => put(table, { ...refundKey(id, refund.id), ...toItem(refund) }, [])),
  ]);
  return outcomes === null;
}

/** How an order changes its organization's count of those that wait, where it comes in the place of one in `before`. */
function countOfOpen(table: string, order: Order, before: OrderState | undefined): Change[] {
  if (before !== undefined) return noLongerOpen(table, { ...order, state: before }, order);
  return isOpen(order.state) ? [{ table, key: openOrdersKey(order.organization), add: { open: 1 } }] : [];
}
