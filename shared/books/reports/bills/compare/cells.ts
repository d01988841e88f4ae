/** Makes the cells of a comparison out of bills and attempts. Pure. */
import { dayOf, hourMs } from "../../../billing/period.ts";
import { absolute, type BillAmounts, doubleParts, minus, parseCost, sumOf } from "../amounts.ts";
import type { BillMeasure, HeldBill } from "../bill.ts";
import { billBounds } from "../bounds.ts";
import { type CountedBillLine, countedLines, type DayBills, sumOfLines } from "../in-force.ts";
import type { OurAttempt, TokenRates } from "../ours.ts";
import { attemptAmounts, type BillCell, toldOf } from "./cell.ts";

/** One comparison: the bills of a scope by day, our attempts, and what both are grouped by. */
export interface CellSource {
  days: ReadonlyMap<string, DayBills>;
  attempts: readonly OurAttempt[];
  byCredential: boolean;
  /** The credential of the scope, "" for a whole account. */
  scope: string;
  /** Every attempt that the scope may have is among these: its credential is known. */
  isComplete: boolean;
  /** The name of costs in our currency. */
  cost: string;
}

const separator = "\n";

/** The cells of all days, models and credentials that either side has. */
export function cellsOf(source: CellSource): BillCell[] {
  const { days, attempts, cost } = source;
  const ownModels = new Set(attempts.map(({ model }) => model));
  const matched = new Map<string, string>();
  const ourName = (theirs: string) => {
    const known = matched.get(theirs) ?? modelOf(theirs, ownModels);
    matched.set(theirs, known);
    return known;
  };
  const places = new Map<
    string,
    { now: CountedBillLine[]; before: CountedBillLine[]; attempts: OurAttempt[] }
  >();
  const placeAt = (day: string, model: string, credential: string) => {
    const key = [day, model, source.byCredential ? credential : source.scope].join(separator);
    const known = places.get(key) ?? { now: [], before: [], attempts: [] };
    places.set(key, known);
    return known;
  };
  for (const [day, bills] of days)
    for (const which of ["now", "before"] as const)
      for (const counted of countedLines(bills, day, which))
        placeAt(day, ourName(counted.line.model), counted.line.credential)[which].push(counted);
  for (const attempt of attempts) {
    const day = dayOf(attempt.at);
    if (days.has(day)) placeAt(day, attempt.model, attempt.credential ?? "").attempts.push(attempt);
  }
  const [rates, writings] = [ratesByModel(attempts), writingsOf(days)];
  return [...places]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, place]) => {
      const [day = "", model = "", credential = ""] = key.split(separator);
      const { told } = days.get(day) ?? { told: new Map() as DayBills["told"] };
      const names = new Set(told.keys());
      const writing = writings.get(told.get("cost")?.[0]?.now.head.id ?? "");
      const hasBefore = [...told.values()].flat().some(({ before }) => before !== undefined);
      const theirs = sumOfLines(place.now);
      const ours = toldOf(sumOf(place.attempts.map((each) => attemptAmounts(each, cost))), names);
      return {
        ...{ day, model, credential, told: names, ours, theirs, cost },
        ...{ lines: place.now, attempts: place.attempts },
        before: hasBefore ? place.before : undefined,
        bound: writing ? boundOf(place.now, writing) : 0n,
        rates: (place.attempts.length > 0 ? sameRates(place.attempts) : rates.get(model)) ?? null,
        rest: minus(theirs, ours),
        causes: [],
      };
    });
}

/** Our name for a vendor's one: the same, or the same but for its capitals and the date of its snapshot. */
function modelOf(theirs: string, ours: ReadonlySet<string>): string {
  if (ours.has(theirs)) return theirs;
  const alike = [...ours].filter((name) => name.toLowerCase() === theirs.toLowerCase());
  const undated =
    alike.length > 0 ? alike : [...ours].filter((name) => plainName(name) === plainName(theirs));
  return undated.length === 1 ? (undated[0] ?? theirs) : theirs;
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[-@](?:\d{8}|\d{4}-\d\d-\d\d)(?:-v\d+(?::\d+)?)?$/, "");
}

/** Rates by model, where all attempts of the month have the same. They are those of cells without an attempt. */
function ratesByModel(attempts: readonly OurAttempt[]): Map<string, TokenRates | null> {
  const groups = Map.groupBy(attempts, ({ model }) => model);
  return new Map([...groups].map(([model, own]) => [model, sameRates(own)]));
}

/** What tokens cost at all of these attempts; null where they differ, or one is not known. */
function sameRates(attempts: readonly OurAttempt[]): TokenRates | null {
  const [first] = attempts;
  if (!first?.rates) return null;
  const text = ratesText(first.rates);
  const isSame = attempts.every(({ rates }) => rates === first.rates || (rates && ratesText(rates) === text));
  return isSame ? first.rates : null;
}

function ratesText(rates: TokenRates): string {
  return Object.values(rates).join();
}

/** What rounding may have moved in a cell: half of the last decimal of each line, as the whole bill writes them. */
function boundOf(lines: readonly CountedBillLine[], { bill, decimals, measures }: BillWriting): bigint {
  const half = 5n * 10n ** BigInt(billBounds.costPlaces - 1 - decimals);
  const costs = lines.filter(({ bill: { id }, line }) => id === bill && line.cost !== undefined);
  const bound = costs.reduce((sum, { line }) => {
    const noise = absolute(parseCost(line.cost ?? "0")) / doubleParts;
    return sum + (noise > half ? noise : half);
  }, 0n);
  // A line that is rounded to nothing may be left out: each measure that the bill tells costs of has one.
  const told = new Set(costs.map(({ line }) => line.measure));
  return bound + half * BigInt([...measures].filter((each) => !told.has(each)).length);
}

/** How a bill writes its costs. */
interface BillWriting {
  /** The bill's id. */
  bill: string;
  decimals: number;
  measures: ReadonlySet<BillMeasure>;
}

/** The most decimals that a cost of a bill has, and the measures that it tells costs of. */
function writingOf({ head, lines }: HeldBill): BillWriting {
  const priced = lines.filter(({ cost }) => cost !== undefined);
  const decimals = priced.reduce((most, { cost = "" }) => Math.max(most, cost.split(".")[1]?.length ?? 0), 0);
  return {
    bill: head.id,
    decimals: Math.min(decimals, billBounds.costPlaces - 1),
    measures: new Set(priced.map(({ measure }) => measure)),
  };
}

/** How each bill of the days writes its costs, by the bill's id. */
function writingsOf(days: CellSource["days"]): Map<string, BillWriting> {
  const bills = [...days.values()].flatMap(({ told }) => told.get("cost")?.map(({ now }) => now) ?? []);
  return new Map([...new Set(bills)].map((bill) => [bill.head.id, writingOf(bill)]));
}

/** Our attempts of an hour at one model and credential, with their sum. */
interface HourGroup {
  at: number;
  place: string;
  attempts: OurAttempt[];
  sum: BillAmounts;
}

/** All attempts by hours, which another zone moves as a whole. */
export function hoursOf({ attempts, byCredential, scope, cost }: CellSource): HourGroup[] {
  const groups = Map.groupBy(attempts, ({ at, model, credential }) =>
    [Math.floor(at / hourMs), model, byCredential ? (credential ?? "") : scope].join(separator),
  );
  return [...groups].map(([key, own]) => {
    const [hour = "", ...place] = key.split(separator);
    const sum = sumOf(own.map((each) => attemptAmounts(each, cost)));
    return { at: Number(hour) * hourMs, place: place.join(separator), attempts: own, sum };
  });
}

/** What we have of each cell if the vendor's days began so many hours earlier than those of UTC. */
export function shiftedBy(hours: number, groups: readonly HourGroup[]): Map<string, HourGroup[]> {
  return Map.groupBy(groups, ({ at, place }) => [dayOf(at + hours * hourMs), place].join(separator));
}

export function keyOf({ day, model, credential }: Pick<BillCell, "day" | "model" | "credential">): string {
  return [day, model, credential].join(separator);
}
