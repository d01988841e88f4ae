/** Tells the operator what a restore came to for people, orders and invoices (infra/operator/restore.md). */
import { formatMoney } from "#shared/books/billing/money.ts";
import type { AccountsLosses } from "#shared/edges/restore/accounts-losses.ts";
import type { Order } from "#shared/people/payments/order.ts";
import type { RestoreOutcome } from "./restore-stage.ts";

/** How many people have a right again that was taken from them. */
export function revivedPeople({ thawed, regained }: AccountsLosses): number {
  return thawed.length + regained.length;
}

/** The members of the report. */
export function accountsReportOf({ accounts, sessions }: RestoreOutcome) {
  return {
    sessions_ended: sessions,
    users_active_again: accounts.thawed.map(({ id }) => id),
    roles_again: accounts.regained.map(({ member: { user, organization, role }, role: last }) => ({
      ...{ user, organization, role, last_role: last ?? "none" },
    })),
    lost_users: accounts.users.map(({ id, organization }) => ({ user: id, organization })),
    lost_members: accounts.members.map(({ user, organization, role }) => ({ user, organization, role })),
    orders: accounts.orders.map(({ order, restored, way }) => ({
      ...{ order: order.id, organization: order.organization, channel: order.channel },
      ...{ kind: order.kind, amount: amountOf(order), state: order.state },
      ...{ paid: order.paid?.transaction ?? "-", restored: restored ?? "gone", way },
    })),
    invoices: accounts.invoices.map(({ id, organization, state, number }) => ({
      ...{ invoice: id, organization, state, number: number ?? "-" },
    })),
    invoice_numbers_go_on_behind: Object.fromEntries(accounts.series),
  };
}

/** What was paid, or is to be paid, as people read it. */
function amountOf({ paid, amount, currency }: Order): string {
  const { amount: units, currency: unit } = paid ?? { amount, currency };
  return `${formatMoney(units, unit)} ${unit}`;
}

/** What there is to do, a sentence each. `again` says how a redo is asked for. */
export function nextOfAccounts({ accounts }: RestoreOutcome, again: (what: string) => string): string[] {
  const { thawed, regained, users, members, orders, invoices } = accounts;
  const put = orders.filter(({ way }) => way === "put");
  const paid = put.filter(({ order }) => order.paid);
  return sentencesOf(
    thawed.length + regained.length > 0 &&
      `DANGER: people who were frozen are active again (${thawed.length}), or have roles again that they had lost (${regained.length}): ${again("revocations")}`,
    put.length > 0 &&
      `orders that no answer of a platform would set right: ${put.length}, ${paid.length} of them paid; ${again("credits,orders")}; what is left then belongs to organizations that are gone: pay it back at the platform`,
    orders.length > put.length &&
      `orders that their platforms are asked about after the change-over: ${orders.length - put.length}`,
    users.length + members.length > 0 &&
      `people who must sign up again: ${users.length}; members who must be invited again: ${members.length}`,
    invoices.length > 0 &&
      `invoices that are gone or have another state: ${invoices.length}; infra/operator/restore.md says what to do`,
  );
}

/** The sentences that are to be said, out of those that may be. */
export function sentencesOf(...all: readonly (string | false)[]): string[] {
  return all.filter((each) => each !== false);
}
