/** Prices of every mode and usages, fixed and arbitrary, for tests of what a call costs. */
import fc from "fast-check";
import { pinPrice } from "#shared/books/billing/pricing/pin-price.ts";
import type { Price } from "#shared/books/billing/pricing/price.ts";
import {
  noUsage,
  type TokenKind,
  tokenKinds,
  type Usage,
  type UsageDetails,
} from "#shared/books/billing/usage.ts";

export const seed = 20261121;
export const flat = {
  mode: "flat_tokens",
  input: "2.5",
  output: "10",
  cache_read: "0.25",
  cache_write: "3.125",
} satisfies Price;
export const byInput = {
  mode: "input_tokens_tiers",
  tiers: [
    { up_to: 32_000, input: "0.8", output: "8", cache_read: "0.16", cache_write: "0.8" },
    { up_to: 128_000, input: "1.2", output: "16", cache_read: "0.16", cache_write: "1.2" },
    { up_to: null, input: "2.4", output: "24", cache_read: "0.16", cache_write: "2.4" },
  ],
} satisfies Price;
export const byTotal = {
  mode: "total_tokens_tiers",
  input: [
    { up_to: 8_000, price: "1" },
    { up_to: 200_000, price: "2" },
    { up_to: null, price: "4" },
  ],
  output: [
    { up_to: 4_000, price: "5" },
    { up_to: 200_000, price: "10" },
    { up_to: null, price: "15" },
  ],
  cache_read: "0.5",
  cache_write: "1.25",
} satisfies Price;
export const perImage = { mode: "per_image", unit_price: "0.2" } satisfies Price;
export const perSecond = {
  mode: "per_second",
  by_resolution: { "480p": "0.1", "720p": "0.25", "1080p": "0.6" },
} satisfies Price;

/** A flat price with every kind of rate. */
const rates = {
  service_tier: {
    priority: "2",
    flex: { mode: "flat_tokens", input: "1.25", output: "5", cache_read: "0.25", cache_write: "3.125" },
  },
  speed: { fast: "6" },
  inference_geo: { us: "1.1" },
  cache_write_1h: "5",
  audio_input: "40",
  audio_cache_read: "2.5",
  audio_output: "80",
  image_output: "30",
  tools: { web_search: "0.01", code_interpreter: "0.03" },
} satisfies Price["rates"];
export const switched = { ...flat, rates } satisfies Price;

export const tokens = (input: number, output = 0, read = 0, write = 0): Usage => ({
  ...noUsage,
  input_tokens: input,
  output_tokens: output,
  cache_read_tokens: read,
  cache_write_tokens: write,
});

/** Any price of tokens, in tiers that rise, fall and repeat, with cached input dearer than plain in some. */
export const micro = fc.integer({ min: 0, max: 20_000_000 }).map((n) => (n / 1e6).toFixed(6));
const breakpoints = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { minLength: 0, maxLength: 3 });
const upTo = breakpoints.map((ends) => [...ends.sort((a, b) => a - b), null]);
const tokenPrices = { input: micro, output: micro, cache_read: micro, cache_write: micro };
const prices = <T extends object>(ends: (number | null)[], model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.tuple(...ends.map((up_to) => fc.record({ up_to: fc.constant(up_to), ...model })));
const anyPrice: fc.Arbitrary<Price> = fc.oneof(
  fc.record({ mode: fc.constant("flat_tokens" as const), ...tokenPrices }),
  upTo.chain((ends) =>
    fc.record({ mode: fc.constant("input_tokens_tiers" as const), tiers: prices(ends, tokenPrices) }),
  ) as fc.Arbitrary<Price>,
  fc.tuple(upTo, upTo).chain(([input, output]) =>
    fc.record({
      mode: fc.constant("total_tokens_tiers" as const),
      input: prices(input, { price: micro }),
      output: prices(output, { price: micro }),
      cache_read: micro,
      cache_write: micro,
    }),
  ) as fc.Arbitrary<Price>,
);
export const count = fc.integer({ min: 0, max: 40 });
export const pinned = fc.tuple(anyPrice, micro).map(([price, discount]) => pinPrice(price, discount));

/** Prices with rates of every kind, whose multipliers are whole so that any product has six decimals. */
const times = fc.integer({ min: 0, max: 4 }).map(String);
const kindRates = fc.record(
  Object.fromEntries(tokenKinds.map((kind) => [kind, micro])) as Record<TokenKind, typeof micro>,
  { requiredKeys: [] },
);
const anyRates = fc.tuple(
  kindRates,
  fc.record(
    {
      service_tier: fc.record(
        {
          priority: fc.oneof(
            times,
            fc.tuple(anyPrice, kindRates).map(([price, rates]) => ({ ...price, rates })),
          ),
          flex: times,
        },
        { requiredKeys: [] },
      ),
      speed: fc.record({ fast: times }, { requiredKeys: [] }),
      inference_geo: fc.record({ us: times }, { requiredKeys: [] }),
      tools: fc.record({ web_search: micro, code_interpreter: micro }, { requiredKeys: [] }),
      unasked: fc.record({ code_interpreter: micro }, { requiredKeys: [] }),
      batch: fc.tuple(anyPrice, kindRates).map(([price, rates]) => ({ ...price, rates })),
    },
    { requiredKeys: [] },
  ),
);
export const pinnedWithRates = fc
  .tuple(anyPrice, anyRates, kindRates, micro)
  .map(([price, [ownRates, rates], inTier, discount]) =>
    pinPrice(
      {
        ...price,
        ...(price.mode === "input_tokens_tiers" && {
          tiers: price.tiers.map((tier, index) => (index === 1 ? { ...tier, rates: inTier } : tier)),
        }),
        rates: { ...ownRates, ...rates },
      } as Price,
      discount,
    ),
  );

/** What a provider may report beside the counts. Tokens of a kind may exceed their count. */
export const anyDetails: fc.Arbitrary<UsageDetails> = fc.record(
  {
    tokens: fc.record(Object.fromEntries(tokenKinds.map((kind) => [kind, count])), { requiredKeys: [] }),
    calls: fc.record({ web_search: count, code_interpreter: count }, { requiredKeys: [] }),
    service_tier: fc.constantFrom("priority", "flex", "scale", "default"),
    speed: fc.constantFrom("fast", "standard"),
    inference_geo: fc.constantFrom("us", "global"),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<UsageDetails>;
