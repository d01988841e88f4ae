/** Finds the rates that differ between two prices of one model, and the direction of each change. */

import { formatPoints, parseDecimal, parsePoints } from "../billing/points.ts";
import { modeOf } from "../billing/pricing/modes/index.ts";
import type { TokenTier } from "../billing/pricing/modes/mode.ts";
import type { Price, Rates, TierPrice } from "../billing/pricing/price.ts";
import { tierOf } from "../billing/pricing/tiers.ts";
import { type TokenKind, tokenKinds } from "../billing/usage.ts";
import { rateNames } from "./list.ts";

export interface RateChange {
  /** Such as `input`, `output over 272000` where the call's input chooses the rate, or `flex input`. */
  rate: string;
  /** "none" where there was no such rate. */
  old: string;
  new: string;
  change: "up" | "down" | "new";
}

/** The rates that differ, by size of input and service tier. Empty for prices of different things, or not in lists. */
export function changesOf(before: Price, after: Price): RateChange[] {
  const [old, now] = [modeOf(before).listed(before), modeOf(after).listed(after)];
  if (old.per === "image" && now.per === "image") return changeOf("image", old.price, now.price);
  if (old.per !== "token" || now.per !== "token") return [];
  const oldRates: Rates = before.rates ?? {};
  const { service_tier = {}, tools = {}, unasked = {}, batch, ...kindRates }: Rates = after.rates ?? {};
  const changesIn = (name: string, was: WayRate, is: WayRate) =>
    wayChanges(name, { price: before, rate: was }, { price: after, rate: is });
  return [
    ...tokenChanges(old.tiers, now.tiers),
    ...Object.entries(service_tier).flatMap(([name, rate]) =>
      changesIn(name, oldRates.service_tier?.[name], rate),
    ),
    ...changesIn("batch", oldRates.batch, batch),
    ...tokenKinds.flatMap((kind) => changeOf(kind, oldRates[kind], kindRates[kind])),
    ...Object.keys(tools).flatMap((name) => changeOf(`tool ${name}`, oldRates.tools?.[name], tools[name])),
    ...Object.keys(unasked).flatMap((name) =>
      changeOf(`each request's ${name}`, oldRates.unasked?.[name], unasked[name]),
    ),
  ];
}

/** A factor for a price, or prices of its own; undefined where the price has none. */
type WayRate = string | TierPrice | undefined;

/** What a service tier, or batches, cost by a price. */
interface InWay {
  price: Price;
  rate: WayRate;
}

/** The rates of a service tier, or of batches, that differ. */
function wayChanges(name: string, before: InWay, after: InWay): RateChange[] {
  const [old, now] = [tiersIn(before), tiersIn(after)];
  if (!now) return [];
  return [
    ...tokenChanges(old, now, `${name} `),
    ...tokenKinds.flatMap((kind) =>
      changeOf(`${name} ${kind}`, old && kindRateIn(before, kind), kindRateIn(after, kind)),
    ),
  ];
}

/** The rate of a token kind in a service tier: the tier's own, or the price's times the tier's factor. */
function kindRateIn({ price, rate }: InWay, kind: TokenKind): string | undefined {
  if (typeof rate !== "string") return rate?.rates?.[kind];
  const rates: Rates = price.rates ?? {};
  const own = rates[kind];
  return own && product(own, rate);
}

/** The token prices of a price by the size of the input; undefined where no public list has such a price. */
function inputTiers(price: Price | TierPrice): TokenTier[] | undefined {
  const listed = modeOf(price).listed(price);
  return listed.per === "token" ? listed.tiers : undefined;
}

/** The token prices in a service tier; undefined where the price has no rate for it. */
function tiersIn({ price, rate }: InWay): TokenTier[] | undefined {
  if (rate === undefined) return undefined;
  if (typeof rate !== "string") return inputTiers(rate);
  return inputTiers(price)?.map((tier) => {
    const multiplied = rateNames.map((each) => [each, product(tier[each], rate)]);
    return { ...tier, rates: {}, ...Object.fromEntries(multiplied) };
  });
}

/** The rates of tiers that differ, including those of token kinds. */
function tokenChanges(old: TokenTier[] | undefined, now: TokenTier[], prefix = ""): RateChange[] {
  const bounds = new Set([...(old ?? []), ...now].map(({ up_to }) => up_to ?? Infinity));
  const ends = [...bounds].sort((a, b) => a - b);
  return ends.flatMap((end, index) => {
    const from = index === 0 ? 0 : (ends[index - 1] ?? 0);
    const label = ends.length === 1 ? "" : end === Infinity ? ` over ${from}` : ` to ${end}`;
    const [was, is] = [old && tierOf(old, end), tierOf(now, end)];
    return [
      ...rateNames.flatMap((name) => changeOf(prefix + name + label, was?.[name], is[name])),
      ...tokenKinds.flatMap((kind) => changeOf(prefix + kind + label, was?.rates?.[kind], is.rates?.[kind])),
    ];
  });
}

function product(a: string, b: string): string {
  return formatPoints(parseDecimal(a, 6) * parseDecimal(b, 6) * 1_000_000n);
}

function changeOf(rate: string, old: string | undefined, now: string | undefined): RateChange[] {
  if (now === undefined) return [];
  if (old === undefined) return [{ rate, old: "none", new: now, change: "new" }];
  const [before, after] = [parsePoints(old), parsePoints(now)];
  if (before === after) return [];
  return [{ rate, old, new: now, change: after > before ? "up" : "down" }];
}
