/** What of a plan's order can be paid back now (people/payments/README.md "Refunds of plans"). */

import { invalidState } from "../../base/errors.ts";
import type { Organization, Subscription } from "../../books/accounts/account.ts";
import type { Entry, Ledger, PlanFee } from "../../books/ledger/ledger.ts";
import { feeId, liveFees, paidPeriods } from "../../books/ledger/plan-fee.ts";
import type { Meter } from "../../books/meters/meter.ts";
import type { Order } from "../payments/order.ts";
import { freeStart, type PostedFee, runningMonth, unusedShare, withoutFee } from "../payments/plan-refund.ts";
import { leftOf } from "../payments/states.ts";
import type { OrderDeps } from "./deps.ts";

export interface PlanLeftDeps {
  ledger: Pick<Ledger, "feeOf"> & { creditsAndFees(organization: string): Promise<Entry[]> };
  meters: { readMeter(meter: string, shard: number): Promise<Pick<Meter, "periods"> | undefined> };
  catalog: Pick<OrderDeps["catalog"], "plan">;
  now: () => number;
}

/** What a refund of a plan takes back. */
interface PlanLeft {
  /** In minor units: at most so much is paid back. */
  money: number;
  fee: PlanFee;
  /** From when on the fee is given back. */
  from: number;
  before: Subscription;
  after: Subscription;
}

/**
 * What is left of a plan's order. Throws `invalid_state` where the time that it pays for is over or was paid back, and where
 * another order pays for the subscription's last time. So it does where orders do not pay for the subscription.
 */
export async function planLeft(
  order: Order,
  { id, subscription }: Pick<Organization, "id" | "subscription">,
  deps: PlanLeftDeps,
): Promise<PlanLeft> {
  const now = deps.now();
  const { plan } = order;
  const { ends_at = null } = subscription ?? {};
  const [last] = subscription && ends_at !== null ? paidPeriods(subscription, ends_at - 1) : [];
  if (!subscription || !plan || !last) throw invalidState("The subscription is not one that orders pay for.");
  if (last.ends_at <= now || (ends_at !== null && ends_at <= now))
    throw invalidState("The time that the plan was paid for is over.");
  const entry = await deps.ledger.feeOf(id, last);
  const fee = entry?.fee;
  if (!entry || !fee || !isPaidBy(order, entry))
    throw invalidState("Another order pays for the last time of the plan. That one is paid back first.");
  const entries = await deps.ledger.creditsAndFees(id);
  const fees = entries.flatMap((each) => postedFee(each, last.meter));
  const others = liveFees(fees);
  // A process with a clock ahead of ours may have ended the plan. Then its end is still to come for us.
  if (!others.some((each) => feeId(each) === feeId(fee)))
    throw invalidState("What was left of this plan was paid back already.");
  const after = withoutFee(subscription, fee, { action: plan.action, others }, now);
  if (!after) throw invalidState("Nothing is left that would run in the place of this upgrade.");
  const quota = deps.catalog.plan(fee.plan)?.quota[fee.period];
  const calls = await callsOf(subscription, fee, deps);
  const { part, of } = unusedShare(subscription, fee, { quota, calls }, now);
  const money = Number((BigInt(order.amount) * part) / of);
  return {
    money: Math.min(leftOf(order), money),
    fee,
    from: freeStart(fees, now),
    before: subscription,
    after,
  };
}

/** How many calls of the running month's quota are used or held. */
async function callsOf(
  subscription: Subscription,
  fee: PlanFee,
  { meters, now }: Pick<PlanLeftDeps, "meters" | "now">,
): Promise<number> {
  const meter = await meters.readMeter(subscription.meter, 0);
  return meter?.periods.get(runningMonth(subscription, fee, now()).id) ?? 0;
}

/** Whether an order has paid for a fee. Older fees do not name it, and are posted in the instant of its booking. */
function isPaidBy({ id, credited_at }: Order, { fee, posted_at }: Entry): boolean {
  return fee?.order === undefined ? posted_at === credited_at : fee.order === id;
}

function postedFee({ fee, posted_at = 0 }: Entry, meter: string): PostedFee[] {
  return fee?.meter === meter ? [{ ...fee, posted_at }] : [];
}
