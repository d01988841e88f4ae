/**
 * What a restore loses of the table `accounts`: rights that were taken, people, orders and invoices. Nothing here reads or
 * writes (infra/operator/restore.md "People and payments").
 */
import { isDeepStrictEqual } from "node:util";
import { type Membership, roles, type User } from "../../people/identity/user.ts";
import type { Invoice } from "../../people/invoices/invoice.ts";
import type { Order, OrderState, Refund } from "../../people/payments/order.ts";

/** What one table of accounts has, each by its id. */
export interface AccountsState {
  users: Map<string, User>;
  /** By organization and user, with a space in between. */
  members: Map<string, Membership>;
  orders: Map<string, Order>;
  /** By their order. */
  refunds: Map<string, Refund[]>;
  invoices: Map<string, Invoice>;
  /** The last number of each series of invoices. */
  series: Map<string, number>;
}

/** A membership whose rights were taken after the instant. */
interface Regained {
  member: Membership;
  /** The lower role that it had at last; undefined where it was over. */
  role: Membership["role"] | undefined;
}

/** An order that the restored table has otherwise than the stage's, or not at all. */
interface LostOrder {
  order: Order;
  refunds: Refund[];
  /** Its state in the restored table; undefined where it is not there. */
  restored: OrderState | undefined;
  /** `asked`: it is due in the restored table, and its platform's answer tells all. `put`: it has to be put there. */
  way: "asked" | "put";
}

export interface AccountsLosses {
  /** Frozen after the instant, and active again. */
  thawed: User[];
  regained: Regained[];
  /** Made after the instant. */
  users: User[];
  /** Memberships of people who are there, made after the instant. */
  members: Membership[];
  orders: LostOrder[];
  invoices: Invoice[];
  /** Series whose last number is higher in the stage's table. */
  series: [name: string, last: number][];
}

/** Compares both tables. Everything is in order of its id. */
export function accountsLossesOf(source: AccountsState, restored: AccountsState): AccountsLosses {
  const isNew = ({ user }: Membership) => restored.users.has(user);
  return {
    thawed: missingIn(source.users, (user) => {
      return user.status === "frozen" && restored.users.get(user.id)?.status === "active";
    }),
    regained: [...restored.members].sort(byKey).flatMap(([key, member]) => {
      const role = source.members.get(key)?.role;
      return rankOf(role) > rankOf(member.role) ? [{ member, role }] : [];
    }),
    users: missingIn(source.users, ({ id }) => !restored.users.has(id)),
    members: [...source.members]
      .sort(byKey)
      .flatMap(([key, member]) => (!restored.members.has(key) && isNew(member) ? [member] : [])),
    // What points have paid for is undone together with its order: the wallet has them again.
    orders: missingIn(source.orders, ({ channel }) => channel !== "points").flatMap((order) =>
      lostOrder(order, source, restored),
    ),
    invoices: missingIn(source.invoices, ({ id, state }) => restored.invoices.get(id)?.state !== state),
    series: [...source.series].sort(byKey).filter(([name, last]) => last > (restored.series.get(name) ?? 0)),
  };
}

const byKey = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);

function missingIn<Record extends { id: string }>(
  records: Map<string, Record>,
  isWanted: (record: Record) => boolean,
): Record[] {
  return [...records]
    .sort(byKey)
    .map(([, record]) => record)
    .filter(isWanted);
}

/** The roles in order of their rights; none is the lowest. */
function rankOf(role: Membership["role"] | undefined): number {
  return role === undefined ? roles.length : roles.indexOf(role);
}

/** States that the reconciler brings to an end alone. In review the alarm has rung, and whoever decided does not look again. */
const lookedAt: readonly OrderState[] = ["created", "pending", "closing", "paid"];

function lostOrder(order: Order, source: AccountsState, restored: AccountsState): LostOrder[] {
  const known = restored.orders.get(order.id);
  const refunds = source.refunds.get(order.id) ?? [];
  const found = { order, refunds, restored: known?.state };
  if (!known) return [{ ...found, way: "put" }];
  const isTold = isDeepStrictEqual(untoldOf(order, refunds), untoldOf(known, restored.refunds.get(order.id)));
  if (isTold && known.state === order.state) return [];
  return [{ ...found, way: isTold && lookedAt.includes(known.state) ? "asked" : "put" }];
}

/** What no platform's answer brings back: refunds, what went back in part, doubts, and what a person has decided. */
function untoldOf({ refund, refunded, returned, doubt, paid }: Order, refunds: Refund[] = []) {
  return { refund, refunded, returned, early: paid?.returned, doubt, refunds };
}

/**
 * An order as it is restored. One that was credited is paid again, and the reconciler books it. One with a refund
 * stays: its points are credits.
 */
export function orderAgain(order: Order): Order {
  if (order.state !== "credited") return order;
  const { credited_at: _at, booked_as: _as, tries: _tries, ...facts } = order;
  return { ...facts, state: "paid" };
}
