/** What an organization buys by itself when its wallet is low (auto-top-up.md), as arithmetic. Instants are Unix ms. */
import { consoleLimits } from "../../base/console-limits.ts";
import { spanOf } from "../../books/billing/period.ts";
import type { PaymentChannel } from "../../books/catalog/catalog.ts";
import type { AutomaticCharge, Declined, Order } from "./order.ts";
import { isBooked } from "./states.ts";

/** The channel that keeps cards, and charges them without their person. */
export const cardChannel = "stripe" as const satisfies PaymentChannel;

/** A card that the platform keeps. Nothing here is secret, and nothing of it pays. */
export interface SavedCard extends AutomaticCharge {
  /** Such as `visa`, as the platform writes it. */
  brand: string;
  last_four: string;
  /** Its last month, such as `2027-08`. */
  expires: string;
}

/** When is bought what. Amounts are minor units of the currency. */
export interface TopUpTerms {
  /** Fewer points than this, a decimal string. */
  below: string;
  currency: string;
  amount: number;
  /** The most of one calendar month of UTC. */
  month_max: number;
  /** The user who set them. */
  set_by: string;
}

/** The page of the platform where a card is saved, and who was sent there. */
interface CardPage {
  reference: string;
  by: { id: string; name: string };
  ip: string | null;
}

export interface AutoTopUp {
  organization: string;
  /** Rises with each change. 0: nothing is stored yet. */
  revision: number;
  is_on: boolean;
  terms?: TopUpTerms;
  /** The platform's id of the organization. It stays when a card goes. */
  customer?: string;
  page?: CardPage;
  card?: SavedCard;
  /** Its removal has begun. */
  removing?: true;
  /** The automatic order that is neither booked nor closed. */
  order?: string;
  /** Charges that have failed in a row, and when the next one may be tried. */
  failures?: number;
  not_before?: number;
  paused?: TopUpPause;
}

/** Why it pauses: the platform's code, or `unpaid`. */
interface TopUpPause {
  reason: string;
  order: string;
  at: number;
}

/** What can be charged now, and by which terms. */
export interface ChargeableTopUp extends AutoTopUp {
  terms: TopUpTerms;
  card: SavedCard;
}

export type TopUpState = "off" | "on" | "paused";

/** Whether anything is bought by itself. */
export function topUpState(topUp: AutoTopUp): TopUpState {
  if (!topUp.is_on) return "off";
  return topUp.paused ? "paused" : "on";
}

/** Whether orders may be made and charged. */
export function isChargeable(topUp: AutoTopUp): topUp is ChargeableTopUp {
  const { terms, card, removing } = topUp;
  return topUpState(topUp) === "on" && terms !== undefined && card !== undefined && !removing;
}

/** The month of UTC in which an automatic order counts. */
export function topUpMonth({ created_at }: Pick<Order, "created_at">): string {
  return spanOf(created_at, "month");
}

/** Why an automatic order ends that nobody wants any more: settings have changed, somebody closed it, or it was dismissed. */
export const unwanted: Declined = { code: "unwanted", retry: true };

/** What became of the charge of an automatic order. */
interface TopUpEnd {
  after: AutoTopUp;
  outcome: "charged" | "failed" | "paused" | "unwanted";
  /** Why it failed. */
  reason?: string;
}

/**
 * The settings after the end of the automatic order that is open, at `now`. Undefined while it is not over: it may still be
 * paid, or what was paid is not booked.
 */
export function topUpEnd(topUp: AutoTopUp, order: Order, now: number): TopUpEnd | undefined {
  const { order: _open, ...after } = topUp;
  const { failures: known = 0, not_before: _at, ...begun } = after;
  if (isBooked(order)) return { after: begun, outcome: "charged" };
  if (order.state !== "closed") return undefined;
  // Nothing failed: it is told by whoever changed the settings, or decided about the order.
  const isUnwanted = !topUp.is_on || order.declined?.code === unwanted.code || order.doubt !== undefined;
  if (isUnwanted) return { after, outcome: "unwanted" };
  const { code: reason, retry } = order.declined ?? { code: "unpaid", retry: true };
  const failures = known + 1;
  const waitMs = retry ? consoleLimits.topUpRetriesMs[known] : undefined;
  if (waitMs === undefined) {
    const paused = { reason, order: order.id, at: now };
    return { after: { ...begun, failures, paused }, outcome: "paused", reason };
  }
  return { after: { ...begun, failures, not_before: now + waitMs }, outcome: "failed", reason };
}
