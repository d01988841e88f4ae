/** What must be true of automatic orders (people/payments/auto-top-up.md), at each write and in the end. */
import { parsePoints } from "#shared/books/billing/points.ts";
import type { Item } from "#shared/edges/store/dynamodb/attributes.ts";
import { readText } from "#shared/edges/store/dynamodb/attributes.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createAutoTopUps } from "#shared/edges/store/orders/auto-top-ups.ts";
import { readOrder } from "#shared/edges/store/orders/order-item.ts";
import { topUpMonth } from "#shared/people/payments/auto-top-up.ts";
import type { Order } from "#shared/people/payments/order.ts";
import { isBooked } from "#shared/people/payments/states.ts";
import type { Trade } from "#test/support/trades.ts";
import type { Automated } from "./automatic.ts";
import type { OrderWorld } from "./world.ts";

/** A process may sleep for so long between its look at a wallet and its write, and points may come meanwhile. */
const sleepMs = 25 * 60_000;

/** The automatic orders of a history as they are written: what is wrong with them at that moment. */
export class AutomaticWatch {
  readonly told: string[] = [];
  readonly #open = new Map<string, Set<string>>();
  /** What is still to be compared with the wallet of the moment. */
  readonly #made: Promise<void>[] = [];

  /** Told of each write of an order. */
  saw(before: Item | undefined, after: Item | undefined, world: OrderWorld): void {
    if (!after || readText(after.sk) !== "-" || !readText(after.pk).startsWith("R#") || !after.automatic)
      return;
    const order = readOrder(after);
    const open = this.#open.get(order.organization) ?? new Set();
    this.#open.set(order.organization, open);
    // One that has closed is in nobody's way, whatever is doubted about it later.
    const isOver = isBooked(order) || order.closed_at !== undefined;
    if (isOver) open.delete(order.id);
    else open.add(order.id);
    if (open.size > 1) this.told.push(`${[...open].join(" and ")} are open at once`);
    if (!before) this.#made.push(this.#compare(order, world));
  }

  /** What was found, once all of it is read. */
  async found(): Promise<string[]> {
    await Promise.all(this.#made);
    return this.told;
  }

  /** The wallet was low when the order was made, unless other points have just come. */
  async #compare({ id, organization }: Order, { quiet, automated, scheduler }: OrderWorld): Promise<void> {
    const own = automated.find((each) => each.organization.id === organization);
    const left = await createMeters(quiet.aws, quiet.tables).balance(own?.organization.wallet?.meter ?? "");
    const isDisturbed = own?.others.some((at) => at > scheduler.now - sleepMs);
    if (own && !isDisturbed && left >= parsePoints(own.terms.below))
      this.told.push(`${id} was made though the wallet had enough`);
  }
}

/** What is wrong in the end with what organizations have bought by themselves. */
export async function wrongTopUps(orders: readonly Order[], world: OrderWorld): Promise<string[]> {
  const told = await world.watch.found();
  const known = new Map(orders.map((order) => [order.id, order]));
  for (const [id, trade] of world.trades.stripe.trades) {
    const { customer } = trade.automatic ?? {};
    const order = known.get(id);
    if (customer === undefined) continue;
    if (!order?.automatic) told.push(`${id} is a charge without an order`);
    else if (customer !== `cus-${order.organization}`) told.push(`${id} is charged to somebody else`);
  }
  for (const automated of world.automated) told.push(...(await wrongOf(automated, orders, world)));
  return told;
}

async function wrongOf(automated: Automated, all: readonly Order[], world: OrderWorld): Promise<string[]> {
  const { id } = automated.organization;
  const told: string[] = [];
  const orders = all.filter((order) => order.organization === id && order.automatic);
  const topUps = createAutoTopUps(world.quiet.aws, world.quiet.tables);
  const topUp = await topUps.of(id);
  const open = orders.find((order) => order.id === topUp.order);
  if (topUp.order !== undefined && (!open || isBooked(open) || open.state === "closed"))
    told.push(`the place of ${topUp.order} is not free, which is ${open?.state}`);
  for (const [month, own] of Map.groupBy(orders, topUpMonth)) {
    // Forged evidence may bring one that has closed to review. Its sum was given back all the same.
    const counted = own
      .filter(({ closed_at }) => closed_at === undefined)
      .reduce((sum, { amount }) => sum + amount, 0);
    const used = await topUps.used(id, month, automated.terms.currency);
    if (used !== counted) told.push(`${month} counts ${used}, and its orders are ${counted}`);
    const paid = own
      .filter((order) => tradeOf(order, world)?.state === "paid")
      .reduce((sum, { amount }) => sum + amount, 0);
    if (paid > automated.terms.month_max) told.push(`${paid} was charged in ${month}: too much`);
  }
  return [...told, ...afterOff(automated, orders, world), ...hammered(automated, orders, world)];
}

const tradeOf = ({ id }: Order, { trades }: OrderWorld): Trade | undefined => trades.stripe.trades.get(id);

/** After an answer to who turned it off nothing is charged but the order that it named, until it is turned on again. */
function afterOff({ ons, offs }: Automated, orders: readonly Order[], world: OrderWorld): string[] {
  return offs.flatMap(({ at, order: named }) => {
    const until = Math.min(...ons.filter((on) => on >= at), Number.POSITIVE_INFINITY);
    const isSince = ons.some((on) => on <= at && !wasAnswered(on, at, offs));
    const late = orders.filter((order) => {
      const { paid_at = 0 } = tradeOf(order, world) ?? {};
      return order.id !== named && paid_at > at && paid_at < until;
    });
    return isSince ? [] : late.map(({ id }) => `${id} was charged after it was turned off`);
  });
}

/** Whether somebody who began to turn it on at `on` was done before the switch to off began. Else both ran at once. */
function wasAnswered(on: number, at: number, offs: Automated["offs"]): boolean {
  return offs.length > 0 && at - on > sleepMs;
}

/** A card that was declined for good is not charged again until a person turns it on; else three times in a row at most. */
function hammered({ ons }: Automated, orders: readonly Order[], world: OrderWorld): string[] {
  const tried = orders
    .flatMap((order) => {
      const { paid_at, declined, declined_at } = tradeOf(order, world) ?? {};
      const at = paid_at ?? declined_at;
      return at === undefined ? [] : [{ at, declined }];
    })
    .sort((one, other) => one.at - other.at);
  const told: string[] = [];
  let failures = 0;
  let last = 0;
  let isFinal = false;
  for (const { at, declined } of tried) {
    if (ons.some((on) => on >= last - sleepMs && on <= at)) [failures, isFinal] = [0, false];
    if (isFinal) told.push(`a card was charged after it was declined, at ${at}`);
    failures = declined ? failures + 1 : 0;
    if (failures > 3) told.push(`a card was declined ${failures} times in a row`);
    isFinal = declined !== undefined && !declined.retry;
    last = at;
  }
  return told;
}
