/**
 * 71 models with odd prices: every way the catalog can price a token, with breakpoints and discounts that hit
 * no round number.
 */
import { randomOf } from "#test/support/turns.ts";

interface TierRow {
  up_to: number | null;
  input: string;
  output: string;
  cache_read: string;
  cache_write: string;
}

interface SideRow {
  up_to: number | null;
  price: string;
}

/** What multiplies the prices of tokens, and prices of what is more than tokens. */
interface RateRows {
  service_tier?: Record<string, string>;
  cache_write_1h?: string;
  audio_input?: string;
  audio_output?: string;
  tools?: Record<string, string>;
}

export type PriceRow = (
  | ({ mode: "flat_tokens" } & Omit<TierRow, "up_to">)
  | { mode: "input_tokens_tiers"; tiers: TierRow[] }
  | {
      mode: "total_tokens_tiers";
      input: SideRow[];
      output: SideRow[];
      cache_read: string;
      cache_write: string;
    }
) & { rates?: RateRows };

export interface ReferenceModel {
  id: string;
  price: PriceRow;
  discount_rate: string;
}

const random = randomOf(71);
const below = (bound: number) => Math.floor(random() * bound);

/** A price of up to `most`, with as many decimals as chance gives it, at most `places`. */
const oddPrice = (most: number, places: number) => {
  const decimals = below(places + 1);
  const digits = String(below(10 ** decimals)).padStart(decimals, "0");
  return decimals === 0 ? String(1 + below(most)) : `${below(most)}.${digits}`;
};

const row = (places: number) => ({
  input: oddPrice(30, places),
  output: oddPrice(120, places),
  cache_read: oddPrice(4, places),
  cache_write: oddPrice(40, places),
});

/** Rising bounds, of which the last is open. */
const bounds = (count: number): (number | null)[] => {
  const rising = Array.from({ length: count - 1 }, () => 1 + below(260_000)).sort((a, b) => a - b);
  return [...new Set(rising), null];
};

const sides = (places: number): SideRow[] =>
  bounds(1 + below(4)).map((up_to) => ({ up_to, price: oddPrice(90, places) }));

function priceOf(at: number, places: number): PriceRow {
  if (at % 3 === 0) return { mode: "flat_tokens", ...row(places) };
  if (at % 3 === 1) {
    const tiers = bounds(1 + below(5)).map((up_to) => ({ up_to, ...row(places) }));
    return { mode: "input_tokens_tiers", tiers };
  }
  const { cache_read, cache_write } = row(places);
  return { mode: "total_tokens_tiers", input: sides(places), output: sides(places), cache_read, cache_write };
}

/** Every fourth model has rates; their prices keep decimals free for what multiplies them. */
const rates = (): RateRows => ({
  service_tier: { priority: oddPrice(3, 3).replace(/^0$/, "1"), flex: "0.5" },
  cache_write_1h: oddPrice(60, 3),
  audio_input: oddPrice(90, 3),
  audio_output: oddPrice(200, 3),
  tools: { web_search: oddPrice(1, 6) },
});

const discounts = ["1", "0.85", "0.123457", "0.999999", "0.000001", "0.5", "0.07", "1"];

export const referenceModels: ReferenceModel[] = Array.from({ length: 71 }, (_, at) => {
  const rated = at % 4 === 0;
  const price = priceOf(at, rated ? 3 : 6);
  return {
    id: `test/odd-${at}`,
    price: rated ? { ...price, rates: rates() } : price,
    discount_rate: discounts[at % discounts.length] ?? "1",
  };
});
