/** A customer who pays plans with points of the wallet. */
import type { PlanPeriod } from "#shared/books/accounts/account.ts";
import { formatPoints, onePoint } from "#shared/books/billing/points.ts";
import { payWithPoints } from "#shared/people/orders/pay-with-points.ts";
import type { Order } from "#shared/people/payments/order.ts";
import { dealOf, promiseOf } from "#shared/people/payments/plan-deal.ts";
import { priceIn, walletMethod } from "#shared/people/payments/recharge.ts";
import type { Database } from "../../../support/dynamodb.ts";
import { buyer } from "../../../support/refunded-customer.ts";

/** A day after the customer has signed up. The wallet is empty. */
export async function pointsCustomer(db: Database) {
  const one = await buyer(db);
  const { clock, deps, id, organization, quote, from } = one;
  const meter = (await organization()).wallet?.meter ?? "";
  let given = 0;
  /** Credits points without an order. */
  const give = async (points: number, kind: "bought" | "promotional" = "promotional") => {
    given += 1;
    const credit = { organization: id, meter, points: BigInt(points) * onePoint, kind, at: clock.now };
    await deps.ledger.credit({ ...credit, reference: `given-${given}` });
  };
  /** What the wallet has free. */
  const free = async () => {
    const shards = await deps.meters.shardsOf(meter);
    return formatPoints(shards.reduce((sum, { avail }) => sum + avail, 0n));
  };
  /** The deal that a page would show now. */
  const deal = async (name: string, period: PlanPeriod) => {
    const shown = await quote(name, period);
    const pay = priceIn(shown.price - shown.unused, walletMethod);
    return dealOf(promiseOf(shown), { currency: "points", pay });
  };
  const payPoints = async (
    name: string,
    period: PlanPeriod,
    { key, seen }: { key?: string; seen?: string } = {},
  ): Promise<Order> => {
    const wanted = { plan: { plan: name, period }, deal: seen ?? (await deal(name, period)) };
    return await payWithPoints(wanted, await from(key), deps);
  };
  return { ...one, give, free, deal, payPoints };
}
