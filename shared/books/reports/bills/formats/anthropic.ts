/** Anthropic's usage report (`/v1/organizations/usage_report/messages`) and cost report (`/v1/organizations/cost_report`). */
import { entryOf, isAbsent, isObject } from "../../../../base/json/fields.ts";
import { instant } from "../../../billing/instant.ts";
import { tokenCounts } from "../../../ledger/house-cost.ts";
import type { BillTold } from "../amounts.ts";
import {
  BillBuilder,
  type BillLine,
  type BillMeasure,
  costIn,
  countIn,
  currencyIn,
  nameIn,
  rowOf,
  tierIn,
  wordIn,
} from "../bill.ts";
import { type BillFormat, bucketsOf, dayAt, type PageResult, resultsOf } from "./format.ts";

export const anthropicUsage: BillFormat = {
  read: (text) => read(text, usageLines, tokenCounts),
};

export const anthropicCosts: BillFormat = {
  read: (text) => read(text, costLines, ["cost"]),
};

function read(
  text: string,
  linesOf: (day: string, at: number, result: PageResult) => BillLine[],
  tells: readonly BillTold[],
) {
  const builder = new BillBuilder();
  let at = 0;
  for (const each of bucketsOf(text)) {
    builder.at({ path: [...each.path, "starting_at"] }, () => {
      const day = dayAt(instant(wordIn(each.bucket.starting_at)), "starting_at");
      builder.covers(day);
      for (const result of resultsOf(each)) {
        at += 1;
        const place = at;
        builder.at({ path: result.path }, () => {
          for (const line of linesOf(day, place, result)) builder.add(line);
        });
      }
    });
  }
  return builder.done(tells);
}

function commonOf(day: string, at: number, { result, bucket }: PageResult) {
  return {
    ...{ day, at },
    credential: isAbsent(result.api_key_id) ? "" : nameIn(result.api_key_id, "api_key_id"),
    tier: tierIn(result.service_tier),
    row: rowOf([bucket.starting_at, bucket.ending_at, result]),
  };
}

function usageLines(day: string, at: number, page: PageResult): BillLine[] {
  const { result } = page;
  if (isAbsent(result.model))
    throw new RangeError("model is missing: ask for the report with group_by[]=model");
  const model = nameIn(result.model, "model");
  const written = isObject(result.cache_creation) ? result.cache_creation : {};
  const count = (fields: Record<string, unknown>, name: string) => countIn(fields[name] ?? 0, name);
  const counts = {
    input_tokens: countIn(result.uncached_input_tokens, "uncached_input_tokens"),
    output_tokens: countIn(result.output_tokens, "output_tokens"),
    cache_read_tokens: countIn(result.cache_read_input_tokens, "cache_read_input_tokens"),
    cache_write_tokens:
      count(written, "ephemeral_5m_input_tokens") + count(written, "ephemeral_1h_input_tokens"),
  };
  const common = commonOf(day, at, page);
  return tokenCounts.map((measure) => ({ ...common, model, measure, count: counts[measure] }));
}

const costMeasures: Readonly<Record<string, BillMeasure>> = {
  uncached_input_tokens: "input_tokens",
  output_tokens: "output_tokens",
  cache_read_input_tokens: "cache_read_tokens",
  "cache_creation.ephemeral_5m_input_tokens": "cache_write_tokens",
  "cache_creation.ephemeral_1h_input_tokens": "cache_write_tokens",
};

/** Amounts are in cents. A tool's line names no model. */
function costLines(day: string, at: number, page: PageResult): BillLine[] {
  const { result } = page;
  if (isAbsent(result.cost_type))
    throw new RangeError("cost_type is missing: ask for the report with group_by[]=description");
  const isTokens = result.cost_type === "tokens";
  const cents = costIn(result.amount, "amount");
  return [
    {
      ...commonOf(day, at, page),
      model: isTokens || !isAbsent(result.model) ? nameIn(result.model, "model") : "",
      measure: isTokens ? (entryOf(costMeasures, result.token_type) ?? "total") : "other",
      cost: costIn(`${cents}e-2`, "amount"),
      currency: currencyIn(result.currency, "currency"),
    },
  ];
}
