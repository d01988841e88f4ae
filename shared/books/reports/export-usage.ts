/** A call as priced lines of an export, which add up to the event's `list_points` and `cost_points`. */

import { formatPoints, onePoint, parsePoints } from "../billing/points.ts";
import { explain } from "../billing/pricing/explain.ts";
import { type ChargeLine, unitOf } from "../billing/pricing/line.ts";
import type { UsageEvent } from "../ledger/usage-event.ts";

/** One priced line. Amounts and quantities are integers of 10⁻¹⁸. */
export interface PricedLine {
  /** The thing that is counted, such as `input_tokens`. */
  dimension: string;
  /** The quantity that was consumed, in its own unit. */
  consumed: bigint;
  consumed_unit: string;
  /** The same quantity in the unit that has the price. */
  quantity: bigint;
  unit: string;
  /** Points for one unit, the model's discount applied. */
  unit_points: bigint;
  /** quantity × unit_points. */
  list_points: bigint;
  /** The part of it that was charged. */
  cost_points: bigint;
}

/** The lines of a call. There is at least one, so that an export shows calls that cost nothing too. */
export function pricedLines(event: UsageEvent): PricedLine[] {
  const priced = event.calls === 0 ? [] : billOf(event).map(lineOf);
  // The provider bills the organization. What remains is our fee, a line of its own.
  const own = event.own_fee ? priced.map(withoutPrice) : priced;
  const lines = own.length === 0 ? [freeCall] : own;
  const sum = lines.reduce((total, { list_points }) => total + list_points, 0n);
  const difference = parsePoints(event.list_points) - sum;
  return withCosts(
    difference === 0n
      ? lines
      : [...lines, inPoints(difference, event.own_fee ? "own_key_fee" : "difference")],
    parsePoints(event.cost_points),
  );
}

/** The same lines taken back. */
export function reversed(line: PricedLine): PricedLine {
  return {
    ...line,
    consumed: -line.consumed,
    quantity: -line.quantity,
    list_points: -line.list_points,
    cost_points: -line.cost_points,
  };
}

function billOf({ usage, price, resolution }: UsageEvent): ChargeLine[] {
  return explain(usage, price, resolution === undefined ? {} : { resolution }).lines;
}

type ListLine = Omit<PricedLine, "cost_points">;

/** The line of a call without a priced line: one request at no price. */
const freeCall: ListLine = {
  dimension: "calls",
  consumed: onePoint,
  consumed_unit: "Requests",
  quantity: onePoint,
  unit: "Requests",
  unit_points: 0n,
  list_points: 0n,
};

const units: Record<string, string> = { generated_images: "Images", video_seconds: "Seconds" };

/** A line of the bill. Its unit price is computed back from its points, so that the product is exact. */
function lineOf(line: ChargeLine): ListLine {
  const { dimension, quantity, points } = line;
  const per = unitOf(line);
  const unit = per === 1 ? (units[dimension] ?? "Requests") : "Tokens";
  return {
    dimension,
    consumed: BigInt(quantity) * onePoint,
    consumed_unit: unit,
    quantity: (BigInt(quantity) * onePoint) / BigInt(per),
    unit: per === 1 ? unit : `${per} ${unit}`,
    unit_points: (points * BigInt(per)) / BigInt(quantity),
    list_points: points,
  };
}

/** What is counted, at no price. */
function withoutPrice(line: ListLine): ListLine {
  return { ...line, unit_points: 0n, list_points: 0n };
}

/** What a call's lines do not explain, such as the bound of an estimate or our fee: points at a point each. */
function inPoints(points: bigint, dimension: string): ListLine {
  const unit = "Points";
  return {
    dimension,
    consumed: points,
    consumed_unit: unit,
    quantity: points,
    unit,
    unit_points: onePoint,
    list_points: points,
  };
}

/** Spreads the charge over the lines: each line in turn gets up to its list value, and the last one gets the rest. */
function withCosts(lines: ListLine[], cost: bigint): PricedLine[] {
  let left = cost;
  return lines.map((line, at) => {
    const isLast = at === lines.length - 1;
    const cost_points = isLast || left < line.list_points ? left : line.list_points;
    left -= cost_points;
    return { ...line, cost_points };
  });
}

/** A dimension in words: `input_tokens` is `Input Tokens`. */
export function meterName(dimension: string): string {
  return dimension
    .split("_")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(" ");
}

/** The identity of a line's price: the model, the dimension, the price version, and the unit price of the tier. */
export function skuOf({ model, price }: UsageEvent, { dimension, unit_points }: PricedLine) {
  const id = `${model}/${dimension}`;
  return { id, price: `${id}@${price.version}/${formatPoints(unit_points)}` };
}
