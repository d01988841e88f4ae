/** Which rates differ between two prices of one model, and in which direction. */

import { formatPoints, parseDecimal, parsePoints } from "../../billing/points.ts";
import type {
  FlatTokens,
  InputTokensTiers,
  Price,
  Rates,
  TierPrice,
  TokenTier,
} from "../../billing/pricing/price.ts";
import { tierOf } from "../../billing/pricing/rate-card.ts";
import { type Part, parts } from "../../billing/usage.ts";
import { rateNames } from "./list.ts";

export interface RateChange {
  /** Such as `input`, `output over 272000` where the call's input chooses the rate, or `flex input`. */
  rate: string;
  /** "none" where there was no such rate. */
  old: string;
  new: string;
  change: "up" | "down" | "new";
}

/** The rates of the later price that the earlier one has not, or has otherwise: size by size of the input, way by way. */
export function changesOf(before: Price, after: Price): RateChange[] {
  if (before.mode === "per_image" && after.mode === "per_image") {
    return changeOf("image", before.unit_price, after.unit_price);
  }
  if (!isByInput(before) || !isByInput(after)) return [];
  const { service_tier = {}, tools = {}, ...rest }: Rates = after.rates ?? {};
  const old: Rates = before.rates ?? {};
  return [
    ...tokenChanges(inputTiers(before), inputTiers(after)),
    ...Object.keys(service_tier).flatMap((name) => wayChanges(before, after, name)),
    ...parts.flatMap((part) => changeOf(part, old[part], rest[part])),
    ...Object.keys(tools).flatMap((name) => changeOf(`tool ${name}`, old.tools?.[name], tools[name])),
  ];
}

/** The rates of a service tier that differ. */
function wayChanges(before: ByInput, after: ByInput, name: string): RateChange[] {
  const [old, now] = [wayTiers(before, name), wayTiers(after, name)];
  if (!now) return [];
  return [
    ...tokenChanges(old, now, `${name} `),
    ...parts.flatMap((part) =>
      changeOf(`${name} ${part}`, old && wayPart(before, name, part), wayPart(after, name, part)),
    ),
  ];
}

/** What tokens that are priced apart cost in a service tier, where it says so or multiplies. */
function wayPart({ rates = {} }: ByInput, name: string, part: Part): string | undefined {
  const rate = rates.service_tier?.[name];
  if (typeof rate !== "string") return rate?.rates?.[part];
  const own = rates[part];
  return own && product(own, rate);
}

/** The tiers of a price by input; a flat one has a single tier. */
export function inputTiers(price: ByInput): TokenTier[] {
  if (price.mode === "input_tokens_tiers") return price.tiers;
  const { input, output, cache_read, cache_write } = price;
  return [{ up_to: null, input, output, cache_read, cache_write }];
}

/** What a service tier makes of a price; undefined where it has no rate for it. */
function wayTiers(price: ByInput, name: string): TokenTier[] | undefined {
  const rate = price.rates?.service_tier?.[name];
  if (rate === undefined) return undefined;
  if (typeof rate !== "string") return isByInput(rate) ? inputTiers(rate) : undefined;
  return inputTiers(price).map((tier) => {
    const multiplied = rateNames.map((each) => [each, product(tier[each], rate)]);
    return { ...tier, rates: {}, ...Object.fromEntries(multiplied) };
  });
}

/** The rates of tiers that differ, those of tokens that are priced apart with them. */
function tokenChanges(old: TokenTier[] | undefined, now: TokenTier[], prefix = ""): RateChange[] {
  const bounds = new Set([...(old ?? []), ...now].map(({ up_to }) => up_to ?? Infinity));
  const ends = [...bounds].sort((a, b) => a - b);
  return ends.flatMap((end, index) => {
    const from = index === 0 ? 0 : (ends[index - 1] ?? 0);
    const label = ends.length === 1 ? "" : end === Infinity ? ` over ${from}` : ` to ${end}`;
    const [was, is] = [old && tierOf(old, end), tierOf(now, end)];
    return [
      ...rateNames.flatMap((name) => changeOf(prefix + name + label, was?.[name], is[name])),
      ...parts.flatMap((part) => changeOf(prefix + part + label, was?.rates?.[part], is.rates?.[part])),
    ];
  });
}

function product(a: string, b: string): string {
  return formatPoints(parseDecimal(a, 6) * parseDecimal(b, 6) * 1_000_000n);
}

type ByInput =
  | (Omit<FlatTokens, "rates"> & { rates?: Rates })
  | (Omit<InputTokensTiers, "rates"> & { rates?: Rates });

function changeOf(rate: string, old: string | undefined, now: string | undefined): RateChange[] {
  if (now === undefined) return [];
  if (old === undefined) return [{ rate, old: "none", new: now, change: "new" }];
  const [before, after] = [parsePoints(old), parsePoints(now)];
  if (before === after) return [];
  return [{ rate, old, new: now, change: after > before ? "up" : "down" }];
}

function isByInput(price: Price | TierPrice): price is ByInput {
  return price.mode === "flat_tokens" || price.mode === "input_tokens_tiers";
}
