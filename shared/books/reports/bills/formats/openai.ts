/** OpenAI's usage (`/v1/organization/usage/completions` and `…/embeddings`) and its costs (`/v1/organization/costs`). */
import { isAbsent, isObject } from "../../../../base/json/fields.ts";
import { billCounts } from "../amounts.ts";
import {
  BillBuilder,
  type BillLine,
  type BillMeasure,
  costIn,
  countIn,
  currencyIn,
  nameIn,
  rowOf,
  shown,
  tierIn,
  wordIn,
} from "../bill.ts";
import { type BillFormat, bucketsOf, dayAt, type PageResult, resultsOf } from "./format.ts";

export const openAiUsage: BillFormat = {
  read: (text) =>
    read(text, usageLines, (writes) => billCounts.filter((each) => writes || each !== "cache_write_tokens")),
};

/** They tell input alone. OpenAI gives them beside those of completions. */
export const openAiEmbeddings: BillFormat = {
  part: "embeddings",
  read: (text) => read(text, embeddingLines, () => embeddingCounts),
};

const embeddingCounts = ["requests", "input_tokens"] as const;

export const openAiCosts: BillFormat = {
  read: (text) => read(text, costLines, () => ["cost"]),
};

function read(
  text: string,
  linesOf: (day: string, at: number, result: PageResult) => BillLine[],
  tells: (writes: boolean) => Parameters<BillBuilder["done"]>[0],
) {
  const builder = new BillBuilder();
  let [at, writes] = [0, false];
  for (const each of bucketsOf(text)) {
    builder.at({ path: [...each.path, "start_time"] }, () => {
      const day = dayAt(countIn(each.bucket.start_time, "start_time") * 1000, "start_time");
      builder.covers(day);
      for (const result of resultsOf(each)) {
        at += 1;
        const place = at;
        writes ||= !isAbsent(result.result[writeName]);
        builder.at({ path: result.path }, () => {
          for (const line of linesOf(day, place, result)) builder.add(line);
        });
      }
    });
  }
  return builder.done(tells(writes));
}

/** Older answers do not tell tokens that are written to the cache. They are among the input then. */
const writeName = "input_cache_write_tokens";

function usageLines(day: string, at: number, page: PageResult): BillLine[] {
  const { result } = page;
  const common = usageOf(day, at, page, "completions");
  const count = (name: string) => (isAbsent(result[name]) ? 0 : countIn(result[name], name));
  const [read, written] = [count("input_cached_tokens"), count(writeName)];
  const input = countIn(result.input_tokens, "input_tokens") - read - written;
  if (input < 0) throw new RangeError("input_tokens is less than its cached tokens");
  const counts = {
    requests: countIn(result.num_model_requests, "num_model_requests"),
    ...{ input_tokens: input, output_tokens: countIn(result.output_tokens, "output_tokens") },
    ...{ cache_read_tokens: read, cache_write_tokens: written },
  };
  return billCounts.map((measure) => ({ ...common, measure, count: counts[measure] }));
}

/** What all counts of a result share. Throws for one of another kind of calls, which counts other things. */
function usageOf(
  day: string,
  at: number,
  { result, bucket }: PageResult,
  kind: "completions" | "embeddings",
) {
  const object = wordIn(result.object);
  if (object !== "" && object !== `organization.usage.${kind}.result`)
    throw new RangeError(`it is no usage of ${kind}, but ${shown(object)}: leave that out of this file`);
  if (isAbsent(result.model)) throw new RangeError("model is missing: ask for the usage with group_by=model");
  return {
    day,
    model: nameIn(result.model, "model"),
    credential: isAbsent(result.api_key_id) ? "" : nameIn(result.api_key_id, "api_key_id"),
    tier: result.batch === true ? "batch" : tierIn(result.service_tier),
    row: rowOf([bucket.start_time, bucket.end_time, result]),
    at,
  };
}

function embeddingLines(day: string, at: number, page: PageResult): BillLine[] {
  const common = usageOf(day, at, page, "embeddings");
  const { input_tokens, num_model_requests } = page.result;
  const counts = {
    requests: countIn(num_model_requests, "num_model_requests"),
    input_tokens: countIn(input_tokens, "input_tokens"),
  };
  return embeddingCounts.map((measure) => ({ ...common, measure, count: counts[measure] }));
}

/**
 * A line item names the model, and then what of it, such as `gpt-4o-2024-08-06, cached input`. That of a tool names none,
 * such as `web search tool calls`. A model's name has no spaces.
 */
function costLines(day: string, at: number, { result, bucket }: PageResult): BillLine[] {
  if (isAbsent(result.line_item))
    throw new RangeError("line_item is missing: ask for the costs with group_by=line_item");
  const amount = isObject(result.amount) ? result.amount : {};
  const [first = "", ...rest] = nameIn(result.line_item, "line_item").split(", ");
  const what = rest.join(" ").toLowerCase();
  const isModel = first !== "" && !/[\s|]/.test(first);
  return [
    {
      ...{ day, model: isModel ? first : "", measure: isModel ? measureOf(what) : ("other" as const) },
      credential: isAbsent(result.api_key_id) ? "" : nameIn(result.api_key_id, "api_key_id"),
      tier: /batch|flex|priority/.exec(what)?.[0] ?? "",
      cost: costIn(amount.value, "amount.value"),
      currency: currencyIn(amount.currency, "amount.currency"),
      ...{ row: rowOf([bucket.start_time, bucket.end_time, result]), at },
    },
  ];
}

function measureOf(what: string): BillMeasure {
  if (what === "") return "total";
  if (/cach(?:e|ed|ing) writ|cache creation/.test(what)) return "cache_write_tokens";
  if (/cache/.test(what)) return "cache_read_tokens";
  if (/input/.test(what)) return "input_tokens";
  return /output/.test(what) ? "output_tokens" : "other";
}
