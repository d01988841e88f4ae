/** Money of each day, channel and currency, to compare with platforms' statements, beside the ledger's points. */
import type { Accounts } from "../../books/accounts/account.ts";
import { formatMoney } from "../../books/billing/money.ts";
import { spanOf } from "../../books/billing/period.ts";
import { formatPoints } from "../../books/billing/points.ts";
import { paymentChannels } from "../../books/catalog/catalog.ts";
import type { Entry } from "../../books/ledger/ledger.ts";
import { movedInto, type OrderPosting, postingsOf } from "../../people/orders/postings.ts";
import type { Order } from "../../people/payments/order.ts";
import type { Orders } from "../../people/payments/orders.ts";

interface TotalsDeps {
  orders: Pick<Orders, "every" | "everyRefund">;
  accounts: Pick<Accounts, "organizations">;
  ledger: { creditsAndFees(organization: string): Promise<Entry[]> };
}

/** The bookings of a day, or of all days together. Money is in the currency, and points have signs. */
export interface OrderTotal {
  /** Of UTC; null in the sum of all days. */
  day: string | null;
  channel: string;
  /** Null for entries of the channel's account that no order explains. */
  currency: string | null;
  orders: number;
  paid: string | null;
  refunds: number;
  paid_back: string | null;
  /** What the platform paid back by itself (people/payments/README.md "Paid back without us"). Nothing is booked. */
  returned: string | null;
  /** What the orders say, less refunds. */
  points: string;
  /** What the ledger has moved into the channel's account. */
  ledger_points: string;
  /** The ledger's points less those of the orders: 0 where the books agree. */
  difference: string;
}

/** [from, to), Unix milliseconds. */
interface Range {
  from: number;
  to: number;
}

/** The sums of a group while they are added up. Money is in minor units, points in 10⁻¹⁸. */
interface OrderSums {
  orders: number;
  paid: number;
  refunds: number;
  paidBack: number;
  returned: number;
  points: bigint;
  booked: bigint;
}

interface Group {
  day: string | null;
  channel: string;
  currency: string | null;
  sums: OrderSums;
}

interface Totals {
  days: OrderTotal[];
  totals: OrderTotal[];
  agrees: boolean;
}

/**
 * Totals by day and of the range. A booking belongs to its entry's day, or without an entry to the order's. `agrees`:
 * every difference is 0. It reads all orders and credits, and looks at a difference twice.
 */
export async function totalOrders(range: Range, deps: TotalsDeps): Promise<Totals> {
  const first = await totalOnce(range, deps);
  return first.agrees ? first : await totalOnce(range, deps);
}

async function totalOnce(range: Range, deps: TotalsDeps): Promise<Totals> {
  const entries = await readEntries(deps);
  const groups = new Map<string, Group>();
  const add = (at: number, group: Omit<Group, "day" | "sums">, sums: Partial<OrderSums>) => {
    if (at < range.from || at >= range.to) return;
    addTo(groups, { ...group, day: spanOf(at, "day") }, sums);
    addTo(groups, { ...group, day: null }, sums);
  };
  for (const posting of await readPostings(deps)) {
    const name = `${posting.organization} ${posting.entry}`;
    const entry = entries.get(name);
    entries.delete(name);
    const { channel, currency } = posting.order;
    const booked = entry ? moved(posting.account, entry) : 0n;
    add(entry?.at ?? posting.at, { channel, currency }, { ...sumsOf(posting), booked });
  }
  for (const entry of entries.values()) {
    for (const channel of paymentChannels) {
      const booked = movedInto(`cash:${channel}`, entry);
      if (booked !== 0n) add(entry.at, { channel, currency: null }, { booked });
    }
  }
  const shown = [...groups.values()].map(shownOf).toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  return {
    days: shown.filter(({ day }) => day !== null),
    totals: shown.filter(({ day }) => day === null),
    agrees: shown.every(({ difference }) => difference === "0"),
  };
}

/** Every credit and payment of all organizations, by organization and key. */
async function readEntries({ accounts, ledger }: TotalsDeps): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  for await (const { id } of accounts.organizations()) {
    const own = await ledger.creditsAndFees(id);
    for (const entry of own) if (entry.kind !== "plan_fee") entries.set(`${id} ${entry.id}`, entry);
  }
  return entries;
}

/** What all orders must have booked. */
async function readPostings({ orders }: Pick<TotalsDeps, "orders">): Promise<OrderPosting[]> {
  const refunds = Map.groupBy(await Array.fromAsync(orders.everyRefund()), ({ order }) => order);
  const all: Order[] = await Array.fromAsync(orders.every());
  return all
    .flatMap((order) => postingsOf(order, refunds.get(order.id) ?? []))
    .filter(({ what }) => what !== "fee");
}

/** What an entry has booked. What the operator has credited by hand for an order is in another account. */
function moved(account: string, entry: Entry): bigint {
  return movedInto(account, entry) || movedInto("cash:operator", entry);
}

/** What the platform paid back without us is on the day of its order, because an order keeps only the sum of it. */
function sumsOf({ what, order, money, points }: OrderPosting): Partial<OrderSums> {
  const returned = (order.returned ?? 0) + (order.paid?.returned ?? 0);
  if (what === "order") return { orders: 1, paid: money, returned, points };
  return { refunds: what === "refund" ? 1 : -1, paidBack: -money, points };
}

function addTo(groups: Map<string, Group>, group: Omit<Group, "sums">, added: Partial<OrderSums>): void {
  const name = JSON.stringify(group);
  const none: OrderSums = {
    orders: 0,
    paid: 0,
    refunds: 0,
    paidBack: 0,
    returned: 0,
    points: 0n,
    booked: 0n,
  };
  const { sums } = groups.get(name) ?? { sums: none };
  groups.set(name, {
    ...group,
    sums: {
      orders: sums.orders + (added.orders ?? 0),
      paid: sums.paid + (added.paid ?? 0),
      refunds: sums.refunds + (added.refunds ?? 0),
      paidBack: sums.paidBack + (added.paidBack ?? 0),
      returned: sums.returned + (added.returned ?? 0),
      points: sums.points + (added.points ?? 0n),
      booked: sums.booked + (added.booked ?? 0n),
    },
  });
}

function shownOf({ day, channel, currency, sums }: Group): OrderTotal {
  const money = (amount: number) => (currency === null ? null : formatMoney(amount, currency));
  return {
    ...{ day, channel, currency, orders: sums.orders, paid: money(sums.paid) },
    ...{ refunds: sums.refunds, paid_back: money(sums.paidBack), returned: money(sums.returned) },
    points: formatPoints(sums.points),
    ledger_points: formatPoints(sums.booked),
    difference: formatPoints(sums.booked - sums.points),
  };
}

const orderOf = ({ day, channel, currency }: OrderTotal) => `${day} ${channel} ${currency}`;
