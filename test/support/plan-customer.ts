/** A customer who orders plans, pays for them at Alipay, and what the books say of that. */
import type { PlanPeriod } from "#shared/books/accounts/account.ts";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import type { Plan } from "#shared/books/catalog/catalog.ts";
import { postFeesOf } from "#shared/edges/jobs/plan-fees.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createOrder, type OrderedFrom } from "#shared/people/orders/create.ts";
import { takeNotice } from "#shared/people/orders/notice.ts";
import { quoteNow } from "#shared/people/orders/quote.ts";
import type { Order } from "#shared/people/payments/order.ts";
import { promiseOf } from "#shared/people/payments/plan-deal.ts";
import { methodOf, priceIn } from "#shared/people/payments/recharge.ts";
import type { Database } from "./dynamodb.ts";
import { catalog, orderDeps, signedUp } from "./orders.ts";
import { Trades } from "./trades.ts";

/** When the customer signs up. */
export const signUp = Date.parse("2026-11-10T08:00:00Z");

/** A customer on the free plan, who buys. Entries of `plans` replace those of the catalog, also later. */
export async function customer(db: Database, plans: Record<string, Plan> = {}) {
  const clock = { now: signUp };
  const trades = new Trades(() => clock.now);
  const plan = (name: string) => plans[name] ?? catalog.plan(name);
  const deps = { ...orderDeps(db, { alipay: trades }, clock), catalog: { ...catalog, plan } };
  const { id } = await signedUp(db, signUp);
  const organization = async () => {
    const found = await createAccounts(db.aws, db.tables).organization(id);
    if (!found?.subscription) throw new Error("no subscription");
    return { ...found, subscription: found.subscription };
  };
  const quote = async (name: string, period: PlanPeriod) => {
    const { subscription } = await organization();
    const asked = { wanted: { plan: name, period }, mayUpgrade: true };
    return await quoteNow(id, subscription, asked, deps);
  };
  const from = async (idempotencyKey?: string): Promise<OrderedFrom> => ({
    caller: { organization: await organization(), user: { id: "usr_1", name: "Li" } } as never,
    ...{ ip: "203.0.113.7", origin: "https://c.test", notifyBase: "https://c.test", idempotencyKey },
  });
  const order = async (name: string, period: PlanPeriod): Promise<Order> => {
    const price = await quote(name, period);
    const method = methodOf({ channel: "alipay", currency: undefined }, catalog.recharge(), ["alipay"]);
    const amount = priceIn(price.price - price.unused, method);
    return await createOrder(
      {
        method,
        amount,
        plan: promiseOf(price),
      },
      await from(),
      deps,
    );
  };
  const pay = async ({ id: bought }: Order) => {
    // A bank may be late: then the payment comes after the order's time.
    if (!trades.pay(bought)) trades.settle(bought);
    return await takeNotice(trades.evidence(bought, "alipay"), deps);
  };
  const schedule = async () => {
    const feeDeps = {
      accounts: createAccounts(db.aws, db.tables),
      ledger: createLedger(db.aws, db.tables),
      plan,
    };
    return (await postFeesOf(await organization(), clock.now, feeDeps)).posted;
  };
  const owed = async () => {
    const entries = await createLedger(db.aws, db.tables).creditsAndFees(id);
    const own = entries.filter(({ debit, credit }) => [debit, credit].includes(`receivable:${id}`));
    return formatPoints(
      own.reduce(
        (sum, { debit, points }) => sum + parsePoints(points) * (debit.startsWith("receivable:") ? 1n : -1n),
        0n,
      ),
    );
  };
  return { clock, deps, id, organization, quote, from, order, pay, schedule, owed, trades };
}
