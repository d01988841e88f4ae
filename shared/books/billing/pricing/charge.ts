/**
 * What a call costs, and the most that it can cost: exact products of counts, prices and the discount. Nothing here
 * reads a clock or the catalog. Each price becomes a rate card first, so this file knows one form of price only.
 */
import { createHash } from "node:crypto";
import { parseDecimal } from "../points.ts";
import { countedIn, dimensions, type TokenKind, tokenKinds, type Usage, type UsageCounts } from "../usage.ts";
import type { Band, PriceDimension, RateCard, UnitPrices } from "./modes/mode.ts";
import type { PinnedPrice, Price } from "./price.ts";
import { rateCard } from "./rate-card.ts";
import { callPriceOf, type Switch, toolRate, type WayTaken, waysOpen } from "./rates.ts";
import { sizeOf } from "./tiers.ts";

/** What a price may depend on beyond the usage. */
export interface ChargeDetail {
  /** Of a video. It must be one of the price's resolutions. */
  resolution?: string;
}

/** One line of a bill. */
export interface ChargeLine {
  dimension: PriceDimension;
  quantity: number;
  /** Points per million tokens, per image, second or call: the list price times the factors of the ways taken. */
  unit_price: string;
  /** 10⁻¹⁸ points, after the discount. */
  points: bigint;
}

export interface Charge {
  /** 10⁻¹⁸ points: the sum of the lines. */
  points: bigint;
  /** The tier that priced the whole call, such as `input_tokens 32001-128000`; null where the price has none. */
  tier: string | null;
  lines: ChargeLine[];
  /** The ways the call was served in that changed its prices. */
  ways: WayTaken[];
  /** Names of what the provider reported and the price has no rate for. The charge leaves them out. */
  unpriced: string[];
}

/** The largest usage a call can come to. */
export interface UsageBounds {
  /** Cached tokens included. */
  input_tokens: number;
  output_tokens: number;
  images?: number;
  seconds?: number;
  resolution?: string;
  /** The settings of the request that may cost more. */
  switches?: Switch[];
}

/**
 * The exact cost of a usage: Σ count × price × discount (contract §2.3). One tier prices the whole call, and a tier's
 * upper bound belongs to it. Throws `RangeError` on a malformed price, on a count that is no safe integer ≥ 0, and on a
 * resolution without a price.
 */
export function charge(usage: Usage, pinned: PinnedPrice, detail: ChargeDetail = {}): Charge {
  const price = callPriceOf(pinned.price, usage.details);
  const { basis, bands } = rateCard(price, detail.resolution);
  const size = sizeOf(usage, basis);
  const band = bands.find(({ to }) => size <= to);
  if (!band) throw new RangeError(`no tier takes ${size} tokens`);
  const discount = parseDecimal(pinned.discount_rate, 6);
  const { counted, unpriced } = countedBy(usage, band.prices, pinned.price);
  const lines = counted
    .filter(({ quantity }) => quantity > 0)
    .map(({ dimension, quantity, unit_price }) => ({
      dimension,
      quantity,
      unit_price,
      points: cost(dimension, quantity, unit_price) * discount,
    }));
  return {
    points: lines.reduce((total, { points }) => total + points, 0n),
    tier: basis && `${basis} ${band.from}-${band.to === Infinity ? "" : band.to}`,
    lines,
    ways: price.ways,
    unpriced: [...price.unpriced, ...unpriced],
  };
}

/** How many of a line's dimension its unit price is for. */
export function unitOf({ dimension }: Pick<ChargeLine, "dimension">): 1 | 1_000_000 {
  const isPiece =
    dimension === "generated_images" || dimension === "video_seconds" || dimension.endsWith("_calls");
  return isPiece ? 1 : 1_000_000;
}

/**
 * What is counted at which price: each count without the kinds of its tokens that have a rate, then these kinds, and
 * last the calls of tools. Tokens of a kind without a rate stay in their count, and the kind is named as unpriced.
 */
function countedBy(
  { details, ...counts }: Usage,
  prices: UnitPrices,
  price: Price,
): { counted: Omit<ChargeLine, "points">[]; unpriced: string[] } {
  const counted: Omit<ChargeLine, "points">[] = [];
  const unpriced: string[] = [];
  const tokens = details?.tokens ?? {};
  const kinds = tokenKinds.filter((kind) => countOf(tokens[kind] ?? 0) > 0);
  for (const dimension of dimensions) {
    const base = prices[dimension];
    if (base === undefined) continue;
    const line = { dimension, quantity: countOf(counts[dimension]), unit_price: base };
    counted.push(line);
    for (const kind of kinds) {
      if (countedIn[kind] !== dimension) continue;
      const unit_price = prices[`${kind}_tokens`];
      if (unit_price === undefined) unpriced.push(kind);
      else {
        // Each token has one line, even where the provider reports more tokens of these kinds than their count.
        const quantity = Math.min(tokens[kind] ?? 0, line.quantity);
        line.quantity -= quantity;
        counted.push({ dimension: `${kind}_tokens`, quantity, unit_price });
      }
    }
  }
  for (const [tool, calls] of Object.entries(details?.calls ?? {})) {
    const line = callsLine(price, tool, countOf(calls));
    if (line) counted.push(line);
    else unpriced.push(tool);
  }
  return { counted, unpriced };
}

/**
 * The most that `charge` can come to within these bounds, 10⁻¹⁸ points: this is held at admission. A later tier may be
 * cheaper than an earlier one, so the maximum is taken over every tier in reach, each filled as far as it goes. Throws
 * like `charge`.
 */
export function holdPoints(bounds: UsageBounds, pinned: PinnedPrice): bigint {
  const switches = bounds.switches ?? [];
  const named = switches.filter(({ kind }) => kind === "tokenKind").map(({ name }) => name);
  const asked = named.length === 0 ? [] : tokenKinds.filter((kind) => named.includes(kind));
  const ways = waysOpen(pinned.price, switches).map((way) => {
    const { basis, bands } = rateCard(callPriceOf(pinned.price, way), bounds.resolution);
    const reach = bounds.input_tokens + (basis === "total_tokens" ? bounds.output_tokens : 0);
    const reachable = bands.filter(({ from }) => from <= reach);
    return largest(reachable.map((band) => bandMaximum(bounds, basis, band, asked)));
  });
  const calls = switches.flatMap(({ kind, name, calls: most = 0 }) => {
    const line = kind === "tool" ? callsLine(pinned.price, name, most) : undefined;
    return line ? [cost(line.dimension, line.quantity, line.unit_price)] : [];
  });
  const most = largest(ways) + calls.reduce((all, each) => all + each, 0n);
  return most * parseDecimal(pinned.discount_rate, 6);
}

/** The line for calls of a tool; undefined where the tool has no rate. */
function callsLine(price: Price, tool: string, calls: number): Omit<ChargeLine, "points"> | undefined {
  const rate = toolRate(price, tool);
  if (!rate) return undefined;
  return {
    dimension: `${tool}_calls`,
    quantity: rate.once ? Math.min(calls, 1) : calls,
    unit_price: rate.price,
  };
}

/** Fixes a price for a call. The order of a price's fields does not change its version. */
export function pinPrice(price: Price, discount_rate: string): PinnedPrice {
  const text = canonicalJson({ price, discount_rate });
  return { price, discount_rate, version: createHash("sha256").update(text).digest("hex").slice(0, 12) };
}

/** The cost of the dearest usage in one band, before the discount, in 10⁻¹² points. */
function bandMaximum(
  bounds: UsageBounds,
  basis: RateCard["basis"],
  { to, prices }: Band,
  asked: TokenKind[],
): bigint {
  // Any token may turn out to be the dearest that its side can have: a cached one, or a kind that was asked for.
  const dearest = (counts: (keyof UsageCounts)[]): bigint => {
    const named = asked
      .filter((kind) => counts.includes(countedIn[kind]))
      .map((kind) => `${kind}_tokens` as const);
    return largest([...counts, ...named].map((dimension) => cost(dimension, 1, prices[dimension])));
  };
  const input = {
    tokens: Math.min(bounds.input_tokens, to),
    each: dearest(["input_tokens", "cache_read_tokens", "cache_write_tokens"]),
  };
  const output = { tokens: bounds.output_tokens, each: dearest(["output_tokens"]) };
  // Where both sides share the band's room, the dearer side takes all it can and the other side takes the rest.
  const sides = input.each < output.each ? [output, input] : [input, output];
  let room = basis === "total_tokens" ? to : Infinity;
  let total =
    cost("generated_images", bounds.images ?? 0, prices.generated_images) +
    cost("video_seconds", bounds.seconds ?? 0, prices.video_seconds);
  for (const { tokens, each } of sides) {
    const taken = Math.min(tokens, room);
    room -= taken;
    total += BigInt(countOf(taken)) * each;
  }
  return total;
}

/** A quantity at its price, in 10⁻¹² points. A dimension without a price costs nothing. */
function cost(dimension: PriceDimension, quantity: number, unit_price = "0"): bigint {
  const points = BigInt(countOf(quantity)) * parseDecimal(unit_price, 6);
  return unitOf({ dimension }) === 1 ? points * 1_000_000n : points;
}

function largest(values: bigint[]): bigint {
  return values.reduce((most, value) => (value < most ? most : value), 0n);
}

function countOf(quantity: number): number {
  if (!Number.isSafeInteger(quantity) || quantity < 0) throw new RangeError(`not a count: ${quantity}`);
  return quantity;
}

/** JSON with the keys of every object in order. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
