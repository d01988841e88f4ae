/** What no vendor should write: odd numbers, values and names. Each is read exactly, or refused with its place. */
import { describe, expect, test } from "vitest";
import type { BillFormatName } from "#shared/books/reports/bills/formats/index.ts";
import { openAiUsage, problemsOf, read, start, usage } from "#test/support/bills/documents.ts";

describe("a count", () => {
  const text = (count: string) =>
    `{"data":[{"start_time":${start},"results":[{${rest},"output_tokens":${count}}]}]}`;
  const rest = '"model":"a","input_tokens":0,"num_model_requests":1';
  const counted = (count: string) => read("openai-usage", text(count)).lines[2]?.count;

  test.each([
    ["1234.0000000002", 1234],
    ["1.234E3", 1234],
    ["1234.0", 1234],
    ["1233.9999999998", 1234],
    ["-1e-17", 0],
    ["123456789012.00001", 123_456_789_012],
    ["999999999999999", 999_999_999_999_999],
  ])("%s is read as %i", (written, count) => {
    expect(counted(written)).toBe(count);
  });

  test.each([
    "1234.00001",
    "0.5",
    "-1",
    "1e400",
    "1000000000000000",
    "1e-30",
    '"x"',
    "null",
    "true",
    "[]",
    "{}",
  ])("%s is refused", (written) => {
    const why = expect.stringMatching(/^output_tokens must be a whole number, and is /);
    expect(problemsOf("openai-usage", text(written))).toEqual([{ path: ["data", 0, "results", 0], why }]);
  });
});

describe("odd documents", () => {
  const documents: [BillFormatName, string][] = [
    ["openai-usage", openAiUsage(usage, { has_more: false })],
    [
      "openai-embeddings",
      openAiUsage({ input_tokens: 1, num_model_requests: 1, api_key_id: "key_1", model: "a" }),
    ],
    [
      "openai-costs",
      openAiUsage({ amount: { value: 0.5, currency: "usd" }, line_item: "a, input", api_key_id: "key_1" }),
    ],
    [
      "anthropic-usage",
      JSON.stringify({
        data: [
          {
            starting_at: "2026-11-03T00:00:00Z",
            results: [
              {
                ...{ uncached_input_tokens: 1, cache_read_input_tokens: 2, output_tokens: 3, model: "a" },
                ...{
                  cache_creation: { ephemeral_5m_input_tokens: 1 },
                  service_tier: "batch",
                  api_key_id: "k",
                },
              },
            ],
          },
        ],
      }),
    ],
    [
      "anthropic-costs",
      JSON.stringify({
        data: [
          {
            starting_at: "2026-11-03T00:00:00Z",
            results: [
              { cost_type: "tokens", token_type: "output_tokens", amount: "1", currency: "USD", model: "a" },
            ],
          },
        ],
      }),
    ],
    [
      "google",
      JSON.stringify({
        sku: { description: "gemini 2.5 pro input" },
        usage_start_time: "2026-11-03 08:00:00 UTC",
        ...{ cost: 1, currency: "USD", cost_type: "regular", credits: [] },
        usage: { amount: 1, unit: "count", pricing_unit: "count", amount_in_pricing_units: 1 },
      }),
    ],
  ];
  /** Literals of JSON that a vendor does not write there. `1.0` and `1e400` are kept as they are written. */
  const odd = [
    "1.0",
    "1e400",
    "-1",
    "1e-400",
    "123456789012345678901",
    "null",
    "true",
    '""',
    '"x"',
    "[]",
    "[1.0]",
    "{}",
  ];

  /** What is said of a file as a whole. */
  const whole = (why: string) => (why.startsWith("it has no day: ") ? why : undefined);

  test.each(documents)(
    "%s: each value in turn is anything else, and is read or refused with its place",
    (format, text) => {
      const values = [...text.matchAll(/:("(?:[^"\\]|\\.)*"|-?[\d.]+|null|true|false)(?=[,}])/g)];
      expect(values.length).toBeGreaterThan(5);
      expect(problemsOf(format, text)).toEqual([]);
      for (const { index, 0: literal } of values)
        for (const value of odd) {
          const changed = `${text.slice(0, index)}:${value}${text.slice(index + literal.length)}`;
          for (const { path, line, why } of problemsOf(format, changed))
            expect(path ?? line ?? whole(why)).toBeDefined();
        }
    },
  );

  const tables: [BillFormatName, string][] = [
    [
      "csv",
      "day,model,credential,tier,requests,input_tokens,cost,currency\n2026-11-03,a,KEY,batch,1,2,0.5,USD",
    ],
    [
      "focus",
      "ChargePeriodStart,ChargeCategory,x_UsageType,ConsumedQuantity,ConsumedUnit,BilledCost,BillingCurrency\n2026-11-03T00:00:00Z,Usage,A-input-tokens,1,1K tokens,0.5,USD",
    ],
  ];
  const oddCells = [
    "",
    "-1",
    "1e400",
    "x",
    " ",
    "\u0000",
    "𝟙",
    "0x10",
    "NaN",
    '"a\nb"',
    '"',
    '""',
    "1".repeat(500),
  ];

  test.each(tables)("%s: each cell in turn is anything else", (format, text) => {
    const [head = "", row = ""] = text.split("\n");
    expect(problemsOf(format, text)).toEqual([]);
    for (const [at] of row.split(",").entries())
      for (const cell of oddCells) {
        const changed = [head, row.split(",").with(at, cell).join()].join("\n");
        for (const { line, why } of problemsOf(format, changed)) expect(line ?? whole(why)).toBeDefined();
      }
  });

  test("begin with a mark of UTF-8, or not", () => {
    for (const [format, text] of documents) expect(problemsOf(format, `\uFEFF${text}`)).toEqual([]);
  });

  test("have names that a terminal would obey: these are shown as they are written in JSON", () => {
    const name = `\u009b31m\u202e${"x".repeat(100)}`;
    const [column] = problemsOf("csv", `day,model,requests,${name}`);
    expect(column?.why).toMatch(/^the column "\\u009b31m\\u202ex{40,60} is not known: /);
    const [twice] = problemsOf("csv", `${name},${name}`);
    expect(twice?.why).toMatch(/^the column "\\u009b31m/);
    expect(problemsOf("csv", "day,model,requests\n2026-11-03,a\u202eb,1")).toMatchObject([{ line: 2 }]);
  });

  test("have a quotation mark that is never closed, in a file of 20 MB", () => {
    const text = `day,model,requests\n2026-11-03,"${'a""'.repeat(7 << 20)},1`;
    expect(problemsOf("csv", text)).toEqual([{ line: 2, why: "a quotation mark stands where none may" }]);
  });
});
