/** The audit of orders: what was paid is booked once, what was paid back too, and nothing else names an order. */

import { consoleLimits } from "../../base/console-limits.ts";
import { isId } from "../../base/platform/id.ts";
import { formatMoney } from "../../books/billing/money.ts";
import { formatPoints } from "../../books/billing/points.ts";
import { paymentChannels } from "../../books/catalog/catalog.ts";
import type { Entry } from "../../books/ledger/ledger.ts";
import { movedInto, type OrderPosting, postingsOf } from "../../people/orders/postings.ts";
import type { Order, Refund } from "../../people/payments/order.ts";
import { isBooked } from "../../people/payments/states.ts";
import { firstOf } from "./dead-letters.ts";
import type { Finding } from "./rollups.ts";

interface Books {
  orders: readonly Order[];
  refunds: readonly Refund[];
  entries: readonly Entry[];
  now: number;
}

/** Credited orders and entries of orders match one to one. No payment waits for its entry past the alarm's time. */
export function ordersMatchLedger(books: Books): Finding {
  const { orders, entries, now } = books;
  const byId = new Map(orders.map((order) => [order.id, order]));
  const postings = orders.flatMap((order) => postingsOf(order, []));
  const own = entries.filter(({ id }) => orderIn(id) !== undefined);
  const total = postings.reduce((sum, { points }) => sum + points, 0n);
  return {
    gaps: [
      ...unbooked(postings, own),
      ...strangers(postings, own).flatMap((entry) =>
        whyNot(entry, byId).map((why) => `${nameOf(entry)} ${why}`),
      ),
      ...strayCash(entries),
      ...orders.flatMap((order) => overdue(order, now)),
    ],
    detail: `${postings.length} credited orders: each booked once, ${formatPoints(total)} points in all`,
  };
}

/**
 * A refund has taken its points once, and given them back once if it was refused. An order's `refunded` is their sum.
 */
export function refundsMatchLedger({ orders, refunds, entries }: Books): Finding {
  const byId = new Map(orders.map((order) => [order.id, order]));
  const byOrder = Map.groupBy(refunds, ({ order }) => order);
  const homeless = refunds.filter(({ order }) => !byId.has(order));
  const postings = orders.flatMap((order) =>
    postingsOf(order, byOrder.get(order.id) ?? []).filter(({ what }) => what !== "order"),
  );
  const own = entries.filter(({ id, fee }) => refundIn(id) !== undefined || fee?.returns !== undefined);
  const total = postings.reduce((sum, { what, points }) => (what === "fee" ? sum : sum - points), 0n);
  return {
    gaps: [
      ...homeless.map(({ id, order }) => `the refund ${id} is of ${order}, which is not there`),
      ...unbooked(postings, own),
      ...strangers(postings, own).map(
        (entry) => `${nameOf(entry)} has no refund that says so${feeless(entry, refunds, byId)}`,
      ),
      ...orders.flatMap((order) => wrongSum(order, byOrder.get(order.id) ?? [])),
    ],
    detail: `${refunds.length} refunds: each booked once, ${formatPoints(total)} points in all`,
  };
}

/** Where a fee came back: the refunds of the organization's plans that name no fee, one of which should. */
function feeless(
  { organization, fee: booked }: Entry,
  refunds: readonly Refund[],
  byId: ReadonlyMap<string, Order>,
): string {
  if (!booked) return "";
  const own = refunds.filter(({ order: id, fee }) => {
    const order = byId.get(id);
    return fee === undefined && order?.organization === organization && order.booked_as === "plan";
  });
  return own.length === 0 ? "" : `, and the fee is not in ${own.map(({ id }) => id).join(", ")}`;
}

/** Postings that have no entry, more than one, or one that moves something else. */
function unbooked(postings: readonly OrderPosting[], entries: readonly Entry[]): string[] {
  const byName = Map.groupBy(entries, nameOf);
  return postings.flatMap((posting) => {
    const { organization, entry: id, order, refund, what } = posting;
    const name = `${organization} ${id}`;
    const [entry, ...more] = byName.get(name) ?? [];
    // What an entry is compared with, where the order's own sums do not say it: an item and its field.
    const returned = order.paid?.returned ? ", by its paid.returned" : "";
    const by = what === "fee" ? `, the fee of ${refund}` : returned;
    if (!entry) return [`${order.id} is ${order.state}, and ${name} is not booked${by}`];
    if (more.length > 0) return [`${name} is booked ${more.length + 1} times`];
    const wrong = differences(posting, entry);
    return wrong.length === 0 ? [] : [`${name} has ${wrong.join(", ")}${by}`];
  });
}

/** What an entry says otherwise than the order. Points that the operator has booked by hand are in another account. */
function differences({ kind, account, points }: OrderPosting, entry: Entry): string[] {
  const byHand = movedInto("cash:operator", entry);
  const moved = movedInto(account, entry) || byHand;
  const isKind = entry.kind === kind || (kind === "bought" && entry.kind === "credit");
  return [
    ...(moved === points ? [] : [`${formatPoints(moved)} points, not ${formatPoints(points)}`]),
    ...(moved === 0n ? [`no part in ${account}, the account of its channel`] : []),
    ...(isKind ? [] : [`the kind ${entry.kind}, not ${kind}`]),
  ];
}

/** Entries that no posting asks for. */
function strangers(postings: readonly OrderPosting[], entries: readonly Entry[]): Entry[] {
  const asked = new Set(postings.map(({ organization, entry }) => `${organization} ${entry}`));
  return entries.filter((entry) => !asked.has(nameOf(entry)));
}

/** Why no order asks for an entry. An operator may have credited the order by hand: the order then stays as it is. */
function whyNot(entry: Entry, orders: ReadonlyMap<string, Order>): string[] {
  const order = orders.get(orderIn(entry.id) ?? "");
  if (!order) return ["has no order"];
  if (order.organization !== entry.organization) return [`is of an order of ${order.organization}`];
  return movedInto("cash:operator", entry) > 0n ? [] : [`is booked, and its order is ${order.state}`];
}

/** Entries that move money of a channel and are neither of an order nor of a refund. */
function strayCash(entries: readonly Entry[]): string[] {
  const accounts = new Set(paymentChannels.map((channel) => `cash:${channel}`));
  return entries
    .filter(({ debit, credit }) => accounts.has(debit) || accounts.has(credit))
    .filter(({ id }) => orderIn(id) === undefined && refundIn(id) === undefined)
    .map((entry) => `${nameOf(entry)} moves money of a channel and names no order`);
}

/** A payment that should be booked by now: the alarm rings as long for it. */
function overdue({ id, state, paid }: Order, now: number): string[] {
  if (!paid || state !== "paid" || now - paid.at < consoleLimits.orderOverdueMs) return [];
  return [`${id} was paid at ${new Date(paid.at).toISOString()} and is not credited`];
}

function wrongSum(order: Order, refunds: readonly Refund[]): string[] {
  const { id, currency, state, refunded = 0 } = order;
  const done = refunds.filter((refund) => refund.state === "done");
  const sum = done.reduce((total, { amount }) => total + amount, 0);
  const asked = refunds.filter((refund) => refund.state === "asked").map((refund) => refund.id);
  const running = state === "refunding" ? [order.refund ?? ""] : [];
  const money = (amount: number) => `${formatMoney(amount, currency)} ${currency}`;
  return [
    ...(sum === refunded
      ? []
      : [
          `${id} has the refunded ${money(refunded)}, and the amount of its refunds that are done is ${money(sum)}: ${firstOf(refunds.map((refund) => `${refund.id} has the state ${refund.state}`))}`,
        ]),
    ...(asked.join() === running.join() ? [] : [`${id} is ${state}, and ${asked.length} of its refunds run`]),
    ...(refunds.length > 0 && !isBooked(order) ? [`${id} is ${state}, and has refunds`] : []),
  ];
}

/** The id of the order that an entry is of; undefined for every other entry, also one that an operator named alike. */
function orderIn(entry: string): string | undefined {
  const [, id = ""] = /^credit#order\.(\w+)$/.exec(entry) ?? [];
  return isId(id, "order") ? id : undefined;
}

/** The same of a refund. */
function refundIn(entry: string): string | undefined {
  const [, id = ""] = /^credit#refund\.(\w+?)(?:\.back)?$/.exec(entry) ?? [];
  return isId(id, "refund") ? id : undefined;
}

function nameOf({ organization, id }: Entry): string {
  return `${organization} ${id}`;
}
