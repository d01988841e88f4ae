/** Makes an automatic order where a wallet is low (people/payments/auto-top-up.md "Bounds"). It asks no platform. */
import { consoleLimits } from "../../base/console-limits.ts";
import { newId } from "../../base/platform/id.ts";
import type { Organization } from "../../books/accounts/account.ts";
import { formatMoney } from "../../books/billing/money.ts";
import { formatPoints, parsePoints } from "../../books/billing/points.ts";
import type { Recharge } from "../../books/catalog/catalog.ts";
import type { Meters } from "../../books/meters/meter.ts";
import { auditEntry } from "../identity/audit.ts";
import { type ChargeableTopUp, cardChannel, isChargeable, topUpMonth } from "../payments/auto-top-up.ts";
import type { Order } from "../payments/order.ts";
import { isInBounds, worthOf } from "../payments/recharge.ts";
import { byPlatform } from "./deps.ts";
import { endTopUp, type TopUpEndDeps } from "./top-up-end.ts";

export interface TopUpDeps extends TopUpEndDeps {
  meters: Pick<Meters, "certainUseOf">;
  recharge: () => Recharge;
}

/**
 * Orders for an organization whose wallet had `left` points (10⁻¹⁸) when somebody looked, if it wants that, and gives the
 * order. What is left is read again behind the settings: a payment that was booked before these are as they are is in it.
 */
export async function topUpIfLow(
  { id, status, wallet }: Pick<Organization, "id" | "status" | "wallet">,
  left: bigint,
  deps: TopUpDeps,
): Promise<Order | undefined> {
  let topUp = await deps.topUps.of(id);
  if (!isChargeable(topUp) || !wallet || status !== "active") return undefined;
  if (left >= parsePoints(topUp.terms.below)) return undefined;
  if (topUp.order !== undefined) {
    const order = await deps.orders.find(topUp.order);
    topUp = order ? await endTopUp(order, deps) : topUp;
  }
  const now = deps.now();
  if (!isChargeable(topUp) || topUp.order !== undefined || (topUp.not_before ?? 0) > now) return undefined;
  const { granted, used } = await deps.meters.certainUseOf(wallet.meter);
  // While points of a credit move between shards nobody knows what is left. The next pass looks again.
  if (granted === undefined || granted - used >= parsePoints(topUp.terms.below)) return undefined;
  return await orderBy(topUp, now, deps);
}

async function orderBy(topUp: ChargeableTopUp, now: number, deps: TopUpDeps): Promise<Order | undefined> {
  const { organization, terms } = topUp;
  const { currency, amount, month_max } = terms;
  const sold = deps.recharge()[currency];
  const isSold = sold?.channels.includes(cardChannel) && isInBounds(amount, currency, sold);
  const order = sold && isSold && automaticOrder(topUp, sold, now);
  if (!order) {
    deps.log("warn", "top_up_not_made", { organization, reason: "not_sold" });
    return undefined;
  }
  // The transaction has the last word. A month that is full is the usual case, and costs no failed write.
  const used = await deps.topUps.used(organization, topUpMonth(order), currency);
  if (used + amount > month_max) return undefined;
  const after = { channel: cardChannel, currency, amount: formatMoney(amount, currency), plan: null };
  const by = { user: byPlatform, organization: { id: organization } };
  const line = auditEntry(by, { kind: "order_created", subject: order.id, after }, byPlatform.ip, now);
  const outcome = await deps.topUps.order(topUp, order, now, line);
  const told = { organization, order: order.id };
  if (outcome !== "created") {
    deps.log("info", "top_up_not_made", { organization, reason: outcome });
    return undefined;
  }
  deps.log("info", "order_created", { ...told, channel: cardChannel, kind: order.kind });
  return order;
}

/** An order as the settings want it, at the rate of the moment. */
function automaticOrder(
  { organization, terms, card }: ChargeableTopUp,
  rate: Recharge[string],
  now: number,
): Order {
  const { currency, amount, set_by } = terms;
  const method = { channel: cardChannel, currency, terms: rate };
  return {
    ...{ id: newId("order", now), organization, user: set_by, kind: "recharge", channel: cardChannel },
    ...{ amount, currency, points: formatPoints(worthOf(amount, method)), state: "created" },
    ...{ notify_url: "", return_url: "", automatic: { customer: card.customer, method: card.method } },
    ...{ created_at: now, expires_at: now + consoleLimits.orderLifeMs },
  };
}
