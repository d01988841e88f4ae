/** What orders must have in the ledger (people/payments/README.md "Money"), for the audit and finance's totals. Pure. */
import { parsePoints } from "../../books/billing/points.ts";
import type { Entry } from "../../books/ledger/ledger.ts";
import type { Order, Refund } from "../payments/order.ts";
import { isBooked } from "../payments/states.ts";
import { accountOf, referenceOf, worthPaid } from "./book.ts";

/** An entry that an order must have. Money and points are negative where they go back to the customer. */
export interface OrderPosting {
  /** Whose it is, and the key in the ledger: `credit#order.<id>`. */
  organization: string;
  entry: string;
  /** `fee`: what the refund of a plan gives back of its fee. It moves no money of a channel. */
  what: "order" | "refund" | "fee" | "refused refund";
  order: Order;
  /** The id of the refund; absent where it is the order's own. */
  refund?: string;
  kind: Entry["kind"];
  /** The operator's account that the money is in. */
  account: string;
  /** 10⁻¹⁸ points. */
  points: bigint;
  /** Minor units of the order's currency. */
  money: number;
  /** Unix milliseconds. */
  at: number;
}

/** The entries that an order and its refunds must have. An order that is not booked has none of its own. */
export function postingsOf(order: Order, refunds: readonly Refund[]): OrderPosting[] {
  const { organization, paid } = order;
  const common = { organization, order, account: accountOf(order) };
  const own: OrderPosting[] = [];
  if (paid && isBooked(order)) {
    const isPlan = order.booked_as === "plan";
    own.push({
      ...common,
      entry: `credit#${referenceOf(order)}`,
      what: "order",
      kind: isPlan ? "payment" : "bought",
      points: isPlan ? parsePoints(order.points) : worthPaid(order, paid),
      money: paid.amount,
      at: order.credited_at ?? paid.at,
    });
  }
  const isPlan = order.booked_as === "plan";
  return [...own, ...refunds.flatMap((refund) => refundPostings(refund, common, isPlan))];
}

function refundPostings(
  { id, amount, points: text, fee, state, created_at, ended_at }: Refund,
  ofOrder: Pick<OrderPosting, "organization" | "order" | "account">,
  isPlan: boolean,
): OrderPosting[] {
  const common = { ...ofOrder, refund: id };
  const points = parsePoints(text);
  const entry = `credit#${refundReference(id)}`;
  const taken: OrderPosting = {
    ...{ ...common, entry, what: "refund", kind: isPlan ? "payment" : "refund" },
    ...{ points: -points, money: -amount, at: created_at },
  };
  const account = `revenue:plan:${common.order.plan?.plan}`;
  const returned: OrderPosting[] =
    fee === undefined
      ? []
      : [{ ...common, entry: fee, what: "fee", kind: "plan_fee", account, points, money: 0, at: created_at }];
  if (state !== "refused") return [taken, ...returned];
  const back: OrderPosting = {
    ...{ ...common, entry: `${entry}.back`, what: "refused refund", kind: "credit_adjustment" },
    ...{ points, money: amount, at: ended_at ?? created_at },
  };
  return [taken, ...returned, back];
}

/** What a refund is booked under, once; `.back` behind it where its points are given back. */
export function refundReference(id: string): string {
  return `refund.${id}`;
}

/** Whether a reference has the form of those of orders and refunds. */
export function isOrderReference(reference: string): boolean {
  return [referenceOf({ id: "" }), refundReference("")].some((begin) => reference.startsWith(begin));
}

/** What an entry moves into an account of the operator's, 10⁻¹⁸ points; negative out of it, 0 where it has no part. */
export function movedInto(account: string, { debit, credit, points }: Entry): bigint {
  if (debit === account) return parsePoints(points);
  return credit === account ? -parsePoints(points) : 0n;
}
