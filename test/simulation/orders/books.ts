/** What must be true once everything has come to rest: said of the items, and of what the platforms have. */
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import type { PaymentChannel } from "#shared/books/catalog/catalog.ts";
import { creditKindOf } from "#shared/books/ledger/credit.ts";
import type { Entry } from "#shared/books/ledger/ledger.ts";
import { lotsOf } from "#shared/books/ledger/points-used.ts";
import { type AuditDeps, look } from "#shared/edges/audit/audit.ts";
import { postPlanFees } from "#shared/edges/jobs/plan-fees.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createKeptBooks } from "#shared/edges/store/audited.ts";
import { readText } from "#shared/edges/store/dynamodb/attributes.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { readOrder } from "#shared/edges/store/orders/order-item.ts";
import { createOrders } from "#shared/edges/store/orders/orders.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import type { Order } from "#shared/people/payments/order.ts";
import { isBooked } from "#shared/people/payments/states.ts";
import { emptyQueue } from "#test/support/audit-books.ts";
import type { Database } from "#test/support/dynamodb.ts";
import { catalog } from "#test/support/orders.ts";
import type { Trade, Trades } from "#test/support/trades.ts";
import { wrongTopUps } from "./automatic-books.ts";
import type { OrderWorld } from "./world.ts";

/** Paid orders that were not booked, orders that were booked more than once, and unpaid ones that were booked. */
export interface Faults {
  lost: number;
  doubled: number;
  unpaid: number;
}

/** How soon a payment is credited that was made in time, whatever becomes of the platform's calls. */
const promisedMs = 70_000;

/** Everything that is wrong, in sentences; and how long the payments took that had to be found in time, ms. */
export async function wrongs(
  world: OrderWorld,
): Promise<{ faults: Faults; told: string[]; orders: Order[]; waits: number[] }> {
  const { aws, tables } = world.quiet;
  const ledger = createLedger(aws, tables);
  const accounts = createAccounts(aws, tables);
  const now = () => world.scheduler.now;
  await postPlanFees({ accounts, ledger, plan: catalog.plan, log: () => {}, now });
  const entries = await Array.fromAsync(ledger.everyEntry());
  const items = world.db.items("accounts");
  const orders = items
    .filter(({ pk, sk }) => readText(pk).startsWith("R#") && readText(sk) === "-")
    .map(readOrder);
  const { faults, told } = await wrongOrders(orders, entries, world);
  const waits = world.isFair ? orders.flatMap((order) => waitOf(order, world) ?? []) : [];
  for (const wait of waits) if (wait > promisedMs) told.push(`a payment was credited after ${wait} ms`);
  for (const item of items)
    if (readText(item.sk) === "R" && item.open?.N !== "0") told.push(`${item.open?.N} orders count as open`);
  told.push(...orders.flatMap((order) => brokenPromise(order, entries, world)));
  told.push(...(await wrongTopUps(orders, world)));
  told.push(...strayRefunds(entries, world.skewMs));
  told.push(...owed(entries));
  for (const [key, made] of world.keyed) if (made.size > 1) told.push(`${key} made ${made.size} orders`);
  told.push(...(await wrongBooks(world.quiet, now)));
  return { faults, told, orders, waits };
}

/** What the operator's audit finds: sums of wallets and ledger that differ. */
export async function wrongBooks(database: Database, now: () => number): Promise<string[]> {
  const { invariants } = await look(auditDeps(database, now));
  return invariants.flatMap(({ name, holds, detail }) => (holds ? [] : [`audit ${name}: ${detail}`]));
}

/** What an audit of these books reads. */
export function auditDeps({ aws, tables }: Database, now: () => number): AuditDeps {
  return {
    ...{ accounts: createAccounts(aws, tables), ledger: createLedger(aws, tables), queue: emptyQueue, now },
    meters: createMeters(aws, tables),
    kept: createKeptBooks(aws, tables, now),
    tasks: createTasks(aws, tables),
  };
}

/** The platforms' trades, by channel and order. */
export type OrderTrades = Record<PaymentChannel, Pick<Trades, "trades">>;

/** What is wrong with orders that have come to rest, compared with the ledger's entries and the platforms' trades. */
export async function wrongOrders(
  orders: readonly Order[],
  entries: Entry[],
  at: { trades: OrderTrades; quiet: Database },
): Promise<{ faults: Faults; told: string[] }> {
  const faults: Faults = { lost: 0, doubled: 0, unpaid: 0 };
  const told: string[] = [];
  for (const order of orders) told.push(...(await wrongOrder(order, entries, faults, at)));
  return { faults, told };
}

/** How long an order that was paid rightly and before its end waited to be credited. */
function waitOf({ id, channel, credited_at, expires_at }: Order, { trades }: OrderWorld): number | undefined {
  if (channel === "points") return undefined;
  const { paid_at = Number.POSITIVE_INFINITY, late } = trades[channel].trades.get(id) ?? {};
  if (credited_at === undefined || late || paid_at >= expires_at) return undefined;
  return credited_at - paid_at;
}

async function wrongOrder(
  order: Order,
  entries: Entry[],
  faults: Faults,
  { trades, quiet }: { trades: OrderTrades; quiet: Database },
): Promise<string[]> {
  const { id, state, channel } = order;
  // No platform knows of points: they are taken with the order, or there is no order.
  const ownTrade = { state: "paid", amount: order.amount, refunded: order.refunded ?? 0 } as Trade;
  const trade = channel === "points" ? ownTrade : trades[channel].trades.get(id);
  const isPaid = trade?.state === "paid";
  const isRight = isPaid && (trade.paid_amount ?? trade.amount) === order.amount;
  const booked = entries.filter((entry) => entry.id.startsWith(`credit#order.${id}`));
  const told: string[] = [];
  if (isRight && booked.length === 0) faults.lost += told.push(`${id} is paid and not booked: ${state}`);
  if (booked.length > 1) faults.doubled += told.push(`${id} is booked ${booked.length} times`);
  if (!isRight && booked.length > 0) faults.unpaid += told.push(`${id} is booked and not paid`);
  if (isRight && !isBooked(order)) told.push(`${id} is paid and ${state}`);
  if (isPaid && !isRight && state !== "review") told.push(`${id} was paid wrongly and is ${state}`);
  if (!isPaid && state !== "closed" && state !== "review") told.push(`${id} was not paid and is ${state}`);
  const early = order.paid?.returned ?? 0;
  const worth = (parsePoints(order.points) * BigInt(order.amount - early)) / BigInt(order.amount);
  if (booked.some(({ points }) => parsePoints(points) !== worth))
    told.push(`${id} is booked by other points`);
  const refunds = await createOrders(quiet.aws, quiet.tables).refunds(id);
  if (refunds.some(({ state }) => state === "asked")) told.push(`a refund of ${id} has no end`);
  const done = refunds.filter(({ state }) => state === "done").reduce((sum, { amount }) => sum + amount, 0);
  const elsewhere = trade?.elsewhere ?? 0;
  if (done !== (trade?.refunded ?? 0) - elsewhere || done !== (order.refunded ?? 0))
    told.push(`of ${id} ${trade?.refunded} was paid back, and ${done} booked`);
  if (elsewhere > early && (state !== "review" || !order.doubt?.fields.includes("refund")))
    told.push(`${id} was paid back elsewhere and is ${state}`);
  if (early > elsewhere) told.push(`of ${id} less went back than ${early}`);
  if (elsewhere === early && isRight && state === "review")
    told.push(`${id} was paid rightly and is in review`);
  for (const refund of refunds) told.push(...wrongRefund(refund, entries));
  return told;
}

function wrongRefund(
  { id, state, points }: { id: string; state: string; points: string },
  entries: Entry[],
): string[] {
  const taken = entries.filter((entry) => entry.id === `credit#refund.${id}`);
  const back = entries.filter((entry) => entry.id === `credit#refund.${id}.back`);
  const wanted = state === "refused" ? 1 : 0;
  const isRight = taken.length === 1 && back.length === wanted;
  const isEqual = [...taken, ...back].every((entry) => entry.points === points);
  return isRight && isEqual
    ? []
    : [`the refund ${id} is ${state}, and booked ${taken.length} and ${back.length} times`];
}

/** A plan that is booked is the time that was promised: from its payment on, or from the end and up to the end it named. */
function brokenPromise(
  { id, channel, paid, credited_at = 0 }: Order,
  entries: Entry[],
  { promises, skewMs }: OrderWorld,
): string[] {
  const fee = entries.find((entry) => entry.fee?.order === id && entry.fee.returns === undefined)?.fee;
  const promised = promises.get(id);
  if (!fee || !promised) return [];
  const { action, starts_at = 0, ends_at } = promised;
  // What points pay for is offered and booked in one step, however long its process sleeps in between.
  const isOneStep = channel === "points" && fee.starts_at === starts_at;
  // A process that books it may sleep between its look at the clock and its write.
  const early = 2 * skewMs + 60_000;
  const isBetween =
    fee.starts_at >= (paid?.at ?? credited_at) - early && fee.starts_at <= credited_at + early;
  const isNow = isOneStep || isBetween;
  const isLate = action === "renew" && credited_at >= starts_at;
  const isRight =
    action === "upgrade"
      ? isNow && fee.ends_at === ends_at
      : action === "buy" || isLate
        ? isNow
        : fee.starts_at === starts_at && fee.ends_at === ends_at;
  return isRight
    ? []
    : [`${id} promised to ${action} from ${starts_at}, and is booked from ${fee.starts_at}`];
}

/**
 * A refund takes the points of its own order alone, unless a clock is off or points move while it is made. Here nothing but
 * credits moves points.
 */
function strayRefunds(entries: Entry[], skewMs: number): string[] {
  if (skewMs > 0) return [];
  const byOwner = Map.groupBy(
    entries.filter((entry) => creditKindOf(entry) !== undefined),
    ({ organization }) => organization,
  );
  return [...byOwner.values()].flatMap((credits) => {
    const inOrder = credits.toSorted((one, other) => one.at - other.at);
    return inOrder.flatMap((entry, index) => {
      if (entry.kind !== "refund") return [];
      const isAlone = inOrder.every((other) => other === entry || Math.abs(other.at - entry.at) > 60_000);
      const own = lotsOf(inOrder.slice(0, index)).find(({ reference }) => reference === entry.of);
      const isOwn = own !== undefined && own.left >= parsePoints(entry.points);
      return isOwn || !isAlone ? [] : [`${entry.id} takes points that ${entry.of} has not left`];
    });
  });
}

/** Plans are paid by orders alone here, so nobody may owe anything, or be owed. */
function owed(entries: Entry[]): string[] {
  const sums = new Map<string, bigint>();
  for (const { debit, credit, points } of entries) {
    for (const [account, amount] of [
      [debit, parsePoints(points)],
      [credit, -parsePoints(points)],
    ] as const)
      if (account.startsWith("receivable:")) sums.set(account, (sums.get(account) ?? 0n) + amount);
  }
  return [...sums].flatMap(([account, sum]) => (sum === 0n ? [] : [`${account} is ${formatPoints(sum)}`]));
}
