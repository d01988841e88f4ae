/** Orders of an organization with a wallet, over any database, for tests of what is bought. */

import { consoleLimits } from "#shared/base/console-limits.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { LogFields } from "#shared/base/platform/log.ts";
import type { Organization, PlanChoice } from "#shared/books/accounts/account.ts";
import type { PaymentChannel } from "#shared/books/catalog/catalog.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import type { Meters } from "#shared/books/meters/meter.ts";
import { createOrganization } from "#shared/edges/operator/organizations.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createLedger, type LedgerStore } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createAutoTopUps } from "#shared/edges/store/orders/auto-top-ups.ts";
import { createOrders } from "#shared/edges/store/orders/orders.ts";
import type { AuditEntry } from "#shared/people/identity/audit.ts";
import type { OrderDeps } from "#shared/people/orders/deps.ts";
import type { RefundDeps } from "#shared/people/orders/refund.ts";
import type { TopUpDeps } from "#shared/people/orders/top-up.ts";
import type { Order } from "#shared/people/payments/order.ts";
import { nextTry } from "#shared/people/payments/schedule.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import type { Database } from "./dynamodb.ts";
import { platformsOver, type Trades } from "./trades.ts";

/** When these tests begin, in the middle of a month. */
export const morning = Date.parse("2026-11-23T09:00:00Z");

export const catalog = createCatalog(parseCatalog(catalogFile));

/** One log line. */
interface Told {
  event: string;
  fields: LogFields;
}

/** What orders need, over a database and the platforms' trades, with all that was told. */
export function orderDeps(
  { aws, tables }: Database,
  trades: Partial<Record<PaymentChannel, Trades>>,
  clock: { now: number },
): OrderDeps &
  RefundDeps &
  Pick<TopUpDeps, "meters"> & { ledger: LedgerStore; told: Told[]; audited: AuditEntry[] } {
  const told: Told[] = [];
  const audited: AuditEntry[] = [];
  return {
    told,
    audited,
    orders: createOrders(aws, tables),
    topUps: createAutoTopUps(aws, tables),
    accounts: createAccounts(aws, tables),
    ledger: createLedger(aws, tables),
    meters: createMeters(aws, tables),
    platforms: platformsOver(trades),
    catalog,
    audit: { write: async (entry) => void audited.push(entry) },
    log: (_level, event, fields = {}) => void told.push({ event, fields }),
    now: () => clock.now,
  };
}

/** An organization that has signed up: a free plan and an empty wallet. */
export async function signedUp(
  { aws, tables }: Database,
  now: number,
  choice: PlanChoice = { plan: "free", period: "monthly" },
): Promise<Organization> {
  return await createOrganization(
    { name: "Acme", ...choice, points: "0" },
    {
      accounts: createAccounts(aws, tables),
      ledger: createLedger(aws, tables),
      meters: createMeters(aws, tables),
      plans: () => Object.keys(catalog.plans()),
      plan: catalog.plan,
      now: () => now,
    },
  );
}

/** An order of 100 CNY for 100 points, changed as given. */
export function newOrder(organization: string, now: number, change: Partial<Order> = {}): Order {
  return {
    id: newId("order", now),
    organization,
    user: "usr_1",
    kind: "recharge",
    channel: "alipay",
    amount: 10_000,
    currency: "CNY",
    points: "100",
    state: "created",
    notify_url: "https://console.test/api/v1/payments/alipay/notify",
    return_url: "https://console.test/recharge",
    created_at: now,
    expires_at: now + consoleLimits.orderLifeMs,
    ...change,
  };
}

/** Puts an order that its platform shows already. */
export async function pendingOrder(
  organization: string,
  deps: OrderDeps,
  change: Partial<Order> = {},
): Promise<Order> {
  const now = deps.now();
  const order = newOrder(organization, now, change);
  const creation = await deps.orders.create(order, nextTry(order, now) ?? now);
  if (creation.outcome !== "created") throw new Error(creation.outcome);
  const platform = await deps.platforms.platform(order.channel);
  const shown = await platform.open({ ...order, subject: "points" });
  const pending = await deps.orders.move(order, "opened", shown, nextTry(order, now));
  if (!pending) throw new Error("the order has moved");
  return pending;
}

/** What is left of a wallet, as a pass reads it; 0 while points move. */
export async function leftIn(
  meter: string,
  { meters }: { meters: Pick<Meters, "certainUseOf"> },
): Promise<bigint> {
  const { granted, used } = await meters.certainUseOf(meter);
  return granted === undefined ? 0n : granted - used;
}
