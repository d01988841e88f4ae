/** What a balance was bought for (invoices/README.md "What a balance was bought for"). Pure; amounts are 10⁻¹⁸ points. */
import { spanOf } from "../../books/billing/period.ts";
import { creditedBy, creditKindOf } from "../../books/ledger/credit.ts";
import { lotsOf } from "../../books/ledger/points-used.ts";
import { sumOf, type WalletBooks } from "./statement.ts";

/** Points that were bought at once. */
interface BoughtLot {
  /** The reference of the credit, such as `order.ord_…`. */
  reference: string;
  /** What was bought, and what of it is left. */
  points: bigint;
  left: bigint;
}

/** A balance by where it comes from: `given` and what is left of the lots are the balance. */
interface HeldBalance {
  /** The oldest first; only those with something left. */
  lots: BoughtLot[];
  /** Points that nobody paid for, less what was used beyond all points. */
  given: bigint;
}

/** What is left before `month`, by the order in which points are used. Uses come last, as only their sum is known. */
export function heldBefore(month: string, { credits, uses }: WalletBooks): HeldBalance {
  const before = credits
    .filter((entry) => creditKindOf(entry) !== undefined && spanOf(entry.at, "month") < month)
    .toSorted((one, other) => one.at - other.at || (one.id < other.id ? -1 : 1));
  const used = uses.filter((use) => use.month < month);
  const months = [
    ...new Set([...before.map(({ at }) => spanOf(at, "month")), ...used.map((use) => use.month)]),
  ];
  const movements = months
    .sort()
    .flatMap((each) => [
      ...before.filter(({ at }) => spanOf(at, "month") === each),
      sumOf(used.filter((use) => use.month === each)),
    ]);
  const credited = new Map(before.map((entry) => [entry.id.slice("credit#".length), creditedBy(entry)]));
  const lots = lotsOf(movements)
    .filter(({ isBought, left }) => isBought && left > 0n)
    .map(({ reference, left }) => ({ reference, points: credited.get(reference) ?? left, left }));
  const balance = [...credited.values()].reduce((sum, points) => sum + points, -sumOf(used));
  return { lots, given: lots.reduce((rest, { left }) => rest - left, balance) };
}

/** What was paid for points that are left, in one currency. */
interface Worth {
  currency: string;
  points: bigint;
  /** Whole minor units; what is below one is cut off. */
  amount: number;
}

/** What lots were bought for, by currency, and points nobody paid for. `paid`: minor units by references of credits. */
export function worthOf(
  { lots, given }: HeldBalance,
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
  let [divisor, rest] = [over, under];
  while (rest !== 0n) [divisor, rest] = [rest, divisor % rest];
  return { over: over / divisor, under: under / divisor };
}
