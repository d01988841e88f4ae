/** A CSV of our own, for vendors whose bill comes in no other form. */
import { isDay } from "../../../billing/period.ts";
import { type BillTold, billCounts } from "../amounts.ts";
import {
  BillBuilder,
  type BillLine,
  BillRefused,
  costIn,
  countIn,
  currencyIn,
  nameIn,
  rowOf,
  shown,
  tierIn,
} from "../bill.ts";
import { type CsvRow, csvRows } from "../csv-rows.ts";
import type { BillFormat } from "./format.ts";

const columns = ["day", "model", "credential", "tier", ...billCounts, "cost", "currency"] as const;

export const plainCsv: BillFormat = {
  read(text) {
    const { names, rows } = csvRows(text);
    const problem = headProblem(names);
    if (problem) throw new BillRefused([{ line: 1, why: problem }]);
    const builder = new BillBuilder();
    for (const row of rows)
      builder.at({ line: row.line }, () => {
        for (const line of linesOf(row)) builder.add(line);
        builder.covers(dayIn(row));
      });
    return builder.done(
      [...billCounts, "cost" as const].filter((name): name is BillTold => names.includes(name)),
    );
  },
};

function headProblem(names: readonly string[]): string | undefined {
  const unknown = names.find((name) => !columns.some((each) => each === name));
  if (unknown !== undefined)
    return `the column ${unknown ? shown(unknown) : "without a name"} is not known: ${columns.join(", ")}`;
  for (const name of ["day", "model"]) if (!names.includes(name)) return `the column ${name} is missing`;
  if (names.includes("cost") && !names.includes("currency")) return "the column currency goes with cost";
  return [...billCounts, "cost"].some((name) => names.includes(name))
    ? undefined
    : "there is no column with a count or a cost";
}

function dayIn({ cells: { day = "" } }: CsvRow): string {
  if (!isDay(day)) throw new RangeError(`day must be a day such as 2026-11-21, and is ${shown(day)}`);
  return day;
}

function linesOf(row: CsvRow): BillLine[] {
  const { cells } = row;
  const common = {
    day: dayIn(row),
    model: nameIn(cells.model, "model"),
    credential: cells.credential ? nameIn(cells.credential, "credential") : "",
    tier: tierIn(cells.tier),
    row: rowOf(cells),
    at: row.line,
  };
  const lines: BillLine[] = [];
  for (const measure of billCounts) {
    const cell = cells[measure] ?? "";
    if (cell !== "") lines.push({ ...common, measure, count: countIn(cell, measure) });
  }
  const { cost = "", currency } = cells;
  if (cost !== "")
    lines.push({
      ...common,
      measure: "total",
      cost: costIn(cost, "cost"),
      currency: currencyIn(currency, "currency"),
    });
  return lines;
}
