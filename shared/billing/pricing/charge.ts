/**
 * What a call costs, and the most it can cost: exact products of counts, prices and the discount, with no
 * clock and no catalog. Every price becomes a rate card first, so the rest knows one shape only.
 */
import { createHash } from "node:crypto";
import { parseDecimal } from "../points.ts";
import { type Counts, dimensions, type Part, parts, type Usage, wholes } from "../usage.ts";
import type { PinnedPrice, Price } from "./price.ts";
import { type Band, type Dimension, type RateCard, rateCard, sizeOf, type UnitPrices } from "./rate-card.ts";
import { type Switch, termsOf, toolRate, type WayTaken, waysOpen } from "./rates.ts";

/** What a price needs to know beyond the usage. */
export interface ChargeDetail {
  /** Of a video: one of the price's resolutions. */
  resolution?: string;
}

/** One line of a bill. */
export interface ChargeLine {
  dimension: Dimension;
  quantity: number;
  /** List price, multiplied where a tier or speed says so: points per million tokens, per image, second or call. */
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
  /** How the call was served, where that changed its prices. */
  ways: WayTaken[];
  /** What was reported and has no rate, by name: it is charged as if it had not been. */
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
  /** What the request switches on. */
  switches?: Switch[];
}

/**
 * The exact cost of a usage: Σ count × price × discount (contract §2.3). A tier takes the whole call and its
 * upper bound belongs to it. Throws `RangeError` on a malformed price, a count that is no safe integer ≥ 0,
 * or a resolution without a price.
 */
export function charge(usage: Usage, pinned: PinnedPrice, detail: ChargeDetail = {}): Charge {
  const terms = termsOf(pinned.price, usage.details);
  const { basis, bands } = rateCard(terms, detail.resolution);
  const size = sizeOf(usage, basis);
  const band = bands.find(({ to }) => size <= to);
  if (!band) throw new RangeError(`no tier takes ${size} tokens`);
  const discount = parseDecimal(pinned.discount_rate, 6);
  const { counted, unpriced } = countedBy(usage, band.rates, pinned.price);
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
    ways: terms.ways,
    unpriced: [...terms.unpriced, ...unpriced],
  };
}

/** How many of a line's dimension its unit price is for. */
export function unitOf({ dimension }: Pick<ChargeLine, "dimension">): 1 | 1_000_000 {
  const isPiece =
    dimension === "generated_images" || dimension === "video_seconds" || dimension.endsWith("_calls");
  return isPiece ? 1 : 1_000_000;
}

/**
 * What a usage counts at which price: each count without its parts that have a price, then those parts, and last the
 * calls of tools. A part without a price stays in its count, and is named.
 */
function countedBy(
  { details, ...counts }: Usage,
  rates: UnitPrices,
  price: Price,
): { counted: Omit<ChargeLine, "points">[]; unpriced: string[] } {
  const counted: Omit<ChargeLine, "points">[] = [];
  const unpriced: string[] = [];
  for (const dimension of dimensions) {
    const base = rates[dimension];
    if (base === undefined) continue;
    const line = { dimension, quantity: countOf(counts[dimension]), unit_price: base };
    counted.push(line);
    for (const part of parts) {
      const told = countOf(details?.tokens?.[part] ?? 0);
      if (wholes[part] !== dimension || told === 0) continue;
      const unit_price = rates[`${part}_tokens`];
      if (unit_price === undefined) unpriced.push(part);
      else {
        // Each token has one line, whatever the provider says of its parts.
        const quantity = Math.min(told, line.quantity);
        line.quantity -= quantity;
        counted.push({ dimension: `${part}_tokens`, quantity, unit_price });
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
 * The maximum of `charge` over every usage within the bounds, 10⁻¹⁸ points: what is held at admission
 * (billing.md §2.3). Tiers need not rise, so each one in reach is filled as far as it goes. Throws like `charge`.
 */
export function holdPoints(bounds: UsageBounds, pinned: PinnedPrice): bigint {
  const switches = bounds.switches ?? [];
  const asked = parts.filter((part) => switches.some(({ kind, name }) => kind === "part" && name === part));
  const ways = waysOpen(pinned.price, switches).map((way) => {
    const { basis, bands } = rateCard(termsOf(pinned.price, way), bounds.resolution);
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

/** So many calls of a tool at its rate; undefined where it has none. */
function callsLine(price: Price, tool: string, calls: number): Omit<ChargeLine, "points"> | undefined {
  const rate = toolRate(price, tool);
  if (!rate) return undefined;
  return {
    dimension: `${tool}_calls`,
    quantity: rate.once ? Math.min(calls, 1) : calls,
    unit_price: rate.price,
  };
}

/** Fixes a price for a call. The version is the same for the same price, whatever the order of its fields. */
export function pinPrice(price: Price, discount_rate: string): PinnedPrice {
  const text = canonicalJson({ price, discount_rate });
  return { price, discount_rate, version: createHash("sha256").update(text).digest("hex").slice(0, 12) };
}

/** The dearest usage of one band, before the discount, in 10⁻¹² points. */
function bandMaximum(
  bounds: UsageBounds,
  basis: RateCard["basis"],
  { to, rates }: Band,
  asked: Part[],
): bigint {
  // Any token may turn out to be the dearest that its side can have: cached, or a part that was asked for.
  const dearest = (counts: (keyof Counts)[]): bigint => {
    const named = asked
      .filter((part) => counts.includes(wholes[part]))
      .map((part) => `${part}_tokens` as const);
    return largest([...counts, ...named].map((dimension) => cost(dimension, 1, rates[dimension])));
  };
  const sides = [
    {
      tokens: Math.min(bounds.input_tokens, to),
      each: dearest(["input_tokens", "cache_read_tokens", "cache_write_tokens"]),
    },
    { tokens: bounds.output_tokens, each: dearest(["output_tokens"]) },
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
    total += BigInt(countOf(taken)) * each;
  }
  return total;
}

/** Tokens are priced by the million, all else by the piece: 10⁻¹² points either way. What has no price costs nothing. */
function cost(dimension: Dimension, quantity: number, unit_price = "0"): bigint {
  const scale = 1_000_000n / BigInt(unitOf({ dimension }));
  return BigInt(countOf(quantity)) * parseDecimal(unit_price, 6) * scale;
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
