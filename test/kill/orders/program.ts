/**
 * The process that is killed: what the console's function does with orders, over a database and a sandbox of platforms that
 * outlive it. It orders, takes the platforms' calls, shows pages, closes, pays back, and runs the reconciler, all at once
 * and by chance, until it dies.
 */
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { listen } from "#infra/local/emulators/listen.ts";
import { type PaymentChannel, paymentChannels } from "#shared/books/catalog/catalog.ts";
import { reconcile } from "#shared/edges/jobs/reconcile.ts";
import type { Caller } from "#shared/people/identity/caller.ts";
import { createOrder } from "#shared/people/orders/create.ts";
import type { OrderDeps } from "#shared/people/orders/deps.ts";
import { takeNotice } from "#shared/people/orders/notice.ts";
import { type RefundDeps, startRefund } from "#shared/people/orders/refund.ts";
import { endUnwanted, lookAt } from "#shared/people/orders/tend.ts";
import type { Order } from "#shared/people/payments/order.ts";
import { createPaymentPlatforms } from "#shared/people/payments/platforms.ts";
import { methodOf } from "#shared/people/payments/recharge.ts";
import { isOpen } from "#shared/people/payments/states.ts";
import { tables } from "#test/support/dynamodb.ts";
import { catalog, orderDeps } from "#test/support/orders.ts";
import { seeded } from "#test/support/random.ts";
import { transports } from "#test/support/transports.ts";
import { fastClock } from "./clock.ts";

/** What the process is told, as JSON in its only argument. */
export interface Told {
  endpoint: string;
  port: number;
  /** The secret `platforms`. */
  settings: string;
  organizations: string[];
  seed: number;
  began: number;
}

const { endpoint, port, settings, organizations, seed, began } = JSON.parse(process.argv[2] ?? "") as Told;
const random = seeded(seed);
const now = fastClock(began);
const log = () => {};
const deps: OrderDeps & RefundDeps = {
  ...orderDeps({ aws: transports.lean({ dynamodb: endpoint }), tables }, {}, { now: 0 }),
  platforms: createPaymentPlatforms({ readSettings: async () => settings, log, now }),
  ...{ log, now },
};
const url = `http://127.0.0.1:${port}`;

/** Does something again and again, after pauses by chance. What fails is its client's trouble. */
async function forever(pauseMs: number, act: () => Promise<unknown>): Promise<never> {
  for (;;) {
    await sleep(1 + random(2 * pauseMs));
    await act().catch(() => {});
  }
}

const oneOf = <Value>(all: readonly Value[]): Value => all[random(all.length)] as Value;

async function order(): Promise<void> {
  const organization = await deps.accounts.organization(oneOf(organizations));
  const channel = oneOf(paymentChannels);
  const caller = { organization, user: { id: "usr_1", name: "Li" } } as unknown as Caller;
  const idempotencyKey = random(2) === 0 ? `key-${random(5)}` : undefined;
  const from = { caller, ip: "203.0.113.7", origin: url, notifyBase: url, idempotencyKey };
  const method = methodOf({ channel, currency: undefined }, catalog.recharge(), [channel]);
  await createOrder({ method, amount: 100 + random(9_900) }, from, deps);
}

/** Some order of some organization, if it has one that is fit. */
async function some(isFit: (order: Order) => boolean = () => true): Promise<Order | undefined> {
  const { orders } = await deps.orders.list(oneOf(organizations), { limit: 20 });
  const fit = orders.filter(isFit);
  return fit.length === 0 ? undefined : oneOf(fit);
}

async function look(): Promise<void> {
  const found = await some();
  if (found) await lookAt(found, "page", deps);
}

async function close(): Promise<void> {
  const found = await some(({ state }) => isOpen(state));
  if (found) await endUnwanted(found, "page", deps);
}

async function refund(): Promise<void> {
  const found = await some(({ state }) => state === "credited" || state === "partly_refunded");
  const amount = Math.ceil((found?.paid?.amount ?? 0) / (1 + random(2)));
  if (found) await startRefund(found, { amount, reason: "asked for" }, deps);
}

const server = createServer(async (request, response) => {
  const pieces: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
  try {
    const platform = await deps.platforms.platform(request.url?.split("/")[4] as PaymentChannel);
    const headers = request.headers as Record<string, string | undefined>;
    const evidence = await platform.readNotice({ headers, body: Buffer.concat(pieces) });
    if (evidence) await takeNotice(evidence, deps);
    const { status, headers: own, body } = platform.accepted();
    response.writeHead(status, own).end(body);
  } catch {
    response.writeHead(500).end();
  }
});

await listen(server, port);
process.stdout.write("ready\n");
await Promise.all([
  forever(6, order),
  forever(6, order),
  forever(15, look),
  forever(120, close),
  forever(15, refund),
  forever(25, () => reconcile(deps)),
]);
