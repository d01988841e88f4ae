/**
 * What is certain of a wallet's items that are read one after the other, while calls and transfers go on
 * (shared/people/thresholds/README.md "Shards"). Points are 10⁻¹⁸.
 */
import { allHeld, type CertainUse, type Meter } from "./meter.ts";

/** What is read of an item. */
type ReadItem = Pick<
  Meter,
  "granted" | "used" | "credits" | "budgets" | "moves" | "holds" | "seized" | "tasks"
>;

/** The use of a meter of one item. */
export function useOfItem(item: ReadItem): CertainUse {
  return certainUse([item], [item]);
}

/** What two readings of the same items, one after the other, say. */
export function certainUse(before: readonly ReadItem[], after: readonly ReadItem[]): CertainUse {
  const sum = (amount: (item: ReadItem) => bigint) => after.reduce((all, item) => all + amount(item), 0n);
  const isSame = before.length === after.length;
  const isSteady = isSame && after.every(({ granted }, shard) => granted === before[shard]?.granted);
  return {
    granted: isSteady ? sum(({ granted }) => granted) : undefined,
    used: sum(({ used }) => used),
    credits: sum(({ credits }) => credits),
    spent: isSame ? leastSpent(before, after) : undefined,
  };
}

/** What an earlier use and a later one say together. Charges only add up, so the larger sum of each counter counts. */
export function bothUses(earlier: CertainUse, later: CertainUse): CertainUse {
  const granted = later.granted ?? (earlier.credits === later.credits ? earlier.granted : undefined);
  return { ...later, granted, spent: largerOf(earlier.spent, later.spent) };
}

function largerOf(one: CertainUse["spent"], other: CertainUse["spent"]): CertainUse["spent"] {
  if (!one || !other) return one ?? other;
  const larger = new Map(one);
  for (const [counter, points] of other) {
    const known = larger.get(counter);
    if (known === undefined || known < points) larger.set(counter, points);
  }
  return larger;
}

/**
 * What is spent by each counter at the end of the second reading, at least. An item where no part has moved had spent
 * what it says. Where one part came or went, it had spent the smaller of both sums before or after that, and calls only
 * add to it. Of an item where two have moved, neither reading says what was between them: undefined.
 */
function leastSpent(
  before: readonly ReadItem[],
  after: readonly ReadItem[],
): Map<string, bigint> | undefined {
  const least = new Map<string, bigint>();
  for (const [shard, item] of after.entries()) {
    const earlier = before[shard] ?? item;
    const moved = item.moves - earlier.moves;
    if (moved < 0 || moved > 1) return undefined;
    const [then, now] = [spentOn(earlier), spentOn(item)];
    for (const counter of new Set([...then.keys(), ...now.keys()])) {
      const [first, second] = [then.get(counter) ?? 0n, now.get(counter) ?? 0n];
      const own = moved === 1 && first < second ? first : second;
      least.set(counter, (least.get(counter) ?? 0n) + own);
    }
  }
  const counted = new Set(after.flatMap(({ budgets }) => [...budgets.keys()]));
  return new Map([...least].filter(([counter]) => counted.has(counter)));
}

/** What an item has spent by each counter, less the parts that it was given. Calls in flight hold, and have not spent. */
function spentOn(item: ReadItem): Map<string, bigint> {
  const spent = new Map(item.budgets);
  for (const { counter, points } of allHeld(item).flatMap(({ budgets = [] }) => budgets))
    spent.set(counter, (spent.get(counter) ?? 0n) - points);
  return spent;
}
