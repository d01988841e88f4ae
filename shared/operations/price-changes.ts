/** Which rates differ between two prices of one model, and in which direction. */

import { tierOf } from "../billing/charge.ts";
import { parseDecimal } from "../billing/points.ts";
import type { FlatTokens, InputTokensTiers, Price, TokenTier } from "../billing/price.ts";
import { rateNames } from "./price-list.ts";

export interface RateChange {
  /** Such as `input`, or `output over 272000` where the call's input chooses the rate. */
  rate: string;
  old: string;
  new: string;
  change: "up" | "down";
}

/** The rates that differ, size by size of the input where either price has tiers. Empty for equal prices. */
export function changesOf(before: Price, after: Price): RateChange[] {
  if (before.mode === "per_image" && after.mode === "per_image") {
    return changeOf("image", before.unit_price, after.unit_price);
  }
  if (!isByInput(before) || !isByInput(after)) return [];
  const [old, now] = [inputTiers(before), inputTiers(after)];
  const bounds = new Set([...old, ...now].map(({ up_to }) => up_to ?? Infinity));
  const ends = [...bounds].sort((a, b) => a - b);
  return ends.flatMap((end, index) => {
    const from = index === 0 ? 0 : (ends[index - 1] ?? 0);
    const label = ends.length === 1 ? "" : end === Infinity ? ` over ${from}` : ` to ${end}`;
    const [was, is] = [tierOf(old, end), tierOf(now, end)];
    return rateNames.flatMap((name) => changeOf(name + label, was[name], is[name]));
  });
}

function changeOf(rate: string, old: string, now: string): RateChange[] {
  const [before, after] = [parseDecimal(old, 6), parseDecimal(now, 6)];
  if (before === after) return [];
  return [{ rate, old, new: now, change: after > before ? "up" : "down" }];
}

function isByInput(price: Price): price is FlatTokens | InputTokensTiers {
  return price.mode === "flat_tokens" || price.mode === "input_tokens_tiers";
}

/** The tiers of a price by input; a flat one has a single tier. */
export function inputTiers(price: FlatTokens | InputTokensTiers): TokenTier[] {
  return price.mode === "flat_tokens" ? [{ ...price, up_to: null }] : price.tiers;
}
