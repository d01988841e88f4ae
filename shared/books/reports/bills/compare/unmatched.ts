/** Models that may be the same under two names (shared/books/reports/bills/README.md "Models"). Pure. */
import { absolute, type BillAmounts, countsIn, isNothing, minus, sumOf } from "../amounts.ts";
import type { BillCell } from "./cell.ts";

/** A name of the bill that no attempt of ours has, and the model of ours without a line that is most like it. */
export interface UnmatchedModel {
  theirs: string;
  ours: string;
}

/**
 * Names that only one side has, in all cells. Each of theirs goes with the one of ours whose sums are nearest. None where
 * either side has none: then they are calls that are not ours, or are missing there.
 */
export function unmatchedModels(cells: readonly BillCell[]): UnmatchedModel[] {
  const named = cells.filter(({ model }) => model !== "");
  const sums = [...Map.groupBy(named, ({ model }) => model)].map(([model, own]) => ({
    model,
    isTheirs: own.some(({ lines }) => lines.length > 0),
    isOurs: own.some(({ attempts }) => attempts.length > 0),
    theirs: sumOf(own.map(({ theirs }) => theirs)),
    ours: sumOf(own.map(({ ours }) => ours)),
  }));
  const missing = sums.filter(({ isTheirs }) => !isTheirs);
  return sums.flatMap(({ model, isOurs, theirs }) => {
    const [nearest] = missing.toSorted((one, other) =>
      Number(apart(theirs, one.ours) - apart(theirs, other.ours) > 0n ? 1 : -1),
    );
    return isOurs || !nearest ? [] : [{ theirs: model, ours: nearest.model }];
  });
}

/** How far two sums are from each other: by counts, and where there are none by costs. */
function apart(theirs: BillAmounts, ours: BillAmounts): bigint {
  const difference = minus(theirs, ours);
  const compared = isNothing(countsIn(theirs)) ? difference : countsIn(difference);
  return Object.values(compared).reduce((sum, amount) => sum + absolute(amount), 0n);
}
