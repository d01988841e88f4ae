/** Compares the bills of a provider's month with our attempts (shared/books/reports/bills/README.md "Comparing"). Pure. */
import { dayMs, dayOf, spanEnd, spanStart } from "../../../billing/period.ts";
import { type BillAmounts, costName, noAmounts, plus, sumOf } from "../amounts.ts";
import type { HeldBill } from "../bill.ts";
import { billsOfDay, type DayBills } from "../in-force.ts";
import type { OurAttempt } from "../ours.ts";
import { type BillCauseName, type BillCell, billCauses } from "./cell.ts";
import { type CellSource, cellsOf } from "./cells.ts";
import { explainMidnight, explainZone } from "./days.ts";
import { explainCosts } from "./price-causes.ts";
import { type UnmatchedModel, unmatchedModels } from "./unmatched.ts";
import {
  explainCacheRule,
  explainCorrections,
  explainCurrency,
  explainDuplicates,
  explainMissing,
} from "./usage-causes.ts";

/** What is compared. */
export interface BillQuestion {
  /** `2026-11`. */
  month: string;
  /** All bills of the provider that touch the month. */
  bills: readonly HeldBill[];
  /** Our attempts at the provider, from a day before the month to a day after it. */
  attempts: readonly OurAttempt[];
  /** The code of the currency that our costs are in. */
  currency: string;
}

/** The comparison of the bills of one scope: a whole account, or one credential. */
export interface BillSection {
  /** "" of a whole account. */
  credential: string;
  by_credential: boolean;
  /** Days of the month that a bill tells of. */
  days: readonly string[];
  cells: readonly BillCell[];
  unmatched: readonly UnmatchedModel[];
  totals: BillSums;
  /** Attempts of ours on those days that broke off, so that nobody here knows whether they were billed. */
  broken_off: number;
}

/** Sums of cells. theirs − ours is the sum of `causes` and `unexplained`, to the last digit. */
export interface BillSums {
  ours: BillAmounts;
  theirs: BillAmounts;
  causes: Readonly<Partial<Record<BillCauseName, CauseSum>>>;
  unexplained: BillAmounts;
}

/** What a cause explains, and in how many cells. Of a day's end the amounts of two days are nothing together. */
interface CauseSum {
  cells: number;
  amounts: BillAmounts;
}

/** Compares each scope by itself. A month without a bill has no section. */
export function compareBills({ month, bills, attempts, currency }: BillQuestion): BillSection[] {
  const days = daysOf(month);
  const scopes = [...new Set(bills.map(({ head }) => head.credential))].sort();
  return scopes.flatMap((credential) => {
    const byDay = new Map(
      days
        .map((day): [string, DayBills] => [day, billsOfDay(bills, day, credential)])
        .filter(([, { told }]) => told.size > 0),
    );
    if (byDay.size === 0) return [];
    const own = attempts.filter((each) => credential === "" || each.credential === credential);
    const byCredential = credential === "" && isByCredential(byDay, own);
    const isComplete = credential === "" || attempts.every((each) => each.credential !== null);
    const cost = costName(currency);
    return [sectionOf({ days: byDay, attempts: own, byCredential, scope: credential, isComplete, cost })];
  });
}

/** The days of a month. */
export function daysOf(month: string): string[] {
  const [start, end] = [spanStart(month), spanEnd(month)];
  return Array.from({ length: (end - start) / dayMs }, (_, at) => dayOf(start + at * dayMs));
}

/** Whether both sides name the credential of everything. */
function isByCredential(days: ReadonlyMap<string, DayBills>, attempts: readonly OurAttempt[]): boolean {
  const bills = [...days.values()].flatMap(({ told }) =>
    [...told.values()].flat().map(({ now }) => now.head),
  );
  return bills.every((head) => head.by_credential) && attempts.every(({ credential }) => credential !== null);
}

function sectionOf(source: CellSource): BillSection {
  const cells = cellsOf(source);
  for (const cell of cells) {
    explainCurrency(cell);
    explainDuplicates(cell);
    explainCorrections(cell);
  }
  explainZone(cells, source);
  explainMidnight(cells);
  for (const cell of cells) {
    explainCacheRule(cell);
    explainMissing(cell, source.isComplete);
  }
  for (const series of seriesOf(cells)) explainCosts(series);
  return {
    credential: source.scope,
    by_credential: source.byCredential,
    days: [...source.days.keys()],
    ...{ cells, unmatched: unmatchedModels(cells), totals: totalsOf(cells) },
    broken_off: source.attempts.filter(({ at, tokens }) => tokens === null && source.days.has(dayOf(at)))
      .length,
  };
}

/** The cells of each model and credential, in order of days. */
function seriesOf(cells: readonly BillCell[]): BillCell[][] {
  return [...Map.groupBy(cells, ({ model, credential }) => JSON.stringify([model, credential])).values()];
}

/** What cells add up to. */
function totalsOf(cells: Iterable<BillCell>): BillSums {
  let [ours, theirs, unexplained] = [noAmounts, noAmounts, noAmounts];
  const causes = new Map<BillCauseName, CauseSum>();
  for (const cell of cells) {
    ours = plus(ours, cell.ours);
    theirs = plus(theirs, cell.theirs);
    unexplained = plus(unexplained, cell.rest);
    for (const [cause, own] of Map.groupBy(cell.causes, (each) => each.cause)) {
      const known = causes.get(cause) ?? { cells: 0, amounts: noAmounts };
      const amounts = plus(known.amounts, sumOf(own.map((each) => each.amounts)));
      causes.set(cause, { cells: known.cells + 1, amounts });
    }
  }
  const inOrder = billCauses.flatMap((cause) => {
    const sum = causes.get(cause);
    return sum ? [[cause, sum] as const] : [];
  });
  return { ours, theirs, causes: Object.fromEntries(inOrder), unexplained };
}
