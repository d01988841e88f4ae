/**
 * What a call costs by the words of contract §2.3, in plain fractions. It shares no code with the product,
 * so an error in the product's arithmetic cannot hide here.
 */
import { type Fraction, fraction, sum, times, zero } from "./fraction.ts";
import type { PriceRow, ReferenceModel } from "./price-list.ts";

/** What a provider counts, each token once. */
export interface Counted {
  input: number;
  output: number;
  cache_read: number;
  cache_write: number;
  /** Parts of the counts above with a price of their own. */
  cache_write_1h?: number;
  audio_input?: number;
  audio_output?: number;
  web_searches?: number;
  tier?: string;
}

const million = fraction(1_000_000);
const perMillion = (count: number, price: string): Fraction => {
  const { top, bottom } = times(fraction(count), fraction(price));
  return { top, bottom: bottom * million.top };
};

interface UnitPrices {
  input: string;
  output: string;
  cache_read: string;
  cache_write: string;
}

/** The first row that reaches as far as a size, whose bound belongs to it. */
function reaching<Row extends { up_to: number | null }>(rows: Row[], size: number): Row {
  for (const row of rows) if (row.up_to === null || size <= row.up_to) return row;
  throw new Error("no tier is open");
}

function unitPrices(price: PriceRow, counted: Counted): UnitPrices {
  const inputs = counted.input + counted.cache_read + counted.cache_write;
  if (price.mode === "flat_tokens") return price;
  if (price.mode === "input_tokens_tiers") return reaching(price.tiers, inputs);
  const total = inputs + counted.output;
  return {
    input: reaching(price.input, total).price,
    output: reaching(price.output, total).price,
    cache_read: price.cache_read,
    cache_write: price.cache_write,
  };
}

/** The points a call costs. */
export function bill({ price, discount_rate }: ReferenceModel, counted: Counted): Fraction {
  const unit = unitPrices(price, counted);
  const rates = price.rates ?? {};
  const { cache_write_1h = 0, audio_input = 0, audio_output = 0, web_searches = 0 } = counted;
  const tokens = sum([
    perMillion(counted.input - audio_input, unit.input),
    perMillion(audio_input, rates.audio_input ?? "0"),
    perMillion(counted.output - audio_output, unit.output),
    perMillion(audio_output, rates.audio_output ?? "0"),
    perMillion(counted.cache_read, unit.cache_read),
    perMillion(counted.cache_write - cache_write_1h, unit.cache_write),
    perMillion(cache_write_1h, rates.cache_write_1h ?? "0"),
  ]);
  const tier = counted.tier === undefined ? "1" : (rates.service_tier?.[counted.tier] ?? "1");
  const searches =
    web_searches === 0 ? zero : times(fraction(web_searches), fraction(rates.tools?.web_search ?? "0"));
  return times(sum([times(tokens, fraction(tier)), searches]), fraction(discount_rate));
}
