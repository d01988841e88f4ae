/** Vendors' bills as a terminal shows them: the list, and the parts of a comparison that fit there. */
import type { BillsReport, ToldAmounts, ToldCell, ToldSection } from "#shared/books/reports/bills/report.ts";
import type { ListedBill } from "#shared/edges/operator/bills.ts";
import { operatorBounds } from "./bounds.ts";

/** A row of the list, what of it counts first: a terminal cuts the end off. A damaged bill tells nothing of itself. */
export function shownBill({ id, provider, replaced_by, withdrawn, ...bill }: ListedBill) {
  const { first_day, last_day, ...told } = "damaged" in bill ? damaged : bill;
  return {
    ...{ id, provider, state: withdrawn ? "withdrawn" : "counts", first_day, last_day },
    replaced_by: replaced_by.join(" ") || "-",
    withdrawn: withdrawn ? `by ${withdrawn.by}, ${withdrawn.withdrawn_at}: ${withdrawn.why}` : "-",
    ...{ format: told.format, credential: told.credential || "all", lines: told.lines },
    ...{ left_out: told.left_out, tells: told.tells.join(" "), file: told.file },
    imported_at: told.imported_at,
  };
}

const damaged = {
  ...{ first_day: "-", last_day: "-", format: "damaged", credential: "-", lines: "-", left_out: "-" },
  ...{ tells: ["-"], file: "-", imported_at: "-" },
};

/** What fits on the lines of a terminal: totals, causes, and the cells that differ most in need of a look. */
export function shownReport({ month, currency, providers }: BillsReport): object {
  const sections = providers.flatMap(({ provider, sections: own }) =>
    own.map(
      (section) => [`${provider}${section.credential ? ` (${section.credential})` : ""}`, section] as const,
    ),
  );
  if (sections.length === 0) return { month, bills: "none: give them to bills import" };
  return {
    month,
    currency,
    ...Object.fromEntries(sections.map(([name, each]) => [name, shownSection(each)])),
  };
}

function shownSection({ totals, cells, ...section }: ToldSection): object {
  const { ours, theirs, difference, unexplained, causes } = totals;
  const names = Object.keys({ ...ours, ...theirs });
  const differing = cells.filter((cell) => cell.causes.length > 0 || isLeft(cell));
  const most = operatorBounds.billCellsShown;
  const first = differing.toSorted((a, b) => Number(isLeft(b)) - Number(isLeft(a))).slice(0, most);
  return {
    bills: section.bills.join(" "),
    days_without_bill: section.days_without_bill.join(" ") || "none",
    broken_off: section.broken_off,
    ...(section.unmatched_models.length > 0 && {
      unmatched_models: section.unmatched_models.map((pair) => ({
        ...pair,
        advice: "bills import --models may name it",
      })),
    }),
    totals: names.map((name) => ({
      amount: name,
      ...{ ours: ours[name] ?? "0", theirs: theirs[name] ?? "0", difference: difference[name] ?? "0" },
      unexplained: unexplained[name] ?? "0",
    })),
    causes: causes.map(({ cause, cells: count, amounts }) => ({
      cause,
      cells: count,
      amounts: amountsText(amounts),
    })),
    ...(differing.length > first.length && { cells_shown: `${first.length} of ${differing.length}` }),
    cells: first.map((cell) => ({
      ...{ day: cell.day, model: cell.model || "-", credential: cell.credential || "all" },
      difference: amountsText(cell.difference),
      causes: cell.causes.map(({ cause, why }) => `${cause} (${why})`).join("; ") || "-",
      unexplained: amountsText(cell.unexplained),
    })),
  };
}

function isLeft({ unexplained }: Pick<ToldCell, "unexplained">): boolean {
  return Object.keys(unexplained).length > 0;
}

function amountsText(amounts: ToldAmounts): string {
  const parts = Object.entries(amounts).map(([name, amount]) => `${name} ${amount}`);
  return parts.join(", ") || "-";
}
