/** What a hold and its end add to a meter item (billing.md §2.4.4 and §3), and the writes that end a hold. */

import { timeOf } from "../../../base/platform/id.ts";
import { ownName } from "../../../books/meters/budget.ts";
import { budgetShares, type Held, type Hold, heldBy, type Settlement } from "../../../books/meters/hold.ts";
import {
  bucketAt,
  dayCounter,
  dayPointsCounter,
  isInWindow,
  packBucket,
} from "../../../books/meters/window.ts";
import { type Item, readBigint } from "../dynamodb/attributes.ts";
import { atLeast, type Change, equals } from "../dynamodb/expressions.ts";
import { meterKey } from "../dynamodb/item-keys.ts";
import { dueNames, leftoversOf, names, writeHeld } from "./meter-item.ts";

/** Names the minute counter of an instant. */
type Minute = (at: number) => string;

/** The minute counters of a hold: the subscription's, and those of its key where the key's minute is limited. */
export function minutesOf({ planLimits, limits, key }: Hold): Minute[] {
  if (!planLimits) return [];
  const plan: Minute = (at) => bucketAt(at, planLimits.rpm);
  if (limits?.rpm === undefined && limits?.tpm === undefined) return [plan];
  return [plan, (at) => `${names.limited(key)}:${bucketAt(at, limits.rpm ?? null)}`];
}

/** A limited key has a day's counter even where only its minute is limited: the sweep knows only that it is limited. */
function daysOf({ key }: Held, at: number): string[] {
  const day = dayCounter(at);
  return key === undefined ? [day] : [day, `${key}:${day}`];
}

/** What a hold adds to its meter, without zeros. A counter of exactly this value has nothing of any other hold. */
export function holdAmounts(hold: Hold): Record<string, bigint> {
  const shares = budgetShares(hold).map(({ counter, points }): NamedAmount => [counter, points]);
  if (!hold.planLimits) return changing([["avail", -hold.points], ...shares]);
  const at = timeOf(hold.request);
  const minute = packBucket(1, hold.counting ? 0 : hold.tokens);
  const minutes = minutesOf(hold).map((nameAt): NamedAmount => [nameAt(at), minute]);
  if (hold.counting) return changing(minutes);
  const held = heldBy(hold);
  const days = daysOf(held, at).map((name): NamedAmount => [name, BigInt(hold.tokens)]);
  const month: NamedAmount = [names.period(held.period), BigInt(held.calls ?? 1)];
  return changing([...minutes, ...days, month, [dayPointsCounter(at), held.dayPoints ?? 0n], ...shares]);
}

/** What several writes add together. */
export function sumOf(additions: (Change["add"] & {})[]): Record<string, bigint> {
  const sum: Record<string, bigint> = {};
  for (const each of additions)
    for (const name in each) sum[name] = (sum[name] ?? 0n) + BigInt(each[name] ?? 0n);
  return sum;
}

/** Gives back what a hold has left. Tokens beyond it are the minute's debt; `minutes` is empty where that is over. */
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
  const tokens = (settlement.giveBack ? 0 : settlement.tokens) - held.tokens;
  const amounts: Record<string, bigint> = {};
  for (const name of daysOf(held, admittedAt)) amounts[name] = BigInt(tokens);
  const { calls, listPoints } = settlement.giveBack
    ? { calls: 0, listPoints: 0n }
    : { calls: 1, ...settlement };
  amounts[names.period(held.period)] = BigInt(calls - (held.calls ?? 1));
  if (held.dayPoints !== undefined) amounts[dayPointsCounter(admittedAt)] = listPoints - held.dayPoints;
  Object.assign(amounts, budgetAmounts(held, listPoints));
  for (const nameAt of minutes) {
    const name = nameAt(tokens > 0 ? settlement.at : admittedAt);
    if (isInWindow(ownName(name), settlement.at))
      amounts[name] = packBucket(settlement.giveBack ? -1 : 0, tokens);
  }
  return changing(Object.entries(amounts));
}

/** What the end of a hold adds to its budgets: the held shares go back, and the charge stays. */
function budgetAmounts({ budgets = [] }: Held, charged: bigint): Record<string, bigint> {
  return changing(budgets.map(({ counter, points }) => [counter, charged - points]));
}

type NamedAmount = [name: string, amount: bigint];

function changing(amounts: NamedAmount[]): Record<string, bigint> {
  return Object.fromEntries(amounts.filter(([, amount]) => amount !== 0n));
}

/** Ends a hold: removes it, on condition that it is there, and adds the amounts. `unused` names go too. */
export function releaseChange(
  table: string,
  key: Item,
  hold: { name: string; held: Held },
  amounts: Record<string, bigint>,
  unused: string[],
): Change {
  const remove = [hold.name, ...unused.filter((name) => !(name in amounts))];
  return { table, key, add: amounts, remove, when: [equals(hold.name, writeHeld(hold.held))] };
}

/** Takes a hold back. `alone` also removes counters that no other call uses, or refused calls would pile them up. */
export function undoChange(table: string, hold: Hold, item: Item, alone: boolean): Change {
  const amounts = Object.entries(holdAmounts(hold));
  const own = alone ? amounts.filter(([name, amount]) => readBigint(item[name]) === amount) : [];
  const back = amounts
    .filter((each) => !own.includes(each))
    .map(([name, amount]) => [name, -amount] as const);
  const held = { name: names.hold(hold.request), held: heldBy(hold) };
  const unused = [...dueNames(leftoversOf(item), timeOf(hold.request)), ...own.map(([name]) => name)];
  const change = releaseChange(
    table,
    meterKey(hold.meter, hold.shard),
    held,
    Object.fromEntries(back),
    unused,
  );
  // A count of tokens has no hold to check. Its counter must still have what is taken back.
  const there = hold.counting ? back.map(([name, amount]) => atLeast(name, -amount)) : (change.when ?? []);
  return { ...change, when: [...there, ...own.map(([name, amount]) => equals(name, { N: String(amount) }))] };
}
