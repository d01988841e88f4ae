/** A channel's cost as it is booked with an attempt (books/reports/margin.md "What is booked"). */

import type { HouseCost } from "../catalog/catalog.ts";

/** What a million of each count costs, in the order of the counts in `costAt`: decimal strings. */
export function ratesOf({ input, output, cache_read = input, cache_write = input }: HouseCost): string[] {
  return [input, output, cache_read, cache_write];
}

/** The channel of an attempt, and its rates at the time. */
export interface HouseRates {
  /** The channel's id on the board. */
  channel: string;
  /** Null where the catalog had no cost for the channel. */
  rates: readonly string[] | null;
  /** The operator's currency at the time; null where the catalog named none. */
  currency: string | null;
  /** Of an attempt that told no usage, and that the provider may bill all the same: the input that it was asked with. */
  asked_tokens?: number;
}

const decimalText = String.raw`\d{1,9}(?:\.\d{1,6})?`;
const booked = new RegExp(
  String.raw`^([\w-]{1,16}) (-|${decimalText}/${decimalText}(?:/${decimalText}/${decimalText})?) ([A-Z]{3}|-)(?: (\d{1,12}))?$`,
);

/**
 * The text of an attempt's channel and cost, such as `k3x9qa 4/20/0.4/5 USD`. It is short, because most entries fill a
 * write unit but for some bytes.
 */
export function bookHouseRates(
  { id, cost }: { id: string; cost?: HouseCost },
  currency: string | undefined,
): string {
  return `${id} ${cost ? ratesText(cost) : "-"} ${currency ?? "-"}`;
}

function ratesText(cost: HouseCost): string {
  const { input, output, cache_read, cache_write } = cost;
  const isPlain = cache_read === undefined && cache_write === undefined;
  return (isPlain ? [input, output] : ratesOf(cost)).join("/");
}

/** The same text for an attempt that told no usage, with the input that its provider may bill. */
export function withAskedTokens(house: string, asked_tokens: number): string {
  return `${house} ${asked_tokens}`;
}

/** Reads what `bookHouseRates` gave; undefined for anything else. */
export function readHouseRates(text: unknown): HouseRates | undefined {
  const [, channel, rates, currency, asked] = booked.exec(typeof text === "string" ? text : "") ?? [];
  if (channel === undefined || rates === undefined || currency === undefined) return undefined;
  const [input = "0", output = "0", read = input, write = input] = rates.split("/");
  const isKnown = rates !== "-";
  return {
    channel,
    rates: isKnown ? [input, output, read, write] : null,
    currency: currency === "-" ? null : currency,
    ...(asked !== undefined && { asked_tokens: Number(asked) }),
  };
}
