/** Google's billing export: a row of its BigQuery table as JSON on each line. */
import { parseExact } from "../../../../base/json/exact.ts";
import { isObject } from "../../../../base/json/fields.ts";
import { instant } from "../../../billing/instant.ts";
import { type TokenCount, tokenCounts } from "../../../ledger/house-cost.ts";
import { BillBuilder, type BillLine, costIn, currencyIn, nameIn, rowOf, wordIn } from "../bill.ts";
import { type BillFormat, dayAt, withoutMark } from "./format.ts";
import { isTokenUnit, tokensOfUnit } from "./usage-name.ts";

export const googleExport: BillFormat = {
  read(text) {
    const builder = new BillBuilder();
    for (const [index, each] of withoutMark(text).split("\n").entries()) {
      if (each.trim() === "") continue;
      builder.at({ line: index + 1 }, () => {
        const line = lineOf(rowIn(each), index + 1);
        if (line) builder.add(line);
        else builder.leaveOut();
      });
    }
    return builder.done([...tokenCounts, "cost"]);
  },
};

function rowIn(text: string): Record<string, unknown> {
  let row: unknown;
  try {
    row = parseExact(text);
  } catch {
    throw new RangeError("it is no JSON");
  }
  if (!isObject(row)) throw new RangeError("it must be an object");
  return row;
}

/** What a SKU counts. Input out of the cache is called both `cached input` and `input … caching`. */
function measureOf(sku: string): TokenCount | undefined {
  if (/\binput\b/i.test(sku)) return /\bcach(?:e|ed|ing)\b/i.test(sku) ? "cache_read_tokens" : "input_tokens";
  return /\boutput\b/i.test(sku) ? "output_tokens" : undefined;
}

/** A SKU such as `Generate content input token count gemini 2.5 flash short input text`, or of Vertex, `Gemini 2.5 Flash Input Text`. */
function lineOf(row: Record<string, unknown>, at: number): BillLine | undefined {
  const text = (value: unknown) =>
    isObject(value) && typeof value.description === "string" ? value.description : "";
  const sku = text(row.sku);
  const measure = measureOf(sku);
  const model = /gemini[- ]\d[\d.]*(?:[- ](?:pro|flash(?:[- ]lite)?|ultra|nano))?/i.exec(sku)?.[0];
  const kind = wordIn(row.cost_type ?? "regular");
  if (measure === undefined || model === undefined || !["regular", "adjustment"].includes(kind))
    return undefined;
  const usage = isObject(row.usage) ? row.usage : {};
  const isCorrection = kind === "adjustment";
  const count = isCorrection ? undefined : tokensIn(usage);
  if (count === null) return undefined;
  const credits = Array.isArray(row.credits) ? row.credits.filter(isObject) : [];
  if (credits.length > 0)
    throw new RangeError("credits are not read: take them off in the query, or leave them out");
  return {
    day: dayAt(instant(instantText(row.usage_start_time)), "usage_start_time"),
    model: nameIn(model.toLowerCase().replaceAll(" ", "-"), "sku.description"),
    ...{ credential: "", measure, tier: /batch|flex|priority/.exec(sku.toLowerCase())?.[0] ?? "" },
    ...(count !== undefined && { count }),
    cost: costIn(row.cost, "cost"),
    currency: currencyIn(row.currency, "currency"),
    ...(isCorrection && { correction: true as const }),
    ...{ row: rowOf(row), at },
  };
}

/**
 * The tokens of a row; null where it counts something else, such as characters, or the hours that tokens are kept. A row has
 * its amount in a unit, and again in the unit of the price. One that names no unit counts tokens.
 */
function tokensIn(usage: Record<string, unknown>): number | null {
  const [unit, priced] = [wordIn(usage.unit), wordIn(usage.pricing_unit)];
  if (priced !== "" && !isTokenUnit(priced)) return null;
  if (isTokenUnit(unit)) return tokensOfUnit(usage.amount, unit);
  return priced === "" ? null : tokensOfUnit(usage.amount_in_pricing_units, priced);
}

/** BigQuery writes `2026-11-01 08:00:00 UTC`, and `2026-11-01 08:00:00.000000 UTC`. */
function instantText(value: unknown): string {
  return wordIn(value).replace(/ UTC$/, "Z");
}
