/** A comparison of bills as JSON: amounts are texts, so that no digit is lost. Pure. */
import { amountText, type BillAmounts, isNothing, minus } from "./amounts.ts";
import type { BillCauseName, BillCell } from "./compare/cell.ts";
import type { BillSection, BillSums } from "./compare/compare.ts";
import type { UnmatchedModel } from "./compare/unmatched.ts";

/** Amounts by their names, such as `input_tokens` and `cost USD`. What is nothing has no member. */
export type ToldAmounts = Readonly<Record<string, string>>;

/** Both sides with their difference, theirs − ours, and what of it nobody can explain. */
interface ToldSides {
  ours: ToldAmounts;
  theirs: ToldAmounts;
  difference: ToldAmounts;
  unexplained: ToldAmounts;
}

/** A part of the difference that a cause explains. */
interface ToldCause {
  cause: BillCauseName;
  amounts: ToldAmounts;
}

export interface ToldCell extends ToldSides {
  day: string;
  model: string;
  credential: string;
  causes: readonly (ToldCause & { why: string })[];
}

export interface ToldSection {
  /** "" of the bills of a whole account. */
  credential: string;
  /** Whether cells are of one credential each. */
  by_credential: boolean;
  /** The bills that count, for something on some day. */
  bills: readonly string[];
  /** Days of the month that have ended and that no bill tells of: they are compared by nothing. */
  days_without_bill: readonly string[];
  /** Attempts of ours that broke off: nobody here knows whether they were billed. */
  broken_off: number;
  /** Models that may be the same under two names: `bills import --models theirs=ours` says that they are. */
  unmatched_models: readonly UnmatchedModel[];
  totals: ToldSides & { causes: readonly (ToldCause & { cells: number })[] };
  cells: readonly ToldCell[];
}

export interface BillsReport {
  month: string;
  /** The currency that our costs are in. */
  currency: string;
  providers: readonly ProviderReport[];
}

export interface ProviderReport {
  provider: string;
  /** Days on which we have attempts that no bill covers. */
  unbilled_days: readonly string[];
  sections: readonly ToldSection[];
}

/** The comparison of one provider. `counting` gives the bills that count in a scope. */
export function providerReport(
  provider: string,
  sections: readonly BillSection[],
  {
    days,
    counting,
    unbilled,
  }: {
    days: readonly string[];
    counting: (credential: string) => readonly string[];
    unbilled: readonly string[];
  },
): ProviderReport {
  return {
    provider,
    unbilled_days: unbilled,
    sections: sections.map((section) => ({
      ...{ credential: section.credential, by_credential: section.by_credential },
      bills: counting(section.credential),
      days_without_bill: days.filter((day) => !section.days.includes(day)),
      broken_off: section.broken_off,
      unmatched_models: section.unmatched,
      totals: toldTotals(section.totals),
      cells: section.cells.map(toldCell),
    })),
  };
}

/** Whether some difference has no explanation, or a wrong one because a model has two names. */
export function isUnexplained({ providers }: BillsReport): boolean {
  return providers.some(({ sections }) =>
    sections.some(
      ({ cells, unmatched_models }) =>
        unmatched_models.length > 0 || cells.some(({ unexplained }) => Object.keys(unexplained).length > 0),
    ),
  );
}

function toldTotals({ causes, unexplained, ...sides }: BillSums): ToldSection["totals"] {
  const entries = Object.entries(causes) as [BillCauseName, NonNullable<BillSums["causes"][BillCauseName]>][];
  return {
    ...sidesOf(sides, unexplained),
    causes: entries.map(([cause, { cells, amounts }]) => ({ cause, cells, amounts: told(amounts) })),
  };
}

function toldCell({ day, model, credential, causes, rest, ...sides }: BillCell): ToldCell {
  return {
    ...{ day, model, credential },
    ...sidesOf(sides, rest),
    causes: causes
      .filter(({ amounts }) => !isNothing(amounts))
      .map(({ cause, amounts, why }) => ({ cause, why, amounts: told(amounts) })),
  };
}

function sidesOf({ ours, theirs }: Pick<BillSums, "ours" | "theirs">, unexplained: BillAmounts): ToldSides {
  return {
    ours: told(ours),
    theirs: told(theirs),
    difference: told(minus(theirs, ours)),
    unexplained: told(unexplained),
  };
}

/** Names in one order, counts before costs. */
const order = ["requests", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"];

function told(amounts: BillAmounts): ToldAmounts {
  const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  return Object.fromEntries(
    Object.entries(amounts)
      .filter(([, amount]) => amount !== 0n)
      .sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1))
      .map(([name, amount]) => [name, amountText(name, amount)]),
  );
}
