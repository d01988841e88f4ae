/** A line of a bill: how many of what, at which unit price, and what they cost. */
import { parseRate } from "../points.ts";
import type { PriceDimension } from "./modes/mode.ts";

/** One line of a bill. */
export interface ChargeLine {
  dimension: PriceDimension;
  quantity: number;
  /** Points per million tokens, per image, second or call: the list price times the factors of the ways taken. */
  unit_price: string;
  /** 10⁻¹⁸ points, after the discount. */
  points: bigint;
}

/** How many of a line's dimension its unit price is for. */
export function unitOf({ dimension }: Pick<ChargeLine, "dimension">): 1 | 1_000_000 {
  const isPiece =
    dimension === "generated_images" || dimension === "video_seconds" || dimension.endsWith("_calls");
  return isPiece ? 1 : 1_000_000;
}

/** A quantity at its price, in 10⁻¹² points. A dimension without a price costs nothing. */
export function costOf(dimension: PriceDimension, quantity: number, unit_price = "0"): bigint {
  const points = BigInt(countOf(quantity)) * parseRate(unit_price);
  return unitOf({ dimension }) === 1 ? points * 1_000_000n : points;
}

/** The number itself. Throws `RangeError` where it is no safe integer of at least 0. */
export function countOf(quantity: number): number {
  if (!Number.isSafeInteger(quantity) || quantity < 0) throw new RangeError(`not a count: ${quantity}`);
  return quantity;
}
