/** A made-up month: our attempts at a provider, and what a perfect vendor bills for them. */
import { dayMs } from "#shared/books/billing/period.ts";
import { type TokenCount, tokenCounts } from "#shared/books/ledger/house-cost.ts";
import type { OurAttempt, TokenRates } from "#shared/books/reports/bills/ours.ts";
import { seeded } from "#test/support/random.ts";

export const month = "2026-11";
export const monthStart = Date.parse(`${month}-01T00:00:00Z`);
const monthDays = 30;
export const monthEnd = monthStart + monthDays * dayMs;

export type Tokens = Readonly<Record<TokenCount, number>>;

/** One call as the vendor knows it. */
export interface BilledCall {
  /** When the vendor counts it, Unix milliseconds. */
  at: number;
  model: string;
  credential: string;
  tokens: Tokens;
  /** In 10⁻¹² of the currency, by kind of token. */
  costs: Readonly<Record<TokenCount, bigint>>;
  currency: string;
  tier: string;
  /** The call of ours that it is; undefined where it is none of ours. */
  call: string | undefined;
  correction?: true;
}

export interface BillMonth {
  random: (below: number) => number;
  attempts: OurAttempt[];
  billed: BilledCall[];
}

/** Prices in 10⁻¹² a token, which is 10⁻⁶ a million: as those of large models are. */
export const models: Readonly<Record<string, TokenRates>> = {
  "large-1": ratesOf(3_000_000, 15_000_000, 300_000, 3_750_000),
  "small-1": ratesOf(800_000, 4_000_000, 80_000, 1_000_000),
  "mini-2": ratesOf(250_000, 2_000_000, 25_000, 250_000),
};
const credentials = ["ACME_KEY", "ACME_KEY_2"];

function ratesOf(input: number, output: number, read: number, write: number): TokenRates {
  return {
    input_tokens: BigInt(input),
    output_tokens: BigInt(output),
    cache_read_tokens: BigInt(read),
    cache_write_tokens: BigInt(write),
  };
}

/** Numbers that hardly ever meet: a missing call is known by them. */
function someTokens(random: (below: number) => number): Tokens {
  return {
    input_tokens: 20_000 + random(180_000),
    output_tokens: 2_000 + random(40_000),
    cache_read_tokens: random(3) === 0 ? 1 + random(120_000) : 0,
    cache_write_tokens: random(5) === 0 ? 1 + random(60_000) : 0,
  };
}

export function costsAt(tokens: Tokens, rates: TokenRates): BilledCall["costs"] {
  return Object.fromEntries(
    tokenCounts.map((name) => [name, BigInt(tokens[name]) * rates[name]]),
  ) as BilledCall["costs"];
}

/** What tokens cost in all. */
export function costAt(tokens: Tokens, rates: TokenRates): bigint {
  const costs = costsAt(tokens, rates);
  return tokenCounts.reduce((sum, name) => sum + costs[name], 0n);
}

/** A perfect bill of our attempt. */
export function billedAs(attempt: OurAttempt, tokens: Tokens): BilledCall {
  const { call, at, model, credential } = attempt;
  const rates = models[model] ?? ratesOf(0, 0, 0, 0);
  return {
    ...{ at, call, model, tokens, tier: "", currency: "USD", credential: credential ?? "" },
    costs: costsAt(tokens, rates),
  };
}

/** A month out of a seed: some dozens of calls on each day, some of which were broken off and not billed. */
export function monthOf(seed: number): BillMonth {
  const random = seeded(seed);
  const attempts: OurAttempt[] = [];
  const callsADay = 12 + random(20);
  for (let day = -1; day <= monthDays; day++)
    for (let n = 0; n < callsADay; n++)
      attempts.push(attemptAt(monthStart + day * dayMs + random(dayMs), attempts.length, random));
  const billed = attempts.flatMap((each) => (each.tokens ? [billedAs(each, each.tokens)] : []));
  return { random, attempts, billed };
}

function attemptAt(at: number, number: number, random: (below: number) => number): OurAttempt {
  const names = Object.keys(models);
  const model = names[random(names.length)] ?? "";
  const rates = models[model] ?? null;
  const tokens = random(25) === 0 ? null : someTokens(random);
  return {
    ...{
      call: `req_${number}`,
      at,
      ended_at: at + 500 + random(60_000),
      provider: "acme",
      model,
      rates,
      tokens,
    },
    credential: credentials[random(credentials.length)] ?? "",
    cost: tokens && rates ? costAt(tokens, rates) : null,
    prompt: tokens ? null : 5_000 + random(30_000),
    tier: "",
  };
}
