/**
 * What a call costs, and the most it can cost: exact products of counts, prices and the discount, with no
 * clock and no catalog. Every price becomes a rate card first, so the rest knows one shape only.
 */
import { createHash } from "node:crypto";
import { parseDecimal } from "./points.ts";
import type { PinnedPrice, Price } from "./price.ts";
import type { Usage } from "./usage.ts";

/** What a price needs to know beyond the usage. */
export interface ChargeDetail {
  /** Of a video: one of the price's resolutions. */
  resolution?: string;
}

/** One line of a bill. */
export interface ChargeLine {
  dimension: keyof Usage;
  quantity: number;
  /** List price as the catalog gives it: points per million tokens, per image or per second. */
  unit_price: string;
  /** 10⁻¹⁸ points, discount applied. */
  points: bigint;
}

export interface Charge {
  /** 10⁻¹⁸ points: the sum of the lines. */
  points: bigint;
  /** The tier that priced the whole call, e.g. `input_tokens 32001-128000`; null where a price has none. */
  tier: string | null;
  lines: ChargeLine[];
}

/** What sizes a call where its price has tiers: its input, cached included, or all its tokens (billing.md §4.2). */
export type TierBasis = "input_tokens" | "total_tokens";

/** The largest usage a call can come to. */
export interface UsageBounds {
  /** Cached tokens included. */
  input_tokens: number;
  output_tokens: number;
  images?: number;
  seconds?: number;
  resolution?: string;
}

type Rates = Partial<Record<keyof Usage, string>>;

/** Rates that hold while the size of the call lies in [from, to], both inclusive. */
interface Band {
  from: number;
  to: number;
  rates: Rates;
}

/** A price's bands, and what a call is sized by. */
interface RateCard {
  basis: TierBasis | null;
  bands: Band[];
}

/**
 * The exact cost of a usage: Σ count × price × discount (contract §2.3). A tier takes the whole call and its
 * upper bound belongs to it. Throws `RangeError` on a malformed price, a count that is no safe integer ≥ 0,
 * or a resolution without a price.
 */
export function charge(usage: Usage, pinned: PinnedPrice, detail: ChargeDetail = {}): Charge {
  const { basis, bands } = rateCard(pinned.price, detail.resolution);
  const size = sizeOf(usage, basis);
  const band = bands.find(({ to }) => size <= to);
  if (!band) throw new RangeError(`no tier takes ${size} tokens`);
  const discount = parseDecimal(pinned.discount_rate, 6);
  const lines = (Object.entries(band.rates) as [keyof Usage, string][])
    .map(([dimension, unit_price]) => {
      const quantity = usage[dimension];
      return { dimension, quantity, unit_price, points: cost(dimension, quantity, unit_price) * discount };
    })
    .filter(({ quantity }) => quantity > 0);
  return {
    points: lines.reduce((total, { points }) => total + points, 0n),
    tier: basis && `${basis} ${band.from}-${band.to === Infinity ? "" : band.to}`,
    lines,
  };
}

/**
 * The maximum of `charge` over every usage within the bounds, 10⁻¹⁸ points: what is held at admission
 * (billing.md §2.3). Tiers need not rise, so each one in reach is filled as far as it goes. Throws like `charge`.
 */
export function holdPoints(bounds: UsageBounds, pinned: PinnedPrice): bigint {
  const { basis, bands } = rateCard(pinned.price, bounds.resolution);
  const reach = bounds.input_tokens + (basis === "total_tokens" ? bounds.output_tokens : 0);
  const reachable = bands.filter(({ from }) => from <= reach);
  const most = largest(reachable.map((band) => bandMaximum(bounds, basis, band)));
  return most * parseDecimal(pinned.discount_rate, 6);
}

/** Fixes a price for a call. The version is the same for the same price, whatever the order of its fields. */
export function pinPrice(price: Price, discount_rate: string): PinnedPrice {
  const text = canonicalJson({ price, discount_rate });
  return { price, discount_rate, version: createHash("sha256").update(text).digest("hex").slice(0, 12) };
}

/** The dearest usage of one band, before the discount, in 10⁻¹² points. */
function bandMaximum(bounds: UsageBounds, basis: RateCard["basis"], { to, rates }: Band): bigint {
  // Any input token may turn out cached, so each counts at the dearest price of the input side.
  const dearestInput = largest(
    [rates.input_tokens, rates.cache_read_tokens, rates.cache_write_tokens].map((price) =>
      cost("input_tokens", 1, price),
    ),
  );
  const sides = [
    { tokens: Math.min(bounds.input_tokens, to), each: dearestInput },
    { tokens: bounds.output_tokens, each: cost("output_tokens", 1, rates.output_tokens) },
  ];
  // Where both sides share the band's room, the dearer one takes what it can and the other the rest.
  sides.sort((a, b) => (a.each < b.each ? 1 : -1));
  let room = basis === "total_tokens" ? to : Infinity;
  let total =
    cost("generated_images", bounds.images ?? 0, rates.generated_images) +
    cost("video_seconds", bounds.seconds ?? 0, rates.video_seconds);
  for (const { tokens, each } of sides) {
    const taken = Math.min(tokens, room);
    room -= taken;
    total += countOf(taken) * each;
  }
  return total;
}

function rateCard(price: Price, resolution: string | undefined): RateCard {
  switch (price.mode) {
    case "flat_tokens":
      return { basis: null, bands: [everySize(tokenRates(price))] };
    case "input_tokens_tiers":
      return {
        basis: "input_tokens",
        bands: bandsOf(price.tiers, (size) => tokenRates(tierOf(price.tiers, size))),
      };
    case "total_tokens_tiers": {
      const { input, output, cache_read, cache_write } = price;
      const ratesAt = (size: number): Rates =>
        tokenRates({
          input: tierOf(input, size).price,
          output: tierOf(output, size).price,
          cache_read,
          cache_write,
        });
      return { basis: "total_tokens", bands: bandsOf([...input, ...output], ratesAt) };
    }
    case "per_image":
      return { basis: null, bands: [everySize({ generated_images: price.unit_price })] };
    case "per_second":
      return {
        basis: null,
        bands: [everySize({ video_seconds: secondPrice(price.by_resolution, resolution) })],
      };
  }
}

function everySize(rates: Rates): Band {
  return { from: 0, to: Infinity, rates };
}

function tokenRates(price: Record<"input" | "output" | "cache_read" | "cache_write", string>): Rates {
  return {
    input_tokens: price.input,
    output_tokens: price.output,
    cache_read_tokens: price.cache_read,
    cache_write_tokens: price.cache_write,
  };
}

function secondPrice(byResolution: Record<string, string>, resolution = ""): string {
  const price = Object.hasOwn(byResolution, resolution) ? byResolution[resolution] : undefined;
  if (price === undefined) throw new RangeError(`no price for the resolution ${JSON.stringify(resolution)}`);
  return price;
}

/** The ranges between all breakpoints, each with the rates that hold throughout it. */
function bandsOf(tiers: { up_to: number | null }[], ratesAt: (size: number) => Rates): Band[] {
  const ends = [...new Set(tiers.map(({ up_to }) => up_to ?? Infinity))].sort((a, b) => a - b);
  return ends.map((to, i) => ({ from: i === 0 ? 0 : (ends[i - 1] ?? 0) + 1, to, rates: ratesAt(to) }));
}

/** Tokens that choose a call's tier. */
export function sizeOf(usage: Usage, basis: TierBasis | null): number {
  const input = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
  return basis === "total_tokens" ? input + usage.output_tokens : input;
}

/** The first tier that reaches as far as a call's size. Throws `RangeError` where none does. */
export function tierOf<Tier extends { up_to: number | null }>(tiers: Tier[], size: number): Tier {
  const tier = tiers.find(({ up_to }) => up_to === null || size <= up_to);
  if (!tier) throw new RangeError(`no tier takes ${size} tokens`);
  return tier;
}

/** Tokens are priced by the million, media by the piece: 10⁻¹² points either way. What has no price costs nothing. */
function cost(dimension: keyof Usage, quantity: number, unit_price = "0"): bigint {
  const piece = dimension === "generated_images" || dimension === "video_seconds" ? 1_000_000n : 1n;
  return countOf(quantity) * parseDecimal(unit_price, 6) * piece;
}

function largest(values: bigint[]): bigint {
  return values.reduce((most, value) => (value < most ? most : value), 0n);
}

function countOf(quantity: number): bigint {
  if (!Number.isSafeInteger(quantity) || quantity < 0) throw new RangeError(`not a count: ${quantity}`);
  return BigInt(quantity);
}

/** JSON with the keys of every object in order. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
