/** What becomes of orders in a history: customers pay, look, close and get refunds, and others forge calls. */

import { type PaymentChannel, paymentChannels } from "#shared/books/catalog/catalog.ts";
import type { OrderDeps } from "#shared/people/orders/deps.ts";
import { type RefundDeps, startRefund } from "#shared/people/orders/refund.ts";
import { endUnwanted, lookAt } from "#shared/people/orders/tend.ts";
import type { Order } from "#shared/people/payments/order.ts";
import { isOpen } from "#shared/people/payments/states.ts";
import { orderDeps } from "#test/support/orders.ts";
import type { OrderWorld } from "./world.ts";

/** When a history begins: in the middle of a month, or where the next month begins within its first hours. */
export function startOf(seed: number): number {
  return Date.parse(seed % 3 === 0 ? "2026-11-30T16:00:00Z" : "2026-11-23T09:00:00Z");
}
export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;

/** Plans what happens to a channel's trades: customers pay, look, close and get refunds, and others forge notices. */
export function act(world: OrderWorld, channel: PaymentChannel): void {
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

function pay(id: string, channel: PaymentChannel, world: OrderWorld): void {
  const { random } = world.scheduler;
  const trade = world.trades[channel].trades.get(id);
  const amount = random.chance(0.05) && trade ? trade.amount - 1 : undefined;
  if (!world.trades[channel].pay(id, amount)) return;
  world.scheduler.note(null, `${id} is paid`);
  for (let n = random.between(1, 2); n > 0; n--) world.tell(world.trades[channel].evidence(id, channel));
  if (random.chance(0.1) && channel !== "wechat" && amount === undefined) payBackEarly(id, channel, world);
}

/**
 * A part of a payment goes back at the platform just after it was made, so that we may hear of it before the payment. WeChat
 * Pay says no sum. Alipay says one in its calls alone.
 */
function payBackEarly(id: string, channel: PaymentChannel, world: OrderWorld): void {
  const { trades, scheduler } = world;
  const trade = trades[channel].trades.get(id);
  if (!trade || trade.amount < 2) return;
  const refunded = scheduler.random.between(1, trade.amount - 1);
  trades[channel].returnElsewhere(id, refunded);
  scheduler.note(null, `${id} is paid back in part`);
  const told = { ...trades[channel].evidence(id, channel), state: "refunded", refunded } as const;
  world.tell(told);
  // All of these may be lost. The last one comes when nothing goes wrong any more. It is of a refund of ours, if there was
  // one: each call tells what has gone back in all.
  scheduler.after(world.start + 31 * hourMs - scheduler.now, null, () =>
    world.tell({ ...told, refunded: trade.refunded }),
  );
}

/** A bank is late: the payment arrives although the platform has closed the order. */
function payLate(id: string, channel: PaymentChannel, world: OrderWorld): void {
  const trade = world.trades[channel].trades.get(id);
  // A payment that Stripe has cancelled is never charged.
  if (trade?.state !== "closed" || trade.automatic) return;
  world.trades[channel].settle(id);
  world.scheduler.note(null, `${id} is paid late`);
  world.tell(world.trades[channel].evidence(id, channel));
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
    withOrder(id, deps, async (order) => isOpen(order.state) && (await endUnwanted(order, "page", deps))),
  );
}

/** Somebody else's payment, said to be for this order: signed by the platform, but for another amount or account. */
function forge(id: string, channel: PaymentChannel, world: OrderWorld): void {
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
    channel: { ...paid, amount, channel: random.pick(paymentChannels.filter((each) => each !== channel)) },
    currency: { ...paid, amount, currency: "KWD" },
  };
  world.tell(forged[kind]);
}

/** Somebody at the merchant pays an order back that was credited, on the platform's own pages. */
async function payBackElsewhere(id: string, channel: PaymentChannel, world: OrderWorld): Promise<void> {
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

/** Without a channel it is an order of points, which no platform pays back. */
export function refund(id: string, channel: PaymentChannel | undefined, world: OrderWorld): void {
  const { random } = world.scheduler;
  if (channel)
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
