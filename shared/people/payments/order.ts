/** An order of points or of a plan (people/payments/README.md "States"). Amounts are whole minor units. */
import type { PlanChoice } from "../../books/accounts/account.ts";
import { paymentChannels } from "../../books/catalog/catalog.ts";

/** How orders are paid: at a platform, or with points of the wallet. Only a plan is paid with points. */
export const orderChannels = [...paymentChannels, "points"] as const;
export type OrderChannel = (typeof orderChannels)[number];

/** What an operator may decide about an order in review. */
export const reviewDecisions = ["credit", "dismiss"] as const;
export type ReviewDecision = (typeof reviewDecisions)[number];

export const orderStates = [
  "created",
  "pending",
  "closing",
  "closed",
  "paid",
  "review",
  "credited",
  "refunding",
  "partly_refunded",
  "refunded",
] as const;
export type OrderState = (typeof orderStates)[number];

/** How we learned of a payment. */
export type EvidenceSource = "notice" | "page" | "reconciler" | "operator";

export interface Order {
  /** `ord_` and a ULID: 30 characters, because WeChat Pay takes 32. */
  id: string;
  organization: string;
  user: string;
  kind: "recharge" | "plan";
  channel: OrderChannel;
  /** In minor units of the currency, such as fen. */
  amount: number;
  /** ISO 4217, or `points`. */
  currency: string;
  /** What the amount is worth: a decimal string of points, at the rate of when the order was made. */
  points: string;
  plan?: PlanOrder;
  state: OrderState;
  /** What a QR code shows, or the address of a page where it is paid. Absent until the platform gave it. */
  qr_code?: string;
  pay_url?: string;
  /** Where the platform calls, and where a hosted page leads back to. Empty on an automatic order, which has no page. */
  notify_url: string;
  return_url: string;
  /** The platform's own id of what was opened, where it has one (`Payable.reference`). */
  reference?: string;
  /** Unix milliseconds, like all instants here. */
  created_at: number;
  expires_at: number;
  /** When the platform was last asked. */
  asked_at?: number;
  /** How often the reconciler has looked at it since it came into its state, or since an answer that changed nothing. */
  tries?: number;
  closed_at?: number;
  paid?: PaidFacts;
  /** What was paid without agreeing with the order. A person decides about it. */
  doubt?: Doubt;
  credited_at?: number;
  /** What was booked: points in the wallet, or the plan. */
  booked_as?: "points" | "plan";
  /** The refund that runs, if one does. */
  refund?: string;
  /** The sum of its refunds that were paid back, in minor units. */
  refunded?: number;
  /** What the platform has paid back although we did not ask, and a person has seen, in minor units. */
  returned?: number;
  /** Of an order that nobody made by hand: what it is charged to (auto-top-up.md). */
  automatic?: AutomaticCharge;
  /** Why that charge failed. */
  declined?: Declined;
}

/** The platform's ids of a customer and of the customer's card. */
export interface AutomaticCharge {
  customer: string;
  method: string;
}

/** The platform's code for a charge that failed. `retry`: another one may succeed without the person. */
export interface Declined {
  code: string;
  retry: boolean;
}

/** What an order of a plan promises. It is compared with what a payment would buy (plan-deal.ts). */
export interface PlanOrder extends PlanChoice {
  action: "buy" | "renew" | "upgrade";
  /** What runs until the plan begins. On an order from before 2026-11-28: what ran when it was made. */
  from: PlanChoice | null;
  /** The time that is paid for, as the quote named it. Absent on orders from before 2026-11-28. */
  starts_at?: number;
  ends_at?: number;
}

/** The parts of evidence that are compared with the order. */
export type EvidenceField =
  | "channel"
  | "account"
  | "order"
  | "currency"
  | "amount"
  | "transaction"
  | "state"
  // Only of an order that is booked.
  | "refund";

/** Evidence of money that differs from its order in these fields. */
export interface Doubt {
  fields: EvidenceField[];
  transaction?: string;
  amount?: number;
  currency?: string;
  /** What went back in all, where that is the doubt and the platform says it; in minor units. */
  refunded?: number;
  at: number;
  via: EvidenceSource;
}

/** Money that goes back to the customer. */
export interface Refund {
  id: string;
  order: string;
  /** In minor units of the order's currency. */
  amount: number;
  /** What was taken out of the wallet for it, or given back of a plan's fee; a decimal string. */
  points: string;
  /** Of a plan: the id of the fee that gives them back. */
  fee?: string;
  reason: string;
  /** `asked` until the platform has paid it back or refused to. */
  state: "asked" | "done" | "refused";
  /** Unix milliseconds. */
  created_at: number;
  ended_at?: number;
}

/** What a platform said of a payment. */
export interface PaidFacts {
  transaction: string;
  amount: number;
  /** What of it the platform had paid back before we knew of the payment, in minor units. The rest is booked. */
  returned?: number;
  currency: string;
  at: number;
  via: EvidenceSource;
}

/** What tells how much of an order's payment is left. */
export type OrderMoney = Pick<Order, "paid" | "refunded" | "returned">;

/** What an order says from the beginning, and never otherwise. */
export function orderedFacts(order: Order): Partial<Order> {
  const { id, organization, user, kind, channel, amount, currency, points, plan, created_at, expires_at } =
    order;
  const { automatic } = order;
  return {
    ...{ id, organization, user, kind, channel, amount, currency, points, created_at, expires_at },
    ...(plan && { plan }),
    ...(automatic && { automatic }),
  };
}
