/**
 * What the attempts of a call cost the house, by what was booked with them (books/reports/margin.md "What is booked"). The
 * rates are those of the channel at that moment, so a later catalog changes no past cost. Pure.
 */

import { costOf } from "../billing/pricing/line.ts";
import { modeOf } from "../billing/pricing/modes/index.ts";
import type { PinnedPrice } from "../billing/pricing/price.ts";
import { sizeOf, tierOf } from "../billing/pricing/tiers.ts";
import type { Usage, UsageCounts } from "../billing/usage.ts";
import { type HouseRates, readHouseRates } from "./house-rates.ts";
import type { ToldAttempt, UsageEvent } from "./usage-event.ts";

/** The four counts that a channel's cost is for, in the order of its rates. */
export const tokenCounts = [
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
] as const satisfies readonly (keyof UsageCounts)[];
export type TokenCount = (typeof tokenCounts)[number];

/** What four counts cost at such rates, 10⁻¹² of the currency. */
export function costAt(usage: UsageCounts, rates: readonly string[]): bigint {
  return tokenCounts.reduce((sum, count, at) => sum + costOf(count, usage[count], rates[at]), 0n);
}

/** Why nobody can say what an attempt cost the house. */
export type UnbookedCost = "no_provider" | "no_cost" | "not_tokens" | "beyond_tokens";

/** Why a call's usage has no cost at rates of tokens; undefined where it has. */
export function unpricedBy({ usage, price }: Pick<UsageEvent, "usage" | "price">): UnbookedCost | undefined {
  const { generated_images, video_seconds, details = {} } = usage;
  if (generated_images > 0 || video_seconds > 0) return "not_tokens";
  return Object.keys(details).length > 0 || isInHigherTier(usage, price) ? "beyond_tokens" : undefined;
}

/** A model whose price rises with the size of a call mostly costs the house more then, too. */
function isInHigherTier(usage: Usage, { price }: PinnedPrice): boolean {
  return modeOf(price)
    .tierLists(price)
    .some(({ tiers, basis }) => tierOf(tiers, sizeOf(usage, basis)) !== tiers[0]);
}

/**
 * Whether a call costs the house nothing. Its answer came out of the cache, it asked no provider, or its video was not made.
 * A call that died may have asked one.
 */
export function isUnbilled({ kind, evidence, attempts, calls }: UsageEvent): boolean {
  const isNobodyAsked = attempts === 0 || kind === "video";
  return evidence === "cache" || (evidence === "none" && isNobodyAsked && calls === 0);
}

/** A cost that is known. */
export interface KnownCost {
  /** 10⁻¹² of the currency. */
  amount: bigint;
  currency: string | null;
  /**
   * `reported`: by the counts that the provider has reported. `estimated`: by ours, as of a stream that broke off, or of the
   * input of an attempt that told no usage here and may be billed there.
   */
  basis: "reported" | "estimated";
}

/** What one attempt cost the house. */
export type AttemptCost = {
  provider: string;
  channel: string | null;
  /** The full id of the model that was asked, where it is another one than the event's. */
  model?: string;
} & (KnownCost | { unknown: UnbookedCost });

/**
 * What the attempts of a call cost the house, those first that had no answer. Attempts that no provider bills are left out.
 * They were refused, found nobody, went with the organization's own key, or were answered out of the cache.
 */
export function attemptCosts(event: UsageEvent): AttemptCost[] {
  const { provider, route, house, own_fee } = event;
  if (isUnbilled(event)) return [];
  const others = (route?.attempts ?? []).flatMap(unansweredCost);
  const isAnswered = route ? route.attempts.at(-1)?.outcome === "answered" : true;
  if (own_fee || !isAnswered) return others;
  if (provider === null) return [...others, { provider: "", channel: null, unknown: "no_provider" }];
  return [...others, { provider, ...answeredCost(event, readHouseRates(house)) }];
}

/** Of an attempt that had no answer and may be billed: its input. */
function unansweredCost({ provider, outcome, house, model }: ToldAttempt): AttemptCost[] {
  if (outcome === "answered") return [];
  const booking = readHouseRates(house);
  // Entries from before 2026-12-01 do not tell what a provider may bill, but for the loser of a race.
  if (!booking && outcome !== "lost") return [];
  return [{ provider, ...(model !== undefined && { model }), ...inputCost(booking) }];
}

/** What the input of an attempt costs that told no usage. */
function inputCost(booking: HouseRates | undefined) {
  const { channel = null, rates = null, currency = null, asked_tokens = 0 } = booking ?? {};
  if (rates === null) return { channel, unknown: "no_cost" as const };
  const amount = costOf("input_tokens", asked_tokens, rates[0]);
  return { channel, currency, basis: "estimated" as const, amount };
}

function answeredCost(event: UsageEvent, booking: HouseRates | undefined) {
  const { usage, evidence, reported } = event;
  const { channel = null, rates = null, currency = null, asked_tokens } = booking ?? {};
  const unknown = unpricedBy(event);
  if (unknown !== undefined) return { channel, unknown };
  if (rates === null) return { channel, unknown: "no_cost" as const };
  if (asked_tokens !== undefined) return inputCost(booking);
  const basis = evidence === "reported" && !reported ? ("reported" as const) : ("estimated" as const);
  return { channel, currency, basis, amount: costAt(usage, rates) };
}
