/**
 * What a wallet's balance was bought for (invoices/README.md "What a balance was bought for"). Everything here is pure
 * calculation by the ledger alone. Amounts are 10⁻¹⁸ points.
 */
import { spanOf } from "../billing/period.ts";
import { creditedBy, creditKindOf } from "../ledger/credit.ts";
import type { WalletBooks } from "./statement.ts";

/** Points that were bought at once. */
export interface Lot {
  /** The reference of the credit, such as `order.ord_…`. */
  reference: string;
  /** What was bought, and what of it is left. */
  points: bigint;
  left: bigint;
}

/** A balance by where it comes from: `given` and what is left of the lots are the balance. */
export interface Held {
  /** The oldest first; only those with something left. */
  lots: Lot[];
  /** Points that nobody paid for, less what was used beyond all points. */
  given: bigint;
}

/** Which credit a refund takes back, by the references of both. */
export type RefundedCredits = ReadonlyMap<string, string>;

/**
 * What is left before `month`, such as `2026-11`. Use takes points that were given first, and then those that were
 * bought, the oldest first. A refund takes those of its own order, and where these do not reach, the newest.
 */
export function heldBefore(month: string, { credits, uses }: WalletBooks, refunded: RefundedCredits): Held {
  const lots = new Map<string, Lot>();
  const refunds = new Map<string, bigint>();
  let given = 0n;
  let used = uses.reduce((sum, use) => (use.month < month ? sum + use.points : sum), 0n);
  for (const entry of credits
    .filter(({ at }) => spanOf(at, "month") < month)
    .toSorted((a, b) => a.at - b.at)) {
    const points = creditedBy(entry);
    const reference = entry.id.slice("credit#".length);
    const kind = creditKindOf(entry);
    if (kind === "bought") lots.set(reference, { reference, points, left: points });
    else if (kind === "refund") refunds.set(reference, -points);
    // The platform refused the refund, so its points are those of the order again.
    else if (refunds.delete(reference.replace(/\.back$/, ""))) continue;
    else if (points >= 0n) given += points;
    else used -= points;
  }
  const all = [...lots.values()];
  for (const [reference, points] of refunds) {
    const own = lots.get(refunded.get(reference) ?? "");
    used += taken([...(own ? [own] : []), ...all.toReversed()], points);
  }
  const free = used < given ? used : given;
  const beyond = taken(all, used - free);
  return { lots: all.filter(({ left }) => left > 0n), given: given - free - beyond };
}

/** What was paid for points that are left, in one currency. */
export interface Worth {
  currency: string;
  points: bigint;
  /** Whole minor units; what is below one is cut off. */
  amount: number;
}

/**
 * What the lots were bought for, each at the rate of its own purchase, by currency; and the points that no order was paid
 * for. `paid` has the money of orders by the references of their credits, in minor units.
 */
export function worthOf(
  { lots, given }: Held,
  paid: ReadonlyMap<string, { amount: number; currency: string }>,
): { bought: Worth[]; other: bigint } {
  let other = given;
  const sums = new Map<string, { points: bigint; over: bigint; under: bigint }>();
  for (const { reference, points, left } of lots) {
    const money = paid.get(reference);
    if (!money) {
      other += left;
      continue;
    }
    const { points: before, over, under } = sums.get(money.currency) ?? { points: 0n, over: 0n, under: 1n };
    const sum = reduced(over * points + left * BigInt(money.amount) * under, under * points);
    sums.set(money.currency, { points: before + left, ...sum });
  }
  const bought = [...sums].map(([currency, { points, over, under }]) => {
    return { currency, points, amount: Number(over / under) };
  });
  return { bought: bought.sort((a, b) => (a.currency < b.currency ? -1 : 1)), other };
}

/** A fraction in its lowest terms: purchases at one rate have one divisor, so that it does not grow. */
function reduced(over: bigint, under: bigint): { over: bigint; under: bigint } {
  let [a, b] = [over, under];
  while (b !== 0n) [a, b] = [b, a % b];
  return { over: over / a, under: under / a };
}

/** Takes points out of lots in this order, and gives what they did not have. */
function taken(lots: readonly Lot[], points: bigint): bigint {
  let rest = points;
  for (const lot of lots) {
    if (rest <= 0n) break;
    const part = rest < lot.left ? rest : lot.left;
    lot.left -= part;
    rest -= part;
  }
  return rest;
}
