/** Public price lists: their numbers as they are written, and what their entries come to in a catalog. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Price, Rates } from "#shared/books/billing/pricing/price.ts";
import { readPriceList } from "#shared/books/prices/import.ts";
import { imagePrice, type ListedModel, tokenPrice } from "#shared/books/prices/list.ts";
import {
  catalogDecimal,
  parseWithNumbersAsText,
  perMillion,
  readAmount,
  times,
} from "#shared/books/prices/numbers.ts";
import { genaiPricesText, litellmText, modelsDevText } from "#test/support/price-lists.ts";

const day = "2026-11-20";
const usd = { digits: 1n, places: 0 };
const amount = (text: string) => {
  const read = readAmount(text);
  if (!read) throw new Error(`${text} is no amount`);
  return read;
};
const flat = (input: string, output: string, cache_read: string, cache_write: string) => {
  return { input, output, cache_read, cache_write };
};

describe("numbers", () => {
  test("are read as they are written, wherever they stand", () => {
    const text =
      '{"a": [2.5e-07, 1.50, {"b": 0.1}], "c": "7", "d": true, "e": null, "f": 123456789012345678901}';
    expect(parseWithNumbersAsText(text)).toEqual({
      a: ["2.5e-07", "1.50", { b: "0.1" }],
      c: "7",
      d: true,
      e: null,
      f: "123456789012345678901",
    });
  });

  test.each([
    ["2.5e-07", "0.25"],
    ["1e-05", "10"],
    ["1.2E-6", "1.2"],
    ["3e-08", "0.03"],
    ["0.00012", "120"],
    ["0", "0"],
    ["0.0", "0"],
    ["1e-12", "0.000001"],
    ["999.999999999999", "999999999.999999"],
  ])("%s a token is %s a million", (token, million) => {
    expect(catalogDecimal(perMillion(amount(token)))).toBe(million);
  });

  test.each(["1e-13", "3.9998000000000007e-07", "1000", "1e9"])("%s a token cannot be expressed", (token) => {
    expect(catalogDecimal(perMillion(amount(token)))).toBeUndefined();
  });

  test.each(["-1", "abc", "", "1e999", "1.", ".5", "0x10", " 1", 1, null, undefined])(
    "%j is none",
    (value) => {
      expect(readAmount(value)).toBeUndefined();
    },
  );

  test("come out exactly, whatever they are multiplied by", () => {
    const micros = fc.bigInt({ min: 0n, max: 10n ** 12n });
    fc.assert(
      fc.property(micros, fc.integer({ min: 1, max: 999 }), (digits, points) => {
        const written = `${digits}e-12`;
        const product = digits * BigInt(points);
        const text = catalogDecimal(times(perMillion(amount(written)), amount(String(points))));
        if (product >= 10n ** 15n) expect(text).toBeUndefined();
        else expect(amount(text ?? "").digits * 10n ** BigInt(6 - amount(text ?? "").places)).toBe(product);
      }),
      { seed: 7, numRuns: 500 },
    );
  });
});

describe.each([
  ["litellm", litellmText],
  ["models.dev", modelsDevText],
  ["genai-prices", genaiPricesText],
] as const)("a list in the form of %s", (format, text) => {
  test("is known by its form", () => {
    expect(readPriceList(text, day).format).toBe(format);
    expect(readPriceList(text, day, format).format).toBe(format);
    const other = format === "litellm" ? "models.dev" : "litellm";
    expect(() => readPriceList(text, day, other)).toThrow(`this file has not the form of ${other}`);
  });

  test("prices the same model by the size of its input", () => {
    const listed = find(text, "openai", "gpt-5.6-luna");
    expect(tokenPrice(listed, usd)).toMatchObject({
      price: {
        mode: "input_tokens_tiers",
        tiers: [
          { up_to: 272_000, ...flat("0.2", "1.2", "0.02", "0.25") },
          { up_to: null, ...flat("0.4", "1.8", "0.04", "0.5") },
        ],
      },
      notes: [],
    });
  });
});

describe("an entry of genai-prices'", () => {
  const entry = (name: string, at: string) => {
    const found = readPriceList(genaiPricesText, at).models.find((each) => each.name === name);
    if (!found) throw new Error(name);
    return found;
  };

  test("has the price of the day, and names what a catalog has no rate for", () => {
    expect(tokenPrice(entry("gemini-3.5-flash", "2026-12-31"), usd)).toMatchObject({
      price: { tiers: [{ input: "1.5" }, { input: "3" }] },
    });
    expect(tokenPrice(entry("gemini-3.5-flash", "2027-01-01"), usd)).toMatchObject({ price: { input: "7" } });
    expect(entry("gemini-3.5-flash", "2026-12-31").others).toEqual(["requests_kcount"]);
  });

  test("has a search's price for one, and says that another price holds at night", () => {
    expect(tokenPrice(entry("gpt-5.6-luna", day), usd)).toMatchObject({
      price: { rates: { tools: { web_search: "0.01" } } },
    });
    const old = entry("old", day);
    expect(tokenPrice(old, usd)).toMatchObject({ price: { input: "1", output: "2" } });
    expect(old.others).toEqual(["a price by the time of day"]);
  });
});

test.each(["[]", "{}", '{"a": {"b": 1}}', "7", "null"])("%s is no price list", (text) => {
  expect(() => readPriceList(text, day)).toThrow("this file has not the form of LiteLLM's");
});

describe("an entry of LiteLLM's", () => {
  test("may have its tiers as ranges, and no price for cache reads: then they go on as they were, or cost what input does", () => {
    const listed = find(litellmText, "volcengine", "seed-pro");
    const price = (low: string, high: string) => ({
      mode: "input_tokens_tiers",
      tiers: [
        { up_to: 32_000, ...flat("0.46", "2.3", low, "0.46") },
        { up_to: null, ...flat("0.7", "3.5", high, "0.7") },
      ],
    });
    expect(tokenPrice(listed, usd)).toEqual({
      price: price("0.46", "0.7"),
      notes: ["no price for cache reads: taken as input"],
    });
    const oldRead = (size: number) => (size > 32_000 ? "0.2" : "0.5");
    expect(tokenPrice(listed, usd, oldRead)).toEqual({
      price: price("0.46", "0.2"),
      notes: ["no price for cache reads: it stays"],
    });
  });

  test("that gives cache writes away has no price for them: they are input", () => {
    expect(tokenPrice(find(litellmText, "zai", "glm-5"), usd)).toMatchObject({
      price: { mode: "flat_tokens", ...flat("1", "3.2", "0.2", "1") },
    });
  });

  test("may price service tiers, caches of an hour and searches: what a tier leaves out costs as without it", () => {
    const { price } = tokenPrice(find(litellmText, "openai", "gpt-5.6-luna"), usd) as { price: Price };
    expect(price).toMatchObject({
      tiers: [{ up_to: 272_000 }, { up_to: null, rates: { cache_write_1h: "0.6" } }],
      rates: { cache_write_1h: "0.3" },
    });
    expect(price.rates?.service_tier?.flex).toEqual({
      mode: "input_tokens_tiers",
      tiers: [
        { up_to: 272_000, ...flat("0.1", "0.6", "0.02", "0.25") },
        { up_to: null, ...flat("0.2", "1.8", "0.04", "0.5"), rates: { cache_write_1h: "0.6" } },
      ],
    });
    const { batch }: Rates = price.rates ?? {};
    expect(batch).toEqual({
      mode: "input_tokens_tiers",
      tiers: [
        { up_to: 272_000, ...flat("0.1", "1.2", "0.02", "0.25") },
        { up_to: null, ...flat("0.4", "0.9", "0.04", "0.5"), rates: { cache_write_1h: "0.6" } },
      ],
      rates: { cache_write_1h: "0.15" },
    });
    expect(tokenPrice(find(litellmText, "gemini", "gemini-3.5-flash"), usd)).toMatchObject({
      price: { rates: { audio_input: "1", tools: { google_search: "0.014" } } },
    });
    expect(find(litellmText, "zai", "glm-5")).toMatchObject({
      tools: {},
      others: ["search_context_cost_per_query"],
    });
  });

  test("names its other prices, but one of reasoning that is the output's", () => {
    expect(find(litellmText, "openai", "gpt-5.6-luna").others).toEqual([
      "output_cost_per_image_batches",
      "regional_processing_uplift_multiplier_eu",
    ]);
    expect(find(litellmText, "gemini", "gemini-3.5-flash").others).toEqual([]);
  });

  test("may have a price that six decimals do not hold, or none by token", () => {
    expect(tokenPrice(find(litellmText, "minimax", "off"), usd)).toEqual({
      why: "a rate has more than six decimals of a point",
    });
    const speech = find(litellmText, "minimax", "speech-2");
    expect(tokenPrice(speech, usd)).toEqual({ why: "the list names no price per token" });
    expect(imagePrice(speech, usd)).toEqual({ why: "the list names no price per image" });
    expect(speech.others).toEqual(["input_cost_per_character"]);
  });

  test("may be of pictures", () => {
    const listed = find(litellmText, "minimax", "picture");
    expect(imagePrice(listed, amount("7.1"))).toEqual({
      price: { mode: "per_image", unit_price: "0.02485" },
      notes: [],
    });
  });

  test("is of the provider it names, by the name without it; the specification is none", () => {
    const { models } = readPriceList(litellmText, day);
    expect(models.map(({ provider, name }) => `${provider} ${name}`)).toEqual([
      "openai gpt-5.6-luna",
      "openai gpt-5.4-nano",
      "openai gpt-5.4-search",
      "azure gpt-5.6-luna",
      "gemini gemini-3.5-flash",
      "zai glm-5",
      "volcengine seed-pro",
      "volcengine seed-embedding",
      "minimax speech-2",
      "minimax off",
      "minimax picture",
    ]);
  });
});

describe("an entry of models.dev's", () => {
  test("has tiers of its own, else those over 200,000 tokens; what a tier leaves out stays", () => {
    expect(tokenPrice(find(modelsDevText, "google", "gemini-3.5-flash"), usd)).toMatchObject({
      price: {
        tiers: [
          { up_to: 200_000, ...flat("1.5", "9", "0.15", "1.5") },
          { up_to: null, ...flat("3", "18", "0.15", "3") },
        ],
      },
    });
  });

  test("has prices of sound, of service tiers, and of other ways to be called, which it names", () => {
    expect(tokenPrice(find(modelsDevText, "google", "gemini-3.5-flash"), usd)).toMatchObject({
      price: { rates: { audio_input: "1" } },
    });
    const listed = find(modelsDevText, "openai", "gpt-5.6-luna");
    expect(tokenPrice(listed, usd)).toMatchObject({
      price: { rates: { service_tier: { priority: { tiers: [flat("0.4", "2.4", "0.02", "0.25"), {}] } } } },
    });
    expect(listed.others).toEqual(["mode quick"]);
  });

  test("says what the model is", () => {
    expect(find(modelsDevText, "openai", "gpt-5.6-luna").about).toEqual({
      display_name: "GPT-5.6 Luna",
      released: "2026-07-09",
      capabilities: ["chat", "stream", "tools", "vision", "reasoning"],
      context_tokens: 1_050_000,
      output_tokens: 128_000,
    });
    expect(find(modelsDevText, "google", "gemini-embedding-2").about).toMatchObject({
      display_name: "gemini-embedding-2",
      released: undefined,
      capabilities: ["embeddings"],
    });
    expect(find(modelsDevText, "google", "gemini-3.5-flash").about.released).toBe("2026-05-01");
  });
});

function find(text: string, provider: string, name: string): ListedModel {
  const { models } = readPriceList(text, day);
  const found = models.find((model) => model.provider === provider && model.name === name);
  if (!found) throw new Error(`no ${provider} ${name}`);
  return found;
}
