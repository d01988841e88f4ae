/**
 * Credits change a wallet without a call: points are bought, given, paid back or adjusted. Each kind has its own entry.
 */

import { GatewayError } from "../../base/errors.ts";
import { formatPoints, parsePoints } from "../billing/points.ts";
import type { Credit, CreditKind, Entry } from "./ledger.ts";

/** The kinds of a credit that an operator may book. */
export const operatorKinds: readonly CreditKind[] = ["bought", "promotional", "refund", "adjustment"];

/** All kinds. Points that pay for a plan, or that come back of one, are the customer's own order. */
export const creditKinds: readonly CreditKind[] = [...operatorKinds, "plan"];

/**
 * The other account of each kind, of an organization. Bought and refunded points are cash. Given and adjusted points are
 * not. Points for a plan settle what is owed for its fee.
 */
const counterparts: Record<CreditKind, (organization: string) => string> = {
  bought: () => "cash:operator",
  refund: () => "cash:operator",
  promotional: () => "promotion:operator",
  adjustment: () => "adjustment:operator",
  plan: (organization) => `receivable:${organization}`,
};

/** What the entry of a kind is called where it is not called like its kind. */
const entryKinds: Partial<Record<CreditKind, Entry["kind"]>> = {
  adjustment: "credit_adjustment",
  plan: "payment",
};

/** The directions of each kind: +1 into the wallet, −1 out of it. An adjustment may have either, and a plan is paid back. */
const directions: Record<CreditKind, readonly (1 | -1)[]> = {
  bought: [1],
  promotional: [1],
  refund: [-1],
  adjustment: [1, -1],
  plan: [1, -1],
};

/** The default kind of an amount. */
export function kindOfAmount(points: bigint): CreditKind {
  return points < 0n ? "refund" : "bought";
}

/** Whether a credit of this kind may have this amount. No credit may be 0. */
export function isPossible(kind: CreditKind, points: bigint): boolean {
  return points !== 0n && directions[kind].includes(points < 0n ? -1 : 1);
}

/** The entry of a credit. Throws `RangeError` where its kind cannot have the amount. */
export function creditEntry(credit: Credit): Entry {
  const { organization, points, reference, at, kind = kindOfAmount(points) } = credit;
  if (!isPossible(kind, points)) throw new RangeError(`no ${kind} is of ${formatPoints(points)} points`);
  const [wallet, other] = [`customer:${organization}`, credit.account ?? counterparts[kind](organization)];
  const isTaken = points < 0n;
  return {
    id: `credit#${reference}`,
    kind: entryKinds[kind] ?? (kind as Entry["kind"]),
    organization,
    debit: isTaken ? wallet : other,
    credit: isTaken ? other : wallet,
    points: formatPoints(isTaken ? -points : points),
    at,
    posted_at: at,
    event: null,
    ...(credit.of !== undefined && { of: credit.of }),
  };
}

/**
 * The entry of a payment of money for a plan. It touches no wallet: the money settles what the organization owes for the plan's
 * fee. It has the key of a credit, so that a reference is booked once, whichever of the two it pays for. Negative points
 * are paid back.
 */
export function paymentEntry({ organization, points, reference, at, account }: Payment): Entry {
  const [owing, isBack] = [`receivable:${organization}`, points < 0n];
  return {
    id: `credit#${reference}`,
    kind: "payment",
    organization,
    debit: isBack ? owing : account,
    credit: isBack ? account : owing,
    points: formatPoints(isBack ? -points : points),
    at,
    posted_at: at,
    event: null,
  };
}

type Payment = Omit<Required<Credit>, "meter" | "kind" | "of">;

/** What an entry pays for plans, 10⁻¹⁸ points; negative where it is paid back, 0 for every other entry. */
export function paidBy(entry: Pick<Entry, "kind" | "organization" | "credit" | "points">): bigint {
  if (entry.kind !== "payment") return 0n;
  const points = parsePoints(entry.points);
  return entry.credit === `receivable:${entry.organization}` ? points : -points;
}

/** The kind of a credit's entry; undefined for every other entry, also for one that pays a plan with money. */
export function creditKindOf({
  kind,
  organization,
  debit,
  credit,
}: Pick<Entry, "kind" | "organization" | "debit" | "credit">): CreditKind | undefined {
  if (kind === "credit") return "bought";
  if (kind === "payment" && ![debit, credit].includes(`customer:${organization}`)) return undefined;
  return creditKinds.find((each) => (entryKinds[each] ?? each) === kind);
}

/** What a credit's entry changes its wallet by, 10⁻¹⁸ points; 0 for every other entry. */
export function creditedBy(
  entry: Pick<Entry, "kind" | "organization" | "debit" | "credit" | "points">,
): bigint {
  if (creditKindOf(entry) === undefined) return 0n;
  const points = parsePoints(entry.points);
  return entry.credit === `customer:${entry.organization}` ? points : -points;
}

/** Throws `invalid_request` where a reference has booked something else than what is wanted under it. */
export function refuseOther(wanted: Entry, booked: Entry): void {
  const [kind, points] = [creditKindOf(booked), creditedBy(booked)];
  if (kind === creditKindOf(wanted) && points === creditedBy(wanted)) return;
  const reference = wanted.id.slice("credit#".length);
  const message = `The reference ${reference} has booked ${formatPoints(points)} points (${kind}) already.`;
  throw new GatewayError("invalid_request", { message });
}

/** A wallet with `free` points, from which `wanted` are to be taken. */
export function lackingPoints(free: bigint, wanted: bigint): GatewayError {
  const least = formatPoints(free < 0n ? 0n : free);
  const message = `The wallet has ${least} points free, and ${formatPoints(wanted)} are to be taken. What calls in flight hold is not free.`;
  return new GatewayError("insufficient_balance", { message });
}
