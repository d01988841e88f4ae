/** CSV in the columns of FOCUS 1.x, as AWS's data exports and others give it. */
import { instant } from "../../../billing/instant.ts";
import { tokenCounts } from "../../../ledger/house-cost.ts";
import { BillBuilder, type BillLine, BillRefused, costIn, currencyIn, nameIn, rowOf } from "../bill.ts";
import { type CsvRow, csvRows } from "../csv-rows.ts";
import { type BillFormat, dayAt } from "./format.ts";
import { tokensOfUnit, usageName } from "./usage-name.ts";

const needed = [
  "ChargePeriodStart",
  "BilledCost",
  "BillingCurrency",
  "ConsumedQuantity",
  "ConsumedUnit",
] as const;
/** Columns that may name what was used, the first of them that does. */
const names = ["x_UsageType", "SkuMeter", "SkuId", "ChargeDescription"] as const;

export const focusCsv: BillFormat = {
  read(text) {
    const { names: given, rows } = csvRows(text);
    const missing = needed.find((name) => !given.includes(name));
    if (missing !== undefined) throw new BillRefused([{ line: 1, why: `the column ${missing} is missing` }]);
    const builder = new BillBuilder();
    for (const row of rows)
      builder.at({ line: row.line }, () => {
        const line = lineOf(row);
        if (line) builder.add(line);
        else builder.leaveOut();
      });
    return builder.done([...tokenCounts, "cost"]);
  },
};

/** A row of tokens; undefined for any other, such as a tax, a credit or another service. */
function lineOf({ cells, line }: CsvRow): BillLine | undefined {
  const name = names.map((each) => cells[each] ?? "").find((each) => usageName(each) !== undefined);
  const used = name === undefined ? undefined : usageName(name);
  const category = cells.ChargeCategory ?? "Usage";
  if (!used || !["Usage", "Adjustment"].includes(category)) return undefined;
  const isCorrection = category === "Adjustment" || cells.ChargeClass === "Correction";
  const quantity = cells.ConsumedQuantity ?? "";
  const account = cells.x_Credential ?? "";
  return {
    day: dayAt(instant(cells.ChargePeriodStart ?? ""), "ChargePeriodStart"),
    model: nameIn(used.model, "the model"),
    credential: account === "" ? "" : nameIn(account, "x_Credential"),
    ...{ measure: used.measure, tier: used.tier },
    ...(quantity !== "" && !isCorrection && { count: tokensOfUnit(quantity, cells.ConsumedUnit ?? "") }),
    cost: costIn(cells.BilledCost, "BilledCost"),
    currency: currencyIn(cells.BillingCurrency, "BillingCurrency"),
    ...(isCorrection && { correction: true as const }),
    ...{ row: rowOf(cells), at: line },
  };
}
