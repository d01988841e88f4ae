/**
 * Kills a process that has orders in hand with `kill −9`, again and again. The database, the platforms and their
 * customers live on. At the end everything comes to rest, and what the platforms have is compared with the books
 * (people/payments/README.md).
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { PaymentWay } from "#infra/local/sandbox/payment-platform/trade.ts";
import { reconcile } from "#shared/edges/jobs/reconcile.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import type { OrderDeps } from "#shared/people/orders/deps.ts";
import type { Order } from "#shared/people/payments/order.ts";
import { createPaymentPlatforms } from "#shared/people/payments/platforms.ts";
import { isAwaited } from "#shared/people/payments/states.ts";
import { type Faults, wrongBooks, wrongOrders } from "#test/simulation/orders/books.ts";
import { startDynamoDb, type TestDynamoDb } from "#test/support/dynamodb.ts";
import { orderDeps, signedUp } from "#test/support/orders.ts";
import { type Sandbox, startPaymentPlatform } from "#test/support/payment-platform.ts";
import { seeded } from "#test/support/random.ts";
import { unassignedPort } from "#test/support/unassigned-port.ts";
import { fastClock } from "./clock.ts";
import type { Told } from "./program.ts";
import { asTrades } from "./trades.ts";

interface OrderKills extends Faults {
  /** Processes that were killed after they had begun to work. */
  kills: number;
  orders: number;
  paid: number;
  refunds: number;
  /** Calls of platforms that nobody answered, or that broke off. */
  unanswered: number;
  /** What must never be, a sentence each. */
  violations: string[];
}

interface KillOptions {
  runs: number;
  seed: number;
  /** Told of each run when it is over. */
  say?: (text: string) => void;
}

/** A process dies after it has made up to so many orders, and then up to so many milliseconds later. */
const ordersMost = 8;
const jitterMs = 300;
/** What a slow machine is given to make them. */
const lifeMaxMs = 10_000;
/** Each run has organizations of its own, because one makes so many orders an hour. */
const organizationsOfRun = 6;
const ways: readonly PaymentWay[] = ["pay", "pay", "lose_notice", "notice_twice", "pay_another_amount"];
const program = new URL("program.ts", import.meta.url).pathname;
/** The sandbox's pauses between calls, in real seconds for one of the platforms'. */
const noticeScale = 0.005;

/** Kills so many processes, and says what is wrong in the end. */
export async function killOrders({ runs, seed, say = () => {} }: KillOptions): Promise<OrderKills> {
  const db = await startDynamoDb();
  // Each process that is killed has the same port, because orders keep the address that their platforms call.
  const port = await unassignedPort();
  const began = Date.now();
  let ahead = 0;
  const now = fastClock(began, () => ahead);
  const notifyUrl = (channel: string) => `http://127.0.0.1:${port}/api/v1/payments/${channel}/notify`;
  const sandbox = await startPaymentPlatform({ notifyUrl, noticeScale, now });
  const settings = JSON.stringify(sandbox.settings);
  const log = () => {};
  const deps: OrderDeps = {
    ...orderDeps(db, {}, { now: 0 }),
    platforms: createPaymentPlatforms({ readSettings: async () => settings, log, now }),
    ...{ log, now },
  };
  const paying = new AbortController();
  const payers = payAtRandom(sandbox, seeded(seed), paying.signal);
  try {
    for (let run = 0; run < runs; run++) {
      const organizations: string[] = [];
      while (organizations.length < organizationsOfRun)
        organizations.push((await signedUp(db, now() - 60_000)).id);
      const told: Told = {
        endpoint: db.endpoint,
        port,
        settings,
        organizations,
        seed: seed * 1_000 + run,
        began,
      };
      const lived = await killOne(told, seeded(told.seed), sandbox);
      say(`run ${run}: killed after ${lived} ms, with ${sandbox.trades().length} orders at the platforms`);
    }
    paying.abort();
    await payers;
    await comeToRest(deps, () => (ahead += 10 * 60_000));
    return await judge({ db, sandbox, kills: runs });
  } finally {
    paying.abort();
    await payers;
    await sandbox.stop();
    await db.stop();
  }
}

/** Starts a process, lets it work for a time by chance, and kills it. Gives how long it worked, in milliseconds. */
async function killOne(told: Told, random: (below: number) => number, sandbox: Sandbox): Promise<number> {
  const child: ChildProcess = spawn(process.execPath, [program, JSON.stringify(told)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  await Promise.race([once(child.stdout as NodeJS.ReadableStream, "data"), ended]);
  if (child.exitCode !== null) throw new Error(`the process ended with ${child.exitCode}`);
  const began = Date.now();
  const wanted = sandbox.trades().length + random(ordersMost);
  while (sandbox.trades().length < wanted && Date.now() - began < lifeMaxMs) await sleep(2);
  await sleep(random(jitterMs));
  child.kill("SIGKILL");
  await ended;
  return Date.now() - began;
}

/** Customers pay what is open, in all the ways that the sandbox has. */
async function payAtRandom(
  sandbox: Sandbox,
  random: (below: number) => number,
  signal: AbortSignal,
): Promise<void> {
  const paying: Promise<unknown>[] = [];
  while (!signal.aborted) {
    await sleep(1 + random(40));
    const open = sandbox.trades().filter(({ state, bank }) => state === "open" && !bank);
    const trade = open[random(open.length)];
    if (!trade) continue;
    // It may be closed at this moment, and nobody may be there to be told.
    paying.push(sandbox.pay(trade.order, ways[random(ways.length)]).catch(() => {}));
  }
  await Promise.all(paying);
}

/** Runs the reconciler, ten minutes apart, until nobody waits for any order. */
async function comeToRest(deps: OrderDeps, later: () => void): Promise<void> {
  const roundsMax = 600;
  for (let round = 0; round < roundsMax; round++) {
    later();
    await reconcile(deps);
    const orders = await Array.fromAsync(deps.orders.every());
    if (!orders.some(({ state }) => isAwaited(state))) return;
  }
  throw new Error("the orders do not come to rest");
}

async function judge({
  db,
  sandbox,
  kills,
}: {
  db: TestDynamoDb;
  sandbox: Sandbox;
  kills: number;
}): Promise<OrderKills> {
  const { orders: store } = orderDeps(db, {}, { now: 0 });
  const orders: Order[] = await Array.fromAsync(store.every());
  const entries = await Array.fromAsync(createLedger(db.aws, db.tables).everyEntry());
  const all = sandbox.trades();
  const { faults, told } = await wrongOrders(orders, entries, { trades: asTrades(all), quiet: db });
  const known = new Set(orders.map(({ id }) => id));
  for (const { order } of all)
    if (!known.has(order)) told.push(`${order} is at its platform and nowhere here`);
  told.push(...(await wrongBooks(db, Date.now)));
  return {
    ...{ kills, orders: orders.length, ...faults, violations: told },
    paid: all.filter(({ state }) => state === "paid").length,
    refunds: all.reduce((sum, { refunds }) => sum + refunds.length, 0),
    unanswered: all.flatMap(({ notices }) => notices).filter(({ status }) => status === "no answer").length,
  };
}
