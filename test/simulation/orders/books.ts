/** What must be true once everything has come to rest: said of the items, and of what the platforms have. */
import { formatPoints, parsePoints } from "#shared/billing/points.ts";
import type { Entry } from "#shared/ledger/ledger.ts";
import { look } from "#shared/operations/audit/audit.ts";
import { postPlanFees } from "#shared/operations/jobs/plan-fees.ts";
import type { Order } from "#shared/payments/order.ts";
import { isBooked } from "#shared/payments/states.ts";
import { createAccounts } from "#shared/store/accounts.ts";
import { readText } from "#shared/store/dynamodb/attributes.ts";
import { createLedger } from "#shared/store/ledger/ledger.ts";
import { createMeters } from "#shared/store/meters/meters.ts";
import { readOrder } from "#shared/store/orders/order-item.ts";
import { createOrders } from "#shared/store/orders/orders.ts";
import { createTasks } from "#shared/store/tasks.ts";
import { emptyQueue } from "#test/support/audit-books.ts";
import { catalog } from "#test/support/orders.ts";
import type { OrderWorld } from "./world.ts";

/** Paid orders that were not booked, orders that were booked more than once, and unpaid ones that were booked. */
export interface Faults {
  lost: number;
  doubled: number;
  unpaid: number;
}

/** Everything that is wrong, in sentences. */
export async function wrongs(
  world: OrderWorld,
): Promise<{ faults: Faults; told: string[]; orders: Order[] }> {
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
  const faults: Faults = { lost: 0, doubled: 0, unpaid: 0 };
  const told: string[] = [];
  for (const order of orders) told.push(...(await wrongOrder(order, entries, faults, world)));
  for (const item of items)
    if (readText(item.sk) === "R" && item.open?.N !== "0") told.push(`${item.open?.N} orders count as open`);
  told.push(...owed(entries));
  const { invariants } = await look({
    ...{ accounts, ledger, queue: emptyQueue, now },
    meters: createMeters(aws, tables),
    orders: createOrders(aws, tables),
    tasks: createTasks(aws, tables),
  });
  for (const { name, holds, detail } of invariants) if (!holds) told.push(`audit ${name}: ${detail}`);
  return { faults, told, orders };
}

async function wrongOrder(
  order: Order,
  entries: Entry[],
  faults: Faults,
  { trades, quiet }: OrderWorld,
): Promise<string[]> {
  const { id, state, channel } = order;
  const trade = trades[channel].trades.get(id);
  const isPaid = trade?.state === "paid";
  const isRight = isPaid && (trade.paid_amount ?? trade.amount) === order.amount;
  const booked = entries.filter((entry) => entry.id.startsWith(`credit#order.${id}`));
  const told: string[] = [];
  if (isRight && booked.length === 0) faults.lost += told.push(`${id} is paid and not booked: ${state}`);
  if (booked.length > 1) faults.doubled += told.push(`${id} is booked ${booked.length} times`);
  if (!isRight && booked.length > 0) faults.unpaid += told.push(`${id} is booked and not paid`);
  if (isRight && !isBooked(state)) told.push(`${id} is paid and ${state}`);
  if (isPaid && !isRight && state !== "review") told.push(`${id} was paid wrongly and is ${state}`);
  if (!isPaid && state !== "closed" && state !== "review") told.push(`${id} was not paid and is ${state}`);
  if (booked.some(({ points }) => points !== order.points)) told.push(`${id} is booked by other points`);
  const refunds = await createOrders(quiet.aws, quiet.tables).refunds(id);
  if (refunds.some(({ state }) => state === "asked")) told.push(`a refund of ${id} has no end`);
  const done = refunds.filter(({ state }) => state === "done").reduce((sum, { amount }) => sum + amount, 0);
  if (done !== (trade?.refunded ?? 0) || done !== (order.refunded ?? 0))
    told.push(`of ${id} ${trade?.refunded} was paid back, and ${done} booked`);
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
