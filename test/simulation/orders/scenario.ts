/** Draws the history of some orders out of a seed, lets it happen, and says what is wrong in the end. */
import "../instantly.ts";
import type { Organization } from "#shared/accounts/account.ts";
import { onePoint } from "#shared/billing/points.ts";
import type { Caller } from "#shared/identity/caller.ts";
import { createOrder, type NewOrder } from "#shared/operations/orders/create.ts";
import type { OrderDeps } from "#shared/operations/orders/deps.ts";
import { takeNotice } from "#shared/operations/orders/notice.ts";
import { quoteNow } from "#shared/operations/orders/quote.ts";
import { type RefundDeps, startRefund } from "#shared/operations/orders/refund.ts";
import { endOrder, lookAt } from "#shared/operations/orders/tend.ts";
import { type Channel, channels, type Order } from "#shared/payments/order.ts";
import { promiseOf } from "#shared/payments/plan-deal.ts";
import { methodOf, priceIn } from "#shared/payments/recharge.ts";
import { isOpen } from "#shared/payments/states.ts";
import { createLedger } from "#shared/store/ledger/ledger.ts";
import { catalog, orderDeps } from "#test/support/orders.ts";
import { plantFault } from "../planted.ts";
import { Scheduler } from "../scheduler.ts";
import { auditDeps, type Faults, wrongs } from "./books.ts";
import { drawOrderWeather } from "./weather.ts";
import { type OrderMutation, OrderWorld } from "./world.ts";

export interface OrderOutcome extends Faults {
  seed: number;
  orders: number;
  /** How many orders ended in each state. */
  states: Record<string, number>;
  /** How long payments waited in a world where only the platforms' calls were lost, ms. */
  waits: number[];
  told: ReadonlyMap<string, number>;
  steps: number;
  violations: string[];
  trace: string[];
}

const start = Date.parse("2026-11-23T09:00:00Z");
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Plays one seed. The same seed does the same each time. With `fault` the audit must name one that is planted in the end. */
export async function simulateOrders(
  seed: number,
  {
    trace = false,
    fault = false,
    mutation,
  }: { trace?: boolean; fault?: boolean; mutation?: OrderMutation } = {},
): Promise<OrderOutcome> {
  const scheduler = new Scheduler(seed, start, trace);
  return await scheduler.owning(async () => {
    const { random } = scheduler;
    const world = new OrderWorld(scheduler, drawOrderWeather(random), mutation);
    for (let n = random.between(1, 2); n > 0; n--) {
      const organization = await world.signUp();
      if (random.chance(0.4)) await subscribe(organization, world);
      for (let orders = random.between(1, 3); orders > 0; orders--) begin(organization, world);
      // Several plans that are all open before the first is paid.
      if (random.chance(0.3))
        for (let orders = random.between(2, 3); orders > 0; orders--) begin(organization, world, true);
      if (random.chance(0.4))
        scheduler.after(random.between(1, 25 * hourMs), null, () => void give(organization, world));
      for (let times = random.between(0, 2); times > 0; times--)
        scheduler.after(random.between(1, 25 * hourMs), null, () => void spend(organization, world));
    }
    await scheduler.proceed(start + 30 * hourMs, () => {});
    world.calmDown();
    // Refunds that the platforms have not finished come to their end, and then everything comes to rest.
    for (const trades of Object.values(world.trades)) trades.finishRefunds();
    // A payment that went back without us is found a week after it was credited at the latest.
    await scheduler.proceed(start + 9 * 24 * hourMs, () => {});
    const { faults, told: violations, orders, waits } = await wrongs(world);
    if (fault)
      violations.push(
        ...(await plantFault(
          seed,
          world.db,
          auditDeps(world.quiet, () => scheduler.now),
        )),
      );
    const states: Record<string, number> = {};
    for (const { state } of orders) states[state] = (states[state] ?? 0) + 1;
    return {
      ...{ seed, ...faults, orders: orders.length, states, told: world.told },
      ...{ waits, steps: scheduler.steps, violations, trace: scheduler.trace ?? [] },
    };
  });
}

/** A customer orders at some time, and everybody acts on the order as soon as it is there. */
function begin(organization: Organization, world: OrderWorld, ofPlan = false): void {
  const { scheduler } = world;
  const { random } = scheduler;
  const channel = random.pick(channels);
  const isPlan = ofPlan || random.chance(0.4);
  const caller = { organization, user: { id: "usr_1", name: "Li" } } as unknown as Caller;
  const key = random.chance(0.5) ? `key-${random.between(1, 1e9)}` : undefined;
  const from = {
    caller,
    ip: "203.0.113.7",
    origin: "https://c.test",
    notifyBase: "https://c.test",
    idempotencyKey: key,
  };
  const choice = {
    plan: random.pick(["lite", "pro", "pro"]),
    period: random.pick(["monthly", "monthly", "quarterly"] as const),
  };
  const amount = random.between(100, 20_000);
  const order = async (deps: OrderDeps) => {
    const wanted = isPlan ? await planOf(organization, choice, channel, deps) : rechargeOf(amount, channel);
    const made = await createOrder(wanted, from, deps);
    // A repetition gets the order of the first request, and its promise.
    if (wanted.plan) world.promises.set(made.id, { ...wanted.plan, ...made.plan });
    return made;
  };
  const tries = key === undefined ? 1 : random.between(1, 3);
  scheduler.after(random.between(1, 20 * minuteMs), null, () => {
    for (let n = 0; n < tries; n++) world.invoke("create", order);
  });
  // Ids are the orders' own, so who acts on one finds it in the platform's list.
  scheduler.after(random.between(1, 25 * minuteMs), null, () => act(world, channel));
}

/** An organization that has bought a small plan before anything goes wrong. */
async function subscribe(organization: Organization, world: OrderWorld): Promise<void> {
  const deps = orderDeps(world.quiet, world.trades, world.scheduler);
  const choice = { plan: "lite", period: "monthly" } as const;
  const wanted = await planOf(organization, choice, "wechat", deps);
  const from = { origin: "https://c.test", notifyBase: "https://c.test", idempotencyKey: undefined };
  const caller = { organization, user: { id: "usr_1", name: "Li" } } as unknown as Caller;
  const { id } = await createOrder(wanted, { ...from, caller, ip: "203.0.113.7" }, deps);
  world.trades.wechat.pay(id);
  await takeNotice(world.trades.wechat.evidence(id, "wechat"), deps);
}

function rechargeOf(amount: number, channel: Channel): NewOrder {
  return { method: methodOf({ channel, currency: undefined }, catalog.recharge(), [channel]), amount };
}

async function planOf(
  { id }: Organization,
  wanted: { plan: string; period: "monthly" | "quarterly" },
  channel: Channel,
  deps: OrderDeps,
): Promise<NewOrder> {
  const { subscription } = (await deps.accounts.organization(id)) ?? {};
  if (!subscription) throw new Error("no subscription");
  const quote = await quoteNow(id, subscription, { wanted, mayUpgrade: true }, deps);
  const method = methodOf({ channel, currency: undefined }, catalog.recharge(), [channel]);
  return { method, amount: priceIn(quote.price - quote.unused, method), plan: promiseOf(quote) };
}

/** Plans what happens to a channel's trades: customers pay, look, close and get refunds, and others forge notices. */
function act(world: OrderWorld, channel: Channel): void {
  const { scheduler, trades } = world;
  const { random } = scheduler;
  for (const id of trades[channel].trades.keys()) {
    const soon = (most: number) => random.between(1, most);
    if (random.chance(0.7)) scheduler.after(soon(20 * minuteMs), null, () => pay(id, channel, world));
    if (random.chance(0.1)) scheduler.after(soon(20 * hourMs), null, () => payLate(id, channel, world));
    if (random.chance(0.5)) watch(id, world, scheduler.now + soon(16 * minuteMs));
    if (random.chance(0.4)) scheduler.after(soon(16 * minuteMs), null, () => close(id, world));
    if (random.chance(0.2)) scheduler.after(soon(hourMs), null, () => forge(id, channel, world));
    if (random.chance(0.1))
      scheduler.after(soon(25 * hourMs), null, () => void payBackElsewhere(id, channel, world));
    for (let n = random.between(0, 2); n > 0; n--)
      scheduler.after(soon(25 * hourMs), null, () => refund(id, channel, world));
  }
}

function pay(id: string, channel: Channel, world: OrderWorld): void {
  const { random } = world.scheduler;
  const trade = world.trades[channel].trades.get(id);
  const amount = random.chance(0.05) && trade ? trade.amount - 1 : undefined;
  if (!world.trades[channel].pay(id, amount)) return;
  world.scheduler.note(null, `${id} is paid`);
  for (let n = random.between(1, 2); n > 0; n--) world.tell(world.trades[channel].evidence(id, channel));
}

/** A bank is late: the payment arrives although the platform has closed the order. */
function payLate(id: string, channel: Channel, world: OrderWorld): void {
  const trade = world.trades[channel].trades.get(id);
  if (trade?.state !== "closed") return;
  world.trades[channel].settle(id);
  world.scheduler.note(null, `${id} is paid late`);
  world.tell(world.trades[channel].evidence(id, channel));
}

/** Calls use points, so that fewer are left to be paid back. */
async function spend({ id, wallet }: Organization, { scheduler, quiet }: OrderWorld): Promise<void> {
  const meter = wallet?.meter ?? "";
  const points = -BigInt(scheduler.random.between(1, 200)) * onePoint;
  const reference = `spent-${scheduler.random.between(1, 1e9)}`;
  const credit = {
    organization: id,
    meter,
    points,
    kind: "adjustment",
    reference,
    at: scheduler.now,
  } as const;
  await createLedger(quiet.aws, quiet.tables)
    .credit(credit)
    .catch((error: unknown) => scheduler.note(null, `cannot spend: ${String(error)}`));
}

/** Points that nobody has paid for. */
async function give({ id, wallet }: Organization, { scheduler, quiet }: OrderWorld): Promise<void> {
  const reference = `given-${scheduler.random.between(1, 1e9)}`;
  await createLedger(quiet.aws, quiet.tables).credit({
    ...{ organization: id, meter: wallet?.meter ?? "", at: scheduler.now, reference },
    ...{ points: BigInt(scheduler.random.between(1, 200)) * onePoint, kind: "promotional" },
  });
}

/** A page asks every three seconds, and here only sometimes, until it is closed. */
function watch(id: string, world: OrderWorld, until: number): void {
  const { scheduler } = world;
  if (scheduler.now >= until) return;
  world.invoke("page", async (deps) => withOrder(id, deps, (order) => lookAt(order, "page", deps)));
  scheduler.after(scheduler.random.between(3_000, 4 * minuteMs), null, () => watch(id, world, until));
}

function close(id: string, world: OrderWorld): void {
  world.invoke("close", (deps) =>
    withOrder(id, deps, async (order) => isOpen(order.state) && (await endOrder(order, "page", deps))),
  );
}

/** Somebody else's payment, said to be for this order: signed by the platform, but for another amount or account. */
function forge(id: string, channel: Channel, world: OrderWorld): void {
  const { random } = world.scheduler;
  const told = world.trades[channel].evidence(id, channel);
  const paid = {
    ...told,
    state: "paid" as const,
    transaction: "other",
    amount: 1,
    currency: "CNY",
    paid_at: 0,
  };
  const kind = random.pick(["amount", "account", "channel", "currency"] as const);
  const amount = world.trades[channel].trades.get(id)?.amount ?? 1;
  const forged = {
    amount: paid,
    account: { ...paid, amount, accounts: { app_id: "attacker" } },
    channel: { ...paid, amount, channel: random.pick(channels.filter((each) => each !== channel)) },
    currency: { ...paid, amount, currency: "KWD" },
  };
  world.tell(forged[kind]);
}

/** Somebody at the merchant pays an order back that was credited, on the platform's own pages. */
async function payBackElsewhere(id: string, channel: Channel, world: OrderWorld): Promise<void> {
  const { random } = world.scheduler;
  const order = await orderDeps(world.quiet, world.trades, world.scheduler).orders.find(id);
  const trade = world.trades[channel].trades.get(id);
  const left = (trade?.amount ?? 0) - (trade?.refunded ?? 0);
  // WeChat Pay does not say how much went back, so after a refund of ours nobody can tell.
  if (!order?.credited_at || !trade || left < 1 || (channel === "wechat" && trade.refunded > 0)) return;
  world.trades[channel].returnElsewhere(id, channel === "stripe" ? random.between(1, left) : left);
  world.scheduler.note(null, `${id} is paid back elsewhere`);
  world.tell(world.trades[channel].evidence(id, channel));
}

function refund(id: string, channel: Channel, world: OrderWorld): void {
  const { random } = world.scheduler;
  world.trades[channel].refundOutcomes.push(random.pick(["done", "done", "pending", "refused"] as const));
  // Without an amount all is paid back that can be.
  const part = random.pick([0, 0, 1, 2]);
  const ask = (deps: OrderDeps & RefundDeps) =>
    withOrder(id, deps, async (order) => {
      const amount = part > 0 && { amount: Math.floor((order.paid?.amount ?? 0) / part) };
      await startRefund(order, { ...amount, reason: "asked for" }, deps);
    });
  world.invoke("refund", ask);
  if (random.chance(0.3)) world.invoke("refund", ask);
}

async function withOrder(
  id: string,
  deps: OrderDeps,
  then: (order: Order) => Promise<unknown>,
): Promise<void> {
  const order = await deps.orders.find(id);
  if (order) await then(order);
}
