/** The audit of an order by itself: its state follows from its evidence, its bookings and its refunds. */

import { limits } from "../../base/limits.ts";
import { timeOf } from "../../base/platform/id.ts";
import { formatMoney, pointsCurrency } from "../../books/billing/money.ts";
import type { Entry } from "../../books/ledger/ledger.ts";
import { type Order, orderedFacts, orderStates, type Refund } from "../../people/payments/order.ts";
import { isBooked, isOpen, keptOf, leftOf } from "../../people/payments/states.ts";
import { differences, finding, found, isHashOf, type KeptBooks, type KeptItem, type Sorted } from "./kept.ts";
import type { Finding } from "./rollups.ts";
import { wellShaped } from "./shapes.ts";

/** The kinds of items that orders are kept in, as `ties/accounts.ts` names them. */
export const orderKinds = ["order", "refund", "place of an order", "open orders"] as const;

const skewMs = limits.sealGraceSeconds * 1000;

/** The orders and refunds among items whose values have the right types (shapes.ts). */
export function ordersIn(items: Sorted): { orders: Order[]; refunds: Refund[] } {
  const records = (kind: string) => wellShaped(items, kind).map(({ fields }) => fields as unknown);
  return { orders: records("order") as Order[], refunds: records("refund") as Refund[] };
}

/** Each order's state is what its evidence, its entries and its refunds say, and it lies where its organization finds it. */
export function ordersMatchEvidence({
  items,
  money,
  hashes,
}: {
  items: Sorted;
  money: readonly Entry[];
  hashes: Pick<KeptBooks, "hashOf">;
}): Finding {
  const { orders, refunds } = ordersIn(items);
  const byOrder = Map.groupBy(refunds, ({ order }) => order);
  const entries = new Map(money.map((entry) => [entry.id, entry]));
  const fees = Map.groupBy(
    money.filter(({ kind }) => kind === "plan_fee"),
    ({ organization, posted_at }) => `${organization} ${posted_at}`,
  );
  const gaps = [
    ...items.unreadable,
    ...items.of("order").flatMap((item) => misplaced(item)),
    ...items.of("refund").flatMap((item) => misplacedRefund(item)),
    ...orders.flatMap((order) =>
      found(order.id, () => [
        ...wrongState(order, byOrder.get(order.id) ?? []),
        ...wrongFacts(order),
        ...wrongBooking(order, entries, fees),
      ]),
    ),
    ...refunds.flatMap((refund) => found(refund.id, () => wrongRefund(refund, entries))),
    ...misplacedOrders(items, orders, hashes),
    ...miscounted(items, orders),
  ];
  return finding(gaps, `${orders.length} orders: each in the state that its evidence says`);
}

function misplaced({ pk, fields = {} }: KeptItem): string[] {
  return found(pk, () => differences(fields, { id: pk.slice("R#".length) }));
}

function misplacedRefund({ pk, sk, fields = {} }: KeptItem): string[] {
  const must = { order: pk.slice("R#".length), id: sk.slice("F#".length) };
  return found(`${pk} ${sk}`, () => differences(fields, must));
}

/** What an order in each state must have, and must not have. */
function wrongState(order: Order, refunds: readonly Refund[]): string[] {
  const { state, paid, doubt, refund, refunded = 0, returned = 0, closed_at } = order;
  const isRunning = refunds.some((each) => each.state === "asked");
  const done = refunds.some((each) => each.state === "done");
  const booked = isBooked(order);
  const rules: Record<Order["state"], boolean> = {
    created: !paid && !booked && closed_at === undefined && !order.qr_code && !order.pay_url,
    pending: !paid && !booked && closed_at === undefined,
    closing: !paid && !booked && closed_at === undefined,
    closed: !paid && !booked && closed_at !== undefined,
    paid: paid !== undefined && !booked,
    review: doubt !== undefined && booked === (paid !== undefined),
    credited: booked && !done && !isRunning,
    refunding: booked && isRunning && refund !== undefined,
    partly_refunded: booked && done && !isRunning && (leftOf(order) > 0 || returned > 0),
    refunded: booked && done && !isRunning && leftOf(order) === 0,
  };
  if (!orderStates.includes(state)) return [`has the state ${String(state)}`];
  return [
    ...(rules[state] ? [] : [`has the state ${state}, and its evidence says another`]),
    ...(booked && !paid ? ["is credited, and has no payment"] : []),
    ...((refund !== undefined) === (state === "refunding")
      ? []
      : [`has the refund ${refund ?? "none"}, and is ${state}`]),
    ...(refund !== undefined && !refunds.some(({ id }) => id === refund)
      ? [`has the refund ${refund}, which is not there`]
      : []),
    ...(returned < 0 || refunded + returned > (paid ? keptOf(paid) : 0)
      ? [`has the returned ${returned}`]
      : []),
    ...(doubt && booked && state !== "review" ? ["has a doubt, and is not in review"] : []),
    ...(closed_at !== undefined && closed_at < order.created_at - skewMs
      ? [`has the closed_at ${closed_at}`]
      : []),
  ];
}

function wrongFacts(order: Order): string[] {
  const { id, plan, amount, currency, paid, credited_at, created_at, expires_at, booked_as } = order;
  const isOfOperator = paid?.via === "operator";
  return [
    ...wrongPoints(order),
    ...differences(order, { created_at: timeOf(id), kind: plan ? "plan" : "recharge" }),
    ...(expires_at > created_at ? [] : [`has the expires_at ${expires_at}`]),
    ...(paid && !isOfOperator ? differences(paid, { amount }) : []),
    ...(paid ? differences(paid, { currency }) : []),
    ...(paid?.returned !== undefined && (paid.returned < 1 || keptOf(paid) < 1)
      ? [`has the paid.returned ${paid.returned}`]
      : []),
    ...(paid && !paid.transaction ? ["has no transaction"] : []),
    ...(paid && paid.at < created_at - skewMs ? [`has the paid.at ${paid.at}`] : []),
    ...(paid && credited_at !== undefined && paid.at > credited_at + skewMs
      ? [`has the paid.at ${paid.at}`]
      : []),
    ...((booked_as === undefined) === (credited_at === undefined)
      ? []
      : [`has the booked_as ${booked_as ?? "none"}, and the credited_at ${credited_at ?? "none"}`]),
    ...([undefined, "points", "plan"].includes(booked_as) ? [] : [`has the booked_as ${booked_as}`]),
    ...(booked_as === "plan" && !plan ? ["has the booked_as plan, and no plan"] : []),
  ];
}

/** Points that pay for a plan are worth themselves, and their payment is the order's own. */
function wrongPoints(order: Order): string[] {
  const { id, channel, currency, amount, paid } = order;
  if (channel !== "points") return currency === pointsCurrency ? [`has the currency ${currency}`] : [];
  const points = formatMoney(amount, pointsCurrency);
  return [
    ...differences(order, { currency: pointsCurrency, points }),
    ...(paid?.transaction === id ? [] : [`has the transaction ${paid?.transaction ?? "none"}`]),
  ];
}

/** An order is credited at the instant of its entry, and one of a plan has the plan's fee of that instant. */
function wrongBooking(
  order: Order,
  entries: ReadonlyMap<string, Entry>,
  fees: ReadonlyMap<string, Entry[]>,
): string[] {
  const entry = entries.get(`credit#order.${order.id}`);
  if (!entry || order.credited_at === undefined) return [];
  const byHand = entry.debit === "cash:operator";
  const when = byHand ? [] : differences(order, { credited_at: entry.at });
  if (entry.kind !== "payment") return when;
  const own = (fees.get(`${order.organization} ${entry.at}`) ?? []).filter(
    ({ points }) => points === entry.points,
  );
  const isOfPlan = own.some(
    ({ fee }) => fee?.plan === order.plan?.plan && fee?.period === order.plan?.period,
  );
  return isOfPlan ? when : [...when, "is a plan that is paid, and has no fee of what was paid"];
}

function wrongRefund(refund: Refund, entries: ReadonlyMap<string, Entry>): string[] {
  const { id, state, created_at, ended_at } = refund;
  const taken = entries.get(`credit#refund.${id}`);
  const back = entries.get(`credit#refund.${id}.back`);
  return [
    ...differences(refund, { created_at: timeOf(id) }),
    ...(taken ? differences(refund, { created_at: taken.at }) : []),
    ...(back ? differences(refund, { ended_at: back.at }) : []),
    ...((ended_at === undefined) === (state === "asked")
      ? []
      : [`has the ended_at ${ended_at ?? "none"}, and is ${state}`]),
    ...(ended_at !== undefined && ended_at < created_at - skewMs ? [`has the ended_at ${ended_at}`] : []),
  ];
}

/** An organization finds each of its orders by its place, which has the hashes of what the order says, and nothing else. */
function misplacedOrders(
  items: Sorted,
  orders: readonly Order[],
  hashes: Pick<KeptBooks, "hashOf">,
): string[] {
  const places = new Map(items.of("place of an order").map(({ pk, sk, fields }) => [`${pk} ${sk}`, fields]));
  const named = new Map(orders.map((order) => [`O#${order.organization} R#${order.id}`, order]));
  return [
    ...[...named].flatMap(([name, order]) => {
      if (!places.has(name)) return [`${name}: the place of this order is not there, by its organization`];
      const { h, p } = places.get(name) ?? {};
      return [
        ...(isHashOf(h, orderedFacts(order), hashes)
          ? []
          : [`${name} is not what was ordered: the h of its place differs`]),
        ...(isHashOf(p, order.paid ?? {}, hashes)
          ? []
          : [`${name} has another paid than was booked: the p of its place differs`]),
      ];
    }),
    ...[...places.keys()]
      .filter((place) => !named.has(place))
      .map((place) => `${place}: the order of this place is not there`),
  ];
}

function miscounted(items: Sorted, orders: readonly Order[]): string[] {
  const open = Map.groupBy(
    orders.filter(({ state }) => isOpen(state)),
    ({ organization }) => `O#${organization}`,
  );
  const counted = new Map(items.of("open orders").map(({ pk, fields }) => [pk, Number(fields?.open ?? 0)]));
  const names = new Set([...open.keys(), ...counted.keys()]);
  return [...names].flatMap((pk) => {
    const [is, must] = [counted.get(pk) ?? 0, open.get(pk)?.length ?? 0];
    return is === must ? [] : [`${pk} R has the open ${is}, and ${must} orders wait`];
  });
}
