/**
 * One organization that orders plans, with books in memory, and a naive model of what it has paid for: stretches of time.
 * A state is never changed, so that a search may go back to it.
 */

import { GatewayError } from "#shared/base/errors.ts";
import type { Organization, PlanChoice, Subscription } from "#shared/books/accounts/account.ts";
import { isRunning, planAt } from "#shared/books/accounts/subscription.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import type { PlanFee } from "#shared/books/ledger/ledger.ts";
import { feeEntry, feeId, feePoints } from "#shared/books/ledger/plan-fee.ts";
import { bookOrder } from "#shared/people/orders/book.ts";
import type { OrderedFrom } from "#shared/people/orders/create.ts";
import type { OrderDeps } from "#shared/people/orders/deps.ts";
import { payWithPoints } from "#shared/people/orders/pay-with-points.ts";
import { quoteNow } from "#shared/people/orders/quote.ts";
import type { Order, PlanOrder } from "#shared/people/payments/order.ts";
import { dealOf, promiseOf } from "#shared/people/payments/plan-deal.ts";
import { methodOf, priceIn, walletMethod, worthOf } from "#shared/people/payments/recharge.ts";
import { catalog, newOrder } from "../../../support/orders.ts";

export const hourMs = 3_600_000;

/** Time that is paid for, [from, to). */
interface Stretch extends PlanChoice {
  from: number;
  to: number;
}

export interface DealState {
  subscription: Subscription;
  fees: ReadonlyMap<string, PlanFee>;
  /** 10⁻¹⁸ points: what was paid for plans, and what became points. */
  paid: bigint;
  points: bigint;
  /** What was paid for, in order of time, by the model. */
  stretches: readonly Stretch[];
}

const method = methodOf({ channel: "alipay", currency: undefined }, catalog.recharge(), ["alipay"]);

export function onFree(now: number): DealState {
  const subscription: Subscription = {
    ...{ plan: "free", period: "monthly", meter: "mtr_1", started_at: now, ends_at: null },
    paid: { from: now },
  };
  return { subscription, fees: new Map(), paid: 0n, points: 0n, stretches: [] };
}

/** The order that is made at `now`; undefined where the plan is not sold then. */
export async function orderOf(state: DealState, wanted: PlanChoice, now: number): Promise<Order | undefined> {
  const asked = { wanted, mayUpgrade: true };
  const quote = await quoteNow("org_1", state.subscription, asked, depsOf({ state }, now)).catch(
    () => undefined,
  );
  if (!quote) return undefined;
  const amount = priceIn(quote.price - quote.unused, method);
  const points = String(worthOf(amount, method) / 10n ** 18n);
  return newOrder("org_1", now, { kind: "plan", amount, points, plan: promiseOf(quote) });
}

/** Pays an order at `now`. Gives the state then, and as what it was booked by the product and by the model. */
export async function pay(
  state: DealState,
  order: Order,
  now: number,
): Promise<{ state: DealState; booked: Order["booked_as"]; wanted: Order["booked_as"] }> {
  const at = { state };
  const facts = {
    transaction: "txn",
    amount: order.amount,
    currency: "CNY",
    at: now,
    via: "notice",
  } as const;
  const { booked_as } = await bookOrder({ ...order, state: "paid", paid: facts }, depsOf(at, now));
  const held = holds(state.stretches, order, now);
  const stretches = held ? withStretch(state.stretches, held, now) : state.stretches;
  return { state: { ...at.state, stretches }, booked: booked_as, wanted: held ? "plan" : "points" };
}

/** A deal that a page has shown: what points are paid for. */
export interface Shown {
  deal: string;
  plan: PlanOrder;
}

/** What a page shows at `now` of a plan that points pay for; undefined where the plan is not sold then. */
export async function shownAt(state: DealState, wanted: PlanChoice, now: number): Promise<Shown | undefined> {
  const quote = await quoteNow(
    "org_1",
    state.subscription,
    { wanted, mayUpgrade: true },
    depsOf({ state }, now),
  ).catch(() => undefined);
  if (!quote) return undefined;
  const pay = priceIn(quote.price - quote.unused, walletMethod);
  return { deal: dealOf(promiseOf(quote), { currency: "points", pay }), plan: promiseOf(quote) };
}

/** Pays a deal with points at `now`. Gives the state then, and whether the product and the model take the points. */
export async function payPoints(
  state: DealState,
  { deal, plan }: Shown,
  now: number,
): Promise<{ state: DealState; taken: boolean; wanted: boolean; points: bigint }> {
  const at = { state };
  const organization = { id: "org_1", wallet: { meter: "mtr_2" }, status: "active" };
  const caller = { organization, user: { id: "usr_1", name: "Li" } } as unknown as OrderedFrom["caller"];
  const from = { caller, ip: "", origin: "", notifyBase: "", idempotencyKey: undefined };
  const wantedPlan = { plan: plan.plan, period: plan.period };
  const order = await payWithPoints({ plan: wantedPlan, deal }, from, depsOf(at, now)).catch(
    (error: unknown) => {
      if (error instanceof GatewayError) return undefined;
      throw error;
    },
  );
  const held = holds(state.stretches, { plan }, now);
  // A page that has shown a renewal does not sell a plan from now on.
  const isOther = plan.action === "renew" && held?.from === now;
  const wanted = held !== undefined && !isOther;
  const stretches = held && wanted ? withStretch(state.stretches, held, now) : state.stretches;
  const points = order ? parsePoints(order.points) : 0n;
  return { state: { ...at.state, stretches }, taken: order !== undefined, wanted, points };
}

/** What the product's subscription gives at an instant, and what the model's stretches give: the plan that was paid for. */
export function givenAt({ subscription, stretches }: DealState, at: number): [string, string] {
  const { plan } = planAt(subscription, at);
  const product = isRunning(subscription, at) && subscription.ends_at !== null ? plan : "none";
  return [product, stretches.find(({ from, to }) => from <= at && at < to)?.plan ?? "none"];
}

/** What the organization owes: the fees less what was paid for them. */
export function owes({ fees, paid }: DealState): bigint {
  return [...fees.values()].reduce((sum, fee) => sum + feePoints(fee), 0n) - paid;
}

/** The time that the order buys at `now`, if that is what it promised. */
function holds(
  stretches: readonly Stretch[],
  { plan: promised }: Pick<Order, "plan">,
  now: number,
): Stretch | undefined {
  const { plan, period, action, from, starts_at = 0, ends_at = 0 } = promised ?? raise();
  const last = stretches.at(-1);
  if (!last || last.to <= now)
    return action === "upgrade" ? undefined : { plan, period, from: now, to: after(now + 60_000, period) };
  const isBehind = from?.plan === last.plan && from.period === last.period;
  if (action === "renew")
    return isBehind && last.to === starts_at ? { plan, period, from: starts_at, to: ends_at } : undefined;
  const months = monthsLeft(last.to, now);
  const isInTime = monthBack(last.to, months - 1) - now >= hourMs;
  const isSame = isBehind && last.to === ends_at && months === monthsLeft(ends_at, starts_at);
  return action === "upgrade" && isSame && isInTime ? { plan, period, from: now, to: ends_at } : undefined;
}

function raise(): never {
  throw new Error("an order of no plan");
}

function withStretch(stretches: readonly Stretch[], next: Stretch, now: number): Stretch[] {
  const before =
    next.from <= now ? stretches.flatMap((each) => (each.from < now ? [cut(each, now)] : [])) : stretches;
  return [...before, next];
}

const cut = (stretch: Stretch, at: number) => ({ ...stretch, to: Math.min(stretch.to, at) });

/** All days of these tests are before the 29th, so months can be counted by the calendar. */
function after(at: number, period: PlanChoice["period"]): number {
  return monthBack(new Date(at).setUTCHours(0, 0, 0, 0), -{ monthly: 1, quarterly: 3, yearly: 12 }[period]);
}

function monthBack(at: number, months: number): number {
  const day = new Date(at);
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() - months, day.getUTCDate());
}

function monthsLeft(end: number, at: number): number {
  let months = 1;
  while (monthBack(end, months) > at) months += 1;
  return months;
}

/** The ports of orders, over one state that is replaced. */
function depsOf(at: { state: DealState }, now: number): OrderDeps {
  const organization = () =>
    ({
      id: "org_1",
      wallet: { meter: "mtr_2", shards: 1 },
      subscription: at.state.subscription,
    }) as Organization;
  const orders: Partial<OrderDeps["orders"]> = {
    async fulfil(order, { payment, fee, before, after: changed }) {
      const { subscription, fees, paid } = at.state;
      if (before !== subscription || fees.has(feeId(fee))) return "changed";
      at.state = {
        ...at.state,
        subscription: changed,
        fees: new Map([...fees, [feeId(fee), fee]]),
        paid: paid + payment.points,
      };
      return { ...order, state: "credited", booked_as: "plan" };
    },
    async buy(_order, { payment, fee, before, after: changed }) {
      const { subscription, fees, paid } = at.state;
      if (before !== subscription || fees.has(feeId(fee))) return { outcome: "changed" };
      at.state = {
        ...at.state,
        subscription: changed,
        fees: new Map([...fees, [feeId(fee), fee]]),
        paid: paid - payment.points,
      };
      return { outcome: "created" };
    },
    async credit(order, { points }) {
      at.state = { ...at.state, points: at.state.points + points };
      return { ...order, state: "credited", booked_as: "points" };
    },
  };
  return {
    orders: orders as OrderDeps["orders"],
    accounts: { organization: async () => organization() },
    ledger: {
      async feeOf(id, period) {
        const fee = at.state.fees.get(feeId(period));
        return fee && feeEntry(id, fee, now);
      },
    },
    platforms: undefined as unknown as OrderDeps["platforms"],
    topUps: undefined as unknown as OrderDeps["topUps"],
    catalog,
    audit: { write: async () => {} },
    log: () => {},
    now: () => now,
  };
}

/** What a payment moved in all. */
export function moved({ paid, points }: DealState): bigint {
  return paid + points;
}

export const worthOfOrder = ({ points }: Order) => parsePoints(points);
