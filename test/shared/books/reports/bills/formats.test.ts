/** The formats of bills: what each reads out of a vendor's document, and what it refuses with its place. */
import { describe, expect, test } from "vitest";
import type { BillHead, BillLine } from "#shared/books/reports/bills/bill.ts";
import { type BillFormatName, formatOf } from "#shared/books/reports/bills/formats/index.ts";
import { billOf } from "#shared/books/reports/bills/import.ts";
import { afterwards, openAiUsage, problemsOf, read, start, usage } from "#test/support/bills/documents.ts";

/** A line in short: what is not asked here is left out. */
const short = ({ day, model, credential, measure, tier, count, cost, currency }: BillLine) =>
  [day, model, credential, measure, tier, count ?? null, cost ?? null, currency ?? null].join(" ");
const lines = (format: BillFormatName, text: string) => read(format, text).lines.map(short);

describe("OpenAI", () => {
  test("usage: cached tokens are no input, and a batch is a tier", () => {
    const text = openAiUsage({ ...usage, batch: true });
    expect(lines("openai-usage", text)).toEqual([
      "2026-11-03 gpt-4o-2024-08-06 key_1 requests batch 5  ",
      "2026-11-03 gpt-4o-2024-08-06 key_1 input_tokens batch 200  ",
      "2026-11-03 gpt-4o-2024-08-06 key_1 output_tokens batch 500  ",
      "2026-11-03 gpt-4o-2024-08-06 key_1 cache_read_tokens batch 800  ",
      "2026-11-03 gpt-4o-2024-08-06 key_1 cache_write_tokens batch 0  ",
    ]);
    expect(read("openai-usage", text)).toMatchObject({
      tells: ["requests", "input_tokens", "output_tokens", "cache_read_tokens"],
      ...{ days: new Map([["2026-11-03", { path: ["data", 0, "start_time"] }]]), left_out: 0 },
    });
    const writes = openAiUsage({ ...usage, input_cache_write_tokens: 50 });
    expect(read("openai-usage", writes).tells).toContain("cache_write_tokens");
    expect(lines("openai-usage", writes)).toContain("2026-11-03 gpt-4o-2024-08-06 key_1 input_tokens  150  ");
  });

  test("costs keep every digit, also those of a double and of a power of ten", () => {
    const cost = (value: string, line_item: string) =>
      `{"object":"organization.costs.result","amount":{"value":${value},"currency":"usd"},"line_item":"${line_item}"}`;
    const results = [
      cost("0.06000000000000001", "gpt-4o, cached input"),
      cost("1.5e-7", "gpt-4o, output"),
      cost("2", "gpt-4o"),
    ];
    const text = `{"data":[{"start_time":${start},"end_time":${start + 86_400},"results":[${results}]}]}`;
    expect(lines("openai-costs", text)).toEqual([
      "2026-11-03 gpt-4o  cache_read_tokens   0.06000000000000001 USD",
      "2026-11-03 gpt-4o  output_tokens   0.00000015 USD",
      "2026-11-03 gpt-4o  total   2 USD",
    ]);
  });

  test("embeddings tell requests and input, and stand beside completions of the same days", () => {
    const result = {
      object: "organization.usage.embeddings.result",
      ...{ input_tokens: 7000, num_model_requests: 3, project_id: null, user_id: null },
      ...{ api_key_id: "key_1", model: "text-embedding-3-small" },
    };
    const text = openAiUsage(result);
    expect(formatOf(text)).toBe("openai-embeddings");
    expect(lines("openai-embeddings", text)).toEqual([
      "2026-11-03 text-embedding-3-small key_1 requests  3  ",
      "2026-11-03 text-embedding-3-small key_1 input_tokens  7000  ",
    ]);
    const of = (format: BillFormatName, from: string, known: BillHead[]) =>
      billOf({ provider: "acme", format, text: from, file: "a.json", now: afterwards }, known).head;
    expect(problemsOf("openai-usage", text)).toMatchObject([
      { path: ["data", 0, "results", 0], why: expect.stringMatching(/^it is no usage of completions, but /) },
    ]);
    const completions = of("openai-usage", openAiUsage(usage), []);
    const first = of("openai-embeddings", text, [completions]);
    expect(first).toMatchObject({ part: "embeddings", tells: ["requests", "input_tokens"], replaces: [] });
    const again = of("openai-embeddings", `${text}\n`, [completions, first]);
    expect(again.replaces).toEqual([first.id]);
  });

  test("costs of tools name no model, with a comma or without one", () => {
    const items = ["web search tool calls", "web search tool calls, gpt-4o", "assistants api | file search"];
    const results = items.map((line_item) => ({ amount: { value: 2, currency: "usd" }, line_item }));
    const text = JSON.stringify({ data: [{ start_time: start, results }] });
    expect(lines("openai-costs", text)).toEqual(items.map(() => "2026-11-03   other   2 USD"));
  });

  test("a page that says that there are more is refused, but for one that has the next behind it", () => {
    const why =
      "there are more pages: fetch the rest with next_page, and give all pages as a list in one file";
    const page = (has_more: boolean) => JSON.parse(openAiUsage(usage, { has_more, next_page: "page_2" }));
    const problems = (document: object) => problemsOf("openai-usage", JSON.stringify(document));
    expect(problems(page(true))).toEqual([{ path: ["has_more"], why }]);
    expect(problems([page(false), page(true)])).toEqual([{ path: [1, "has_more"], why }]);
    expect(problems([page(true), page(false)])).toEqual([]);
  });

  test("what was not grouped is refused, with what to ask for", () => {
    expect(problemsOf("openai-usage", openAiUsage({ ...usage, model: null }))).toEqual([
      { path: ["data", 0, "results", 0], why: "model is missing: ask for the usage with group_by=model" },
    ]);
    expect(problemsOf("openai-usage", openAiUsage({ ...usage, input_tokens: -1 }))).toEqual([
      { path: ["data", 0, "results", 0], why: "input_tokens must be a whole number, and is -1" },
    ]);
    expect(problemsOf("openai-usage", '{"data":\n[}')).toEqual([{ line: 2, why: "it is no JSON" }]);
  });
});

describe("Anthropic", () => {
  const page = (result: object) =>
    JSON.stringify({
      data: [{ starting_at: "2026-11-03T00:00:00Z", ending_at: "2026-11-04T00:00:00Z", results: [result] }],
      ...{ has_more: false, next_page: null },
    });

  test("usage: writes to the cache of both lengths are one count, and no requests are told", () => {
    const result = {
      ...{
        uncached_input_tokens: 1500,
        cache_read_input_tokens: 200,
        output_tokens: 500,
        service_tier: "batch",
      },
      cache_creation: { ephemeral_1h_input_tokens: 1000, ephemeral_5m_input_tokens: 500 },
      ...{
        api_key_id: "apikey_1",
        model: "claude-sonnet-4-20250514",
        context_window: "0-200k",
        workspace_id: null,
      },
    };
    expect(lines("anthropic-usage", page(result))).toEqual([
      "2026-11-03 claude-sonnet-4-20250514 apikey_1 input_tokens batch 1500  ",
      "2026-11-03 claude-sonnet-4-20250514 apikey_1 output_tokens batch 500  ",
      "2026-11-03 claude-sonnet-4-20250514 apikey_1 cache_read_tokens batch 200  ",
      "2026-11-03 claude-sonnet-4-20250514 apikey_1 cache_write_tokens batch 1500  ",
    ]);
  });

  test("costs are cents, and a tool names no model", () => {
    const cost = { currency: "USD", amount: "123.78912", workspace_id: null, context_window: null };
    const tokens = {
      ...cost,
      cost_type: "tokens",
      model: "claude-opus-4",
      token_type: "cache_creation.ephemeral_1h_input_tokens",
    };
    expect(lines("anthropic-costs", page({ ...tokens, service_tier: "standard" }))).toEqual([
      "2026-11-03 claude-opus-4  cache_write_tokens   1.2378912 USD",
    ]);
    const tool = { ...cost, cost_type: "web_search", model: null, token_type: null, service_tier: null };
    expect(lines("anthropic-costs", page(tool))).toEqual(["2026-11-03   other   1.2378912 USD"]);
    expect(problemsOf("anthropic-costs", page({ ...cost, cost_type: null }))).toEqual([
      {
        path: ["data", 0, "results", 0],
        why: "cost_type is missing: ask for the report with group_by[]=description",
      },
    ]);
  });
});

describe("FOCUS", () => {
  const head =
    "ChargePeriodStart,ChargeCategory,ChargeClass,x_UsageType,ConsumedQuantity,ConsumedUnit,BilledCost,BillingCurrency";
  const row = (usageType: string, quantity: string, unit: string, category = "Usage", isCorrection = "") =>
    `2026-11-03T07:00:00Z,${category},${isCorrection},${usageType},${quantity},${unit},0.30,USD`;

  test("the name of the usage says model, kind of token, and tier; other rows are left out", () => {
    const text = [
      head,
      row("USE1-Claude4.5Sonnet-input-tokens", "0.512", "1K tokens"),
      row("EUC1-Claude4.5Sonnet-cache-write-input-token-count-flex", "1.5", "1M tokens"),
      row("USE1-openai.gpt-oss-mantle-output-tokens-standard", "7", "Tokens"),
      row("USE1-Nova2-cache-read-input-token-count-batch", "", "", "Usage", "Correction"),
      row("USE1-BoxUsage:t3.micro", "1", "Hrs"),
      row("USE1-Claude4.5Sonnet-input-tokens", "", "", "Tax"),
    ].join("\n");
    expect(lines("focus", text)).toEqual([
      "2026-11-03 Claude4.5Sonnet  input_tokens  512 0.3 USD",
      "2026-11-03 Claude4.5Sonnet  cache_write_tokens flex 1500000 0.3 USD",
      "2026-11-03 openai.gpt-oss  output_tokens  7 0.3 USD",
      "2026-11-03 Nova2  cache_read_tokens batch  0.3 USD",
    ]);
    expect(read("focus", text)).toMatchObject({ left_out: 2, lines: [{}, {}, {}, { correction: true }] });
  });

  test("each wrong line is named", () => {
    const text = [
      head,
      row("A-input-tokens", "0.0005", "1K tokens"),
      row("A-input-tokens", "1", "Hours"),
    ].join("\n");
    expect(problemsOf("focus", text)).toEqual([
      { line: 2, why: 'the quantity in tokens must be a whole number, and is "0.5"' },
      { line: 3, why: 'the unit must be tokens, 1K tokens or 1M tokens, and is "Hours"' },
    ]);
    expect(problemsOf("focus", "ChargePeriodStart,BilledCost\n")).toEqual([
      { line: 1, why: "the column BillingCurrency is missing" },
    ]);
  });
});

test("Google's export: rows of tokens, and what counts none is left out", () => {
  const row = (sku: string, more: object = {}) =>
    JSON.stringify({
      ...{ service: { description: "Gemini API" }, sku: { id: "A1", description: sku } },
      ...{ usage_start_time: "2026-11-03 08:00:00 UTC", cost: 1.2e-5, currency: "USD", cost_type: "regular" },
      ...{ usage: { amount: 12000.0, unit: "count" }, credits: [], ...more },
    });
  const text = [
    row("Generate content input token count gemini 2.5 flash short input text"),
    row("Generate content cached input token count gemini 2.5 pro"),
    row("Gemini 2.5 Flash Lite Output Text - Batch Predictions"),
    row("Tax", { cost_type: "tax" }),
  ].join("\n");
  expect(lines("google", text)).toEqual([
    "2026-11-03 gemini-2.5-flash  input_tokens  12000 0.000012 USD",
    "2026-11-03 gemini-2.5-pro  cache_read_tokens  12000 0.000012 USD",
    "2026-11-03 gemini-2.5-flash-lite  output_tokens batch 12000 0.000012 USD",
  ]);
  const wrong = `${row("gemini 2.5 pro input")}\n{"sku":\n${row("gemini 2.5 pro input", { credits: [{ amount: -1 }] })}`;
  expect(problemsOf("google", wrong)).toEqual([
    { line: 2, why: "it is no JSON" },
    { line: 3, why: "credits are not read: take them off in the query, or leave them out" },
  ]);
});

test("Google's export: tokens alone are counted, in any unit that is one of tokens", () => {
  const row = (usage: object) =>
    JSON.stringify({
      sku: { description: "Gemini 2.5 Flash Input Text" },
      ...{ usage_start_time: "2026-11-03 08:00:00 UTC", cost: 1, currency: "USD", usage },
    });
  const text = [
    row({ amount: 1.2e4, unit: "count", pricing_unit: "1M tokens", amount_in_pricing_units: 0.012 }),
    row({ amount: 9.5, unit: "requests", pricing_unit: "1000 count", amount_in_pricing_units: 1.5 }),
    row({ amount: 12000 }),
    row({ amount: 5, unit: "token-hours" }),
    row({ amount: 5, unit: "count", pricing_unit: "1M token-hours", amount_in_pricing_units: 5e-6 }),
    row({ amount: 5, unit: "characters", pricing_unit: "1k characters", amount_in_pricing_units: 0.005 }),
  ].join("\n");
  const line = (count: number) => `2026-11-03 gemini-2.5-flash  input_tokens  ${count} 1 USD`;
  expect(lines("google", `\uFEFF${text}`)).toEqual([line(12_000), line(1500), line(12_000)]);
  expect(read("google", text).left_out).toBe(3);
});

describe("CSV of our own", () => {
  test("lines are counted as an editor counts them, also within quotation marks", () => {
    const text = 'day,model,requests\r\n\r\n2026-11-03,"a\r\nb",x\r\n2026-11-03,a,y\n';
    const text2 = text.replace("a\r\nb", "a");
    expect(problemsOf("csv", text2).map(({ line }) => line)).toEqual([3, 4]);
    expect(problemsOf("csv", text).map(({ line }) => line)).toEqual([3, 5]);
  });

  test("any of its columns, with quoted cells and a mark of UTF-8", () => {
    const text =
      '\uFEFFday,model,credential,requests,cost,currency\r\n2026-11-03,"acme ""big"", 1",KEY,3,0.10,usd\r\n\r\n';
    expect(lines("csv", text)).toEqual([
      '2026-11-03 acme "big", 1 KEY requests  3  ',
      '2026-11-03 acme "big", 1 KEY total   0.1 USD',
    ]);
    expect(read("csv", text).tells).toEqual(["requests", "cost"]);
  });

  test.each([
    ["", 1, "the file is empty"],
    ["day,model", 1, "there is no column with a count or a cost"],
    ["day,model,cost", 1, "the column currency goes with cost"],
    ["day,model,requests,price", 1, /^the column "price" is not known: day, model, /],
    ["day,model,requests,day", 1, 'the column "day" stands there twice'],
    ["day,model,requests\n2026-11-03,a", 2, "it has 2 cells, and the first line names 3"],
    ["day,model,requests\n\n2026-11-03,a,1.5", 3, 'requests must be a whole number, and is "1.5"'],
    ["day,model,requests\n2026-11-31,a,1", 2, 'day must be a day such as 2026-11-21, and is "2026-11-31"'],
    ['day,model,requests\n2026-11-03,a"b,1', 2, "a quotation mark stands where none may"],
    ["day,model,requests", undefined, "it has no day: the file is empty, or of another format"],
  ])("refuses %j", (text, line, why) => {
    const [problem] = problemsOf("csv", text);
    expect(problem?.line).toBe(line);
    expect(problem?.why).toMatch(why);
  });

  test("of many mistakes the first twenty are told", () => {
    const text = ["day,model,requests", ...Array.from({ length: 50 }, () => "2026-11-03,a,x")].join("\n");
    expect(problemsOf("csv", text)).toHaveLength(20);
  });
});

test("the form of a document is seen", () => {
  expect(formatOf(openAiUsage(usage))).toBe("openai-usage");
  expect(formatOf("day,model,requests\n")).toBe("csv");
  expect(formatOf("BilledCost,ChargePeriodStart\n")).toBe("focus");
  expect(formatOf('{"data":[{"results":[{"cost_type":"tokens"}]}]}')).toBe("anthropic-costs");
  expect(formatOf('{"usage_start_time":"2026-11-03 08:00:00 UTC","cost_type":"regular"}')).toBe("google");
  expect([formatOf("a,b\n"), formatOf("{}")]).toEqual([undefined, undefined]);
});
