/** Draws the history of some orders out of a seed, lets it happen, and says what is wrong in the end. */
import "../instantly.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import { onePoint } from "#shared/books/billing/points.ts";
import { type PaymentChannel, paymentChannels } from "#shared/books/catalog/catalog.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import type { Caller } from "#shared/people/identity/caller.ts";
import { createOrder, type NewOrder, type OrderedFrom } from "#shared/people/orders/create.ts";
import type { OrderDeps } from "#shared/people/orders/deps.ts";
import { takeNotice } from "#shared/people/orders/notice.ts";
import { payWithPoints } from "#shared/people/orders/pay-with-points.ts";
import { quoteNow } from "#shared/people/orders/quote.ts";
import type { OrderChannel } from "#shared/people/payments/order.ts";
import { dealOf, promiseOf } from "#shared/people/payments/plan-deal.ts";
import { methodOf, priceIn, walletMethod } from "#shared/people/payments/recharge.ts";
import { catalog, orderDeps } from "#test/support/orders.ts";
import { plantFault } from "../planted.ts";
import { Scheduler } from "../scheduler.ts";
import { act, hourMs, minuteMs, refund, startOf } from "./acts.ts";
import { automate, fall } from "./automatic.ts";
import { auditDeps, type Faults, wrongs } from "./books.ts";
import { drawOrderWeather } from "./weather.ts";
import { type OrderMutation, OrderWorld } from "./world.ts";

export interface OrderOutcome extends Faults {
  seed: number;
  orders: number;
  /** How many of them nobody made by hand. */
  automatic: number;
  /** How many orders ended in each state. */
  states: Record<string, number>;
  /** How long payments waited in a world where only the platforms' calls were lost, ms. */
  waits: number[];
  told: ReadonlyMap<string, number>;
  steps: number;
  violations: string[];
  trace: string[];
}

/** Plays one seed. The same seed does the same each time. With `fault` the audit must name one that is planted in the end. */
export async function simulateOrders(
  seed: number,
  {
    trace = false,
    fault = false,
    mutation,
  }: { trace?: boolean; fault?: boolean; mutation?: OrderMutation } = {},
): Promise<OrderOutcome> {
  const start = startOf(seed);
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
      for (let times = random.pick([0, 0, 1, 2]); times > 0; times--) buyWithPoints(organization, world);
    }
    if (random.chance(0.4)) await automate(await world.signUp(), world, start + 30 * hourMs);
    await scheduler.proceed(start + 30 * hourMs, () => {});
    world.calmDown();
    // What a dead process has left of an order's end is found by the next pass that finds the wallet low.
    for (const automated of world.automated)
      for (const hours of [2, 48, 96])
        scheduler.after(hours * hourMs, null, () => void fall(automated, world, start + 8 * 24 * hourMs));
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
      ...{
        seed,
        ...faults,
        orders: orders.length,
        automatic: orders.filter((order) => order.automatic).length,
        states,
        told: world.told,
      },
      ...{ waits, steps: scheduler.steps, violations, trace: scheduler.trace ?? [] },
    };
  });
}

/** A customer orders at some time, and everybody acts on the order as soon as it is there. */
function begin(organization: Organization, world: OrderWorld, ofPlan = false): void {
  const { scheduler } = world;
  const { random } = scheduler;
  const channel = random.pick(paymentChannels);
  const isPlan = ofPlan || random.chance(0.4);
  const key = random.chance(0.5) ? `key-${random.between(1, 1e9)}` : undefined;
  const from = orderedBy(organization, key);
  const choice = choiceOf(world);
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

/** A customer pays a plan with points, perhaps with more than the wallet has, and some of these are paid back. */
function buyWithPoints(organization: Organization, world: OrderWorld): void {
  const { scheduler } = world;
  const { random } = scheduler;
  const key = random.chance(0.7) ? `key-${random.between(1, 1e9)}` : undefined;
  const plan = choiceOf(world);
  const points = random.between(100, 2_000);
  const isRefunded = random.chance(0.5);
  const ask = async (deps: OrderDeps) => {
    const pay = await planOf(organization, plan, "points", deps);
    const deal = dealOf(pay.plan ?? never(), { currency: pay.method.currency, pay: pay.amount });
    const made = await payWithPoints({ plan, deal }, orderedBy(organization, key), deps);
    world.promises.set(made.id, made.plan ?? never());
    if (key !== undefined) world.keyed.set(key, new Set([...(world.keyed.get(key) ?? []), made.id]));
    if (isRefunded)
      scheduler.after(random.between(1, 25 * hourMs), null, () => refund(made.id, undefined, world));
  };
  scheduler.after(random.between(1, 20 * hourMs), null, () => {
    void give(organization, world, points);
    const tries = key === undefined ? 1 : random.between(1, 3);
    for (let n = 0; n < tries; n++)
      scheduler.after(random.between(1, random.pick([1_000, 30_000])), null, () =>
        world.invoke("points", ask),
      );
  });
}

/** An organization that has bought a small plan before anything goes wrong. */
async function subscribe(organization: Organization, world: OrderWorld): Promise<void> {
  const deps = orderDeps(world.quiet, world.trades, world.scheduler);
  const choice = { plan: "lite", period: "monthly" } as const;
  const wanted = await planOf(organization, choice, "wechat", deps);
  const { id } = await createOrder(wanted, orderedBy(organization, undefined), deps);
  world.trades.wechat.pay(id);
  await takeNotice(world.trades.wechat.evidence(id, "wechat"), deps);
}

function rechargeOf(amount: number, channel: PaymentChannel): NewOrder {
  return { method: methodOf({ channel, currency: undefined }, catalog.recharge(), [channel]), amount };
}

async function planOf(
  { id }: Organization,
  wanted: { plan: string; period: "monthly" | "quarterly" },
  channel: OrderChannel,
  deps: OrderDeps,
): Promise<NewOrder> {
  const { subscription } = (await deps.accounts.organization(id)) ?? {};
  if (!subscription) throw new Error("no subscription");
  const quote = await quoteNow(id, subscription, { wanted, mayUpgrade: true }, deps);
  const method =
    channel === "points"
      ? walletMethod
      : methodOf({ channel, currency: undefined }, catalog.recharge(), [channel]);
  return { method, amount: priceIn(quote.price - quote.unused, method), plan: promiseOf(quote) };
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
async function give(
  { id, wallet }: Organization,
  { scheduler, quiet }: OrderWorld,
  points = scheduler.random.between(1, 200),
): Promise<void> {
  const reference = `given-${scheduler.random.between(1, 1e9)}`;
  await createLedger(quiet.aws, quiet.tables).credit({
    ...{ organization: id, meter: wallet?.meter ?? "", at: scheduler.now, reference },
    ...{ points: BigInt(points) * onePoint, kind: "promotional" },
  });
}

function choiceOf({ scheduler: { random } }: OrderWorld) {
  return {
    plan: random.pick(["lite", "pro", "pro"]),
    period: random.pick(["monthly", "monthly", "quarterly"] as const),
  };
}

function orderedBy(organization: Organization, idempotencyKey: string | undefined): OrderedFrom {
  const caller = { organization, user: { id: "usr_1", name: "Li" } } as unknown as Caller;
  const origin = "https://c.test";
  return { caller, ip: "203.0.113.7", origin, notifyBase: origin, idempotencyKey };
}

function never(): never {
  throw new Error("an order of no plan");
}
