/** A price that changes on a day that is known before: which one is in force (README.md "A price that will change"). */
import { spanStart } from "../billing/period.ts";
import { pinPrice } from "../billing/pricing/pin-price.ts";
import type { PinnedPrice, Price } from "../billing/pricing/price.ts";

/** What takes the place of a model's price and discount. What it leaves out stays as it is. */
export interface NextPrice {
  /** The UTC day on whose first instant it comes into force, `2026-12-15`. */
  from: string;
  price?: Price;
  discount_rate?: string;
}

/** What a model costs, now and later. */
interface PricedModel {
  price: Price;
  discount_rate: string;
  next_price?: NextPrice;
}

/** The next price as a whole, as lists show it. */
interface WholeNextPrice {
  from: string;
  price: Price;
  discount_rate: string;
}

/** The price in force, and the next one while it is not. */
export interface OfferedPrice {
  price: Price;
  discount_rate: string;
  next_price?: WholeNextPrice;
}

/** What lists say at an instant (Unix ms) that calls of a model cost. */
export function offeredPrice({ price, discount_rate, next_price }: PricedModel, at: number): OfferedPrice {
  const now = { price, discount_rate };
  if (!next_price) return now;
  const next = { ...now, ...next_price };
  if (at < spanStart(next_price.from)) return { ...now, next_price: next };
  return { price: next.price, discount_rate: next.discount_rate };
}

/** Both prices of a model as calls keep them, and the first instant (Unix ms) of the later one. */
export function pinnedPrices(model: PricedModel): {
  now: PinnedPrice;
  next?: { from: number; price: PinnedPrice };
} {
  const now = pinPrice(model.price, model.discount_rate);
  if (!model.next_price) return { now };
  const { from, price, discount_rate } = { ...model, ...model.next_price };
  return { now, next: { from: spanStart(from), price: pinPrice(price, discount_rate) } };
}

/** The first instant after `at` (Unix ms) at which a model has another price; Infinity where none is known. */
export function nextChange(models: readonly Pick<PricedModel, "next_price">[], at: number): number {
  const changes = models.flatMap(({ next_price }) => (next_price ? [spanStart(next_price.from)] : []));
  return Math.min(...changes.filter((from) => from > at), Number.POSITIVE_INFINITY);
}
