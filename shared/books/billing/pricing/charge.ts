/**
 * What a call costs: exact products of counts, prices and the discount. Nothing here reads a clock or the catalog. Each
 * price becomes a rate card first, so this file knows one form of price only.
 */
import { parseRate } from "../points.ts";
import { countedIn, dimensions, tokenKinds, type Usage } from "../usage.ts";
import { type ChargeLine, costOf, countOf } from "./line.ts";
import type { UnitPrices } from "./modes/mode.ts";
import type { PinnedPrice, Price } from "./price.ts";
import { rateCard } from "./rate-card.ts";
import { callPriceOf, callsLine, type WayTaken } from "./rates.ts";
import { sizeOf } from "./tiers.ts";

/** What a price may depend on beyond the usage. */
export interface ChargeDetail {
  /** Of a video. It must be one of the price's resolutions. */
  resolution?: string;
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
  const discount = parseRate(pinned.discount_rate);
  const { counted, unpriced } = countedBy(usage, band.prices, pinned.price);
  const lines = counted
    .filter(({ quantity }) => quantity > 0)
    .map(({ dimension, quantity, unit_price }) => ({
      dimension,
      quantity,
      unit_price,
      points: costOf(dimension, quantity, unit_price) * discount,
    }));
  return {
    points: lines.reduce((total, { points }) => total + points, 0n),
    tier: basis && `${basis} ${band.from}-${band.to === Infinity ? "" : band.to}`,
    lines,
    ways: price.ways,
    unpriced: [...price.unpriced, ...unpriced],
  };
}

/**
 * What is counted at which price: each count without the kinds of its tokens that have a rate, then these kinds, and
 * last the calls of tools. Tokens of a kind without a rate stay in their count, and the kind is named as unpriced.
 */
function countedBy(
  usage: Usage,
  prices: UnitPrices,
  price: Price,
): { counted: Omit<ChargeLine, "points">[]; unpriced: string[] } {
  const counted: Omit<ChargeLine, "points">[] = [];
  const unpriced: string[] = [];
  const { details } = usage;
  const tokens = details?.tokens ?? {};
  const kinds = details?.tokens ? tokenKinds.filter((kind) => countOf(tokens[kind] ?? 0) > 0) : [];
  for (const dimension of dimensions) {
    const base = prices[dimension];
    if (base === undefined) continue;
    const line = { dimension, quantity: countOf(usage[dimension]), unit_price: base };
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
