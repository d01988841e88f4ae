/** What holds and their ends add to a meter item, and the writes that end a hold (billing.md §2.4.4 and §3). */
import { budgetShare, type Hold, type Settlement } from "../../meters/meter.ts";
import { bucketAt, dayCounter, isInWindow, packBucket } from "../../meters/window.ts";
import { timeOf } from "../../platform/id.ts";
import { type Item, readBigint } from "../dynamodb/attributes.ts";
import { atLeast, type Change, equals } from "../dynamodb/expressions.ts";
import { meterKey } from "../dynamodb/item-keys.ts";
import { type Held, heldBy, names, ownName, staleNames, writeHeld } from "./meter-item.ts";

/** Names the minute counter of an instant. */
type Minute = (at: number) => string;

/** The minutes a hold counts in: the subscription's, and its key's own where that one's minute is limited. */
export function minutesOf({ terms, limits, key }: Hold): Minute[] {
  if (!terms) return [];
  const plan: Minute = (at) => bucketAt(at, terms.rpm);
  if (limits?.rpm === undefined && limits?.tpm === undefined) return [plan];
  return [plan, (at) => `${names.limited(key)}:${bucketAt(at, limits.rpm ?? null)}`];
}

/**
 * The counters of a day's tokens. A limited key's is kept even where only its minute is limited: the sweeper
 * corrects it, and knows no more of the key than that it is limited.
 */
function daysOf({ key }: Held, at: number): string[] {
  const day = dayCounter(at);
  return key === undefined ? [day] : [day, `${key}:${day}`];
}

/** What a hold adds to its meter, without zeros: a counter of exactly this value is the hold's alone. */
export function holdAmounts(hold: Hold): Record<string, bigint> {
  const budget = budgetShare(hold);
  const share: Amount[] = budget ? [[budget.counter, budget.points]] : [];
  if (!hold.terms) return changing([["avail", -hold.points], ...share]);
  const at = timeOf(hold.request);
  const minute = packBucket(1, hold.counting ? 0 : hold.tokens);
  const minutes = minutesOf(hold).map((nameAt): Amount => [nameAt(at), minute]);
  if (hold.counting) return changing(minutes);
  const days = daysOf(heldBy(hold), at).map((name): Amount => [name, BigInt(hold.tokens)]);
  return changing([...minutes, ...days, [names.period(hold.terms.period.id), 1n], ...share]);
}

/**
 * What a settlement adds to the meter (billing.md §2.4.4 and §3): the unused part of a hold goes back where
 * it was taken, and tokens beyond it are a debt of the running minute. There are no `minutes` when the minute
 * of the call is long over, which is when a sweeper settles.
 */
export function settlementAmounts(
  request: string,
  held: Held,
  settlement: Settlement,
  minutes: Minute[],
): Record<string, bigint> {
  if (held.period === "") {
    const paid = { avail: held.points - settlement.points, used: settlement.points };
    return { ...paid, ...budgetAmounts(held, settlement.points) };
  }
  const admittedAt = timeOf(request);
  const tokens = (settlement.give_back ? 0 : settlement.tokens) - held.tokens;
  const amounts: Record<string, bigint> = {};
  for (const name of daysOf(held, admittedAt)) amounts[name] = BigInt(tokens);
  if (settlement.give_back) amounts[names.period(held.period)] = -1n;
  Object.assign(amounts, budgetAmounts(held, settlement.give_back ? 0n : settlement.list_points));
  for (const nameAt of minutes) {
    const name = nameAt(tokens > 0 ? settlement.at : admittedAt);
    if (isInWindow(ownName(name), settlement.at))
      amounts[name] = packBucket(settlement.give_back ? -1 : 0, tokens);
  }
  return changing(Object.entries(amounts));
}

/** What the end of a hold adds to its key's budget: what was held goes back, and what was charged stays. */
function budgetAmounts({ budget }: Held, charged: bigint): Record<string, bigint> {
  return budget ? changing([[budget.counter, charged - budget.points]]) : {};
}

type Amount = [name: string, amount: bigint];

function changing(amounts: Amount[]): Record<string, bigint> {
  return Object.fromEntries(amounts.filter(([, amount]) => amount !== 0n));
}

/**
 * The write that ends a hold: it and the amounts in one step, exactly once, because the hold is there only
 * once. Stale names that the amounts add to are spared.
 */
export function releaseChange(
  table: string,
  key: Item,
  hold: { name: string; held: Held },
  amounts: Record<string, bigint>,
  stale: string[],
): Change {
  const remove = [hold.name, ...stale.filter((name) => !(name in amounts))];
  return { table, key, add: amounts, remove, when: [equals(hold.name, writeHeld(hold.held))] };
}

/**
 * The write that takes a hold back as if it had never been. Counters that it alone has made go away with it
 * (`alone`, which must still be so), lest refused calls pile up on the item.
 */
export function undoChange(table: string, hold: Hold, item: Item, alone: boolean): Change {
  const amounts = Object.entries(holdAmounts(hold));
  const own = alone ? amounts.filter(([name, amount]) => readBigint(item[name]) === amount) : [];
  const back = amounts
    .filter((each) => !own.includes(each))
    .map(([name, amount]) => [name, -amount] as const);
  const held = { name: names.hold(hold.request), held: heldBy(hold) };
  const stale = [...staleNames(item, timeOf(hold.request)), ...own.map(([name]) => name)];
  const change = releaseChange(
    table,
    meterKey(hold.meter, hold.shard),
    held,
    Object.fromEntries(back),
    stale,
  );
  // A count of tokens has no hold that could be gone already: its counter must still have what is taken.
  const there = hold.counting ? back.map(([name, amount]) => atLeast(name, -amount)) : (change.when ?? []);
  return { ...change, when: [...there, ...own.map(([name, amount]) => equals(name, { N: String(amount) }))] };
}
