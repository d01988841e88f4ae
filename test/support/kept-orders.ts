/** The orders and invoices of kept books: an order in each state, refunds, and invoices of a series that was restored. */
import type { Organization } from "#shared/books/accounts/account.ts";
import { formatPoints, onePoint } from "#shared/books/billing/points.ts";
import { reconcile } from "#shared/edges/jobs/reconcile.ts";
import { issueInvoice, voidInvoice } from "#shared/edges/operator/invoices.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createRestoringAccounts } from "#shared/edges/store/restoring-accounts.ts";
import { seriesAt } from "#shared/people/invoices/numbers.ts";
import { createOrder, type NewOrder, type OrderedFrom } from "#shared/people/orders/create.ts";
import type { OrderDeps } from "#shared/people/orders/deps.ts";
import { takeNotice } from "#shared/people/orders/notice.ts";
import { payWithPoints } from "#shared/people/orders/pay-with-points.ts";
import { quoteNow, toPay } from "#shared/people/orders/quote.ts";
import { startRefund } from "#shared/people/orders/refund.ts";
import { endUnwanted } from "#shared/people/orders/tend.ts";
import { topUpIfLow } from "#shared/people/orders/top-up.ts";
import { findCard, openCardPage } from "#shared/people/orders/top-up-card.ts";
import { turnOn } from "#shared/people/orders/top-up-terms.ts";
import type { Order } from "#shared/people/payments/order.ts";
import { dealOf, promiseOf } from "#shared/people/payments/plan-deal.ts";
import { methodOf, priceIn, walletMethod } from "#shared/people/payments/recharge.ts";
import type { Database } from "./dynamodb.ts";
import { company, email, openInvoices } from "./invoices.ts";
import { catalog, leftIn, orderDeps } from "./orders.ts";
import { Trades } from "./trades.ts";

/** Where the books are kept, and their time. */
export interface Place extends Database {
  clock: { now: number };
}

/** An automatic order that is booked, of an organization with a card. */
async function topUp(
  { id, wallet }: Organization,
  { clock, deps }: { clock: Place["clock"]; deps: ReturnType<typeof orderDeps> },
): Promise<void> {
  const by = { organization: id, user: { id: "usr_1", name: "Ann" }, ip: null };
  await openCardPage(by, "https://c.test/recharge", deps);
  await findCard(id, deps);
  const left = await leftIn(wallet?.meter ?? "", deps);
  const below = formatPoints(left + onePoint);
  const terms = { below, currency: "USD", amount: 1_000, month_max: 2_500, set_by: "usr_1" };
  await turnOn(by, terms, deps);
  const owner = { id, status: "active", wallet } as const;
  await topUpIfLow(owner, left, { ...deps, recharge: catalog.recharge });
  clock.now += minute;
  await reconcile(deps);
}

/** The step of the clock between two things that happen. */
export const minute = 60_000;

/** Orders of points and of a plan in every state, refunds, and invoices that wait, are issued, and are void. */
export async function useOrders(at: Place, organization: Organization): Promise<void> {
  const { clock } = at;
  const books = openInvoices(at);
  const { desk } = books;
  desk.clock.now = clock.now;
  const ann = await desk.newMember(organization, "owner", "Ann");
  const trades = new Trades(() => clock.now);
  const cards = new Trades(() => clock.now);
  const deps = { ...orderDeps(at, { alipay: trades, stripe: cards }, clock), audit: desk.deps.auditLog };
  const method = methodOf({ channel: "alipay", currency: undefined }, catalog.recharge(), ["alipay"]);
  const from = { ip: "203.0.113.7", origin: "https://c.test", notifyBase: "https://c.test" };
  const make = async (wanted: NewOrder, key?: string): Promise<Order> => {
    clock.now += minute;
    return await createOrder(
      wanted,
      { ...from, caller: { organization, user: ann.user }, idempotencyKey: key },
      deps,
    );
  };
  const buy = async (amount: number, paid?: number): Promise<Order> => {
    const { id } = await make({ method, amount }, `key-${amount}`);
    clock.now += minute;
    trades.pay(id, paid);
    await takeNotice(trades.evidence(id, "alipay"), deps);
    return (await deps.orders.find(id)) ?? (await make({ method, amount }));
  };
  const giveBack = async (order: Order, amount: number, outcome: "done" | "refused") => {
    clock.now += minute;
    trades.refundOutcomes.push(outcome);
    await startRefund(order, { amount, reason: "asked for" }, deps);
    await reconcile(deps);
  };
  await giveBack(await buy(10_000), 2_500, "done");
  await giveBack(await buy(5_000), 1_000, "refused");
  await giveBack(await buy(3_000), 3_000, "done");
  await buy(2_000, 1_999);
  await payBackEarly(await make({ method, amount: 6_000 }), 2_000, { trades, deps });
  const plan = await planOf(organization, at, deps);
  const { id: planned } = await make({ method, ...plan });
  trades.pay(planned);
  await takeNotice(trades.evidence(planned, "alipay"), deps);
  await buyWithPoints(organization, { ...from, caller: { organization, user: ann.user } }, { clock, deps });
  await endUnwanted(await make({ method, amount: 700 }), "page", deps);
  await topUp(organization, { clock, deps });
  desk.clock.now = clock.now;
  const invoice = async (amount: number) => {
    const { id } = await buy(amount);
    desk.clock.now = clock.now += minute;
    const answer = await books.ask([ann, organization], "POST /api/v1/invoices", {
      orders: [id],
      title: company,
      email,
    });
    if (answer.status !== 201) throw new Error(answer.text);
    return String(answer.body.id);
  };
  const desks = { ...books.deps, now: () => (clock.now += minute) };
  await issueInvoice(await invoice(4_000), "https://files.test/1.pdf", desks);
  // What a restore does with a series.
  await createRestoringAccounts(at.aws, at.tables).raiseSeries(seriesAt(clock.now), 3);
  const wrong = await invoice(4_100);
  await issueInvoice(wrong, "https://files.test/2.pdf", desks);
  await voidInvoice(wrong, "wrong title", desks);
  await invoice(4_200);
  await make({ method, amount: 900 });
}

/** A payment of which a part has gone back at the platform before we know of it. */
async function payBackEarly(
  { id }: Order,
  refunded: number,
  { trades, deps }: { trades: Trades; deps: OrderDeps },
): Promise<void> {
  trades.pay(id);
  trades.returnElsewhere(id, refunded);
  await takeNotice({ ...trades.evidence(id, "alipay"), state: "refunded", refunded }, deps);
}

/** Two renewals that points pay for. The later one is paid back. */
async function buyWithPoints(
  { id, wallet }: Organization,
  from: Omit<OrderedFrom, "idempotencyKey">,
  { clock, deps }: { clock: Place["clock"]; deps: ReturnType<typeof orderDeps> },
): Promise<void> {
  const gift = { organization: id, meter: wallet?.meter ?? "", points: 300n * onePoint, at: clock.now };
  await deps.ledger.credit({ ...gift, kind: "promotional", reference: "gift-for-plans" });
  const plan = { plan: "lite", period: "monthly" } as const;
  for (const idempotencyKey of ["plan-1", "plan-2"]) {
    clock.now += minute;
    const { subscription } = (await deps.accounts.organization(id)) ?? {};
    if (!subscription) throw new Error("no subscription");
    const quote = await quoteNow(id, subscription, { wanted: plan, mayUpgrade: true }, deps);
    const deal = dealOf(promiseOf(quote), { currency: "points", pay: toPay(quote, walletMethod) });
    const order = await payWithPoints({ plan, deal }, { ...from, idempotencyKey }, deps);
    if (idempotencyKey === "plan-2") await startRefund(order, { reason: "asked for" }, deps);
  }
}

async function planOf({ id }: Organization, at: Place, deps: Parameters<typeof quoteNow>[3]) {
  const accounts = createAccounts(at.aws, at.tables);
  const { subscription } = (await accounts.organization(id)) ?? {};
  if (!subscription) throw new Error("no subscription");
  const wanted = { plan: "lite", period: "monthly" } as const;
  const quote = await quoteNow(id, subscription, { wanted, mayUpgrade: true }, deps);
  const method = methodOf({ channel: "alipay", currency: undefined }, catalog.recharge(), ["alipay"]);
  const before = { plan: subscription.plan, period: subscription.period };
  return {
    amount: priceIn(quote.price - quote.unused, method),
    plan: { ...wanted, action: quote.action, from: before },
  };
}
