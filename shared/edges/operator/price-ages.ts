/** How old the prices of a catalog are. */

import { limits } from "../../base/limits.ts";
import { daysSince } from "../../books/billing/period.ts";
import type { Catalog } from "../../books/catalog/catalog.ts";
import { pricesRead } from "../../books/catalog/prices-read.ts";

/** The days on which prices were read. */
export interface PriceAges {
  /** UTC days; undefined where no price says when it was read. */
  oldest: string | undefined;
  newest: string | undefined;
  /** Prices that were read more than `limits.priceAgeDaysMax` days ago. */
  old: number;
  /** Prices of which nobody knows the day. */
  undated: number;
  prices: number;
}

/** The ages of a catalog's prices at `now` (Unix ms). */
export function priceAges({ models }: Pick<Catalog, "models">, now: number): PriceAges {
  const days = models.flatMap(({ price_source }) => (price_source ? [price_source.as_of] : []));
  const read = pricesRead(models.map(({ price_source }) => price_source));
  return {
    oldest: read?.oldest,
    newest: read?.newest,
    old: days.filter((day) => isOldPrice(day, now)).length,
    undated: models.length - days.length,
    prices: models.length,
  };
}

/** The same in a sentence, and whether some are older than they may be, or of unknown age. */
export function sayPriceAges({ oldest, newest, old, undated, prices }: PriceAges): {
  seen: string;
  isOld: boolean;
} {
  const span = oldest === undefined ? "no price says when it was read" : `read from ${oldest} to ${newest}`;
  const parts = [
    ...(old > 0 ? [`${old} of ${prices} more than ${limits.priceAgeDaysMax} days ago`] : []),
    ...(undated > 0 && oldest !== undefined ? [`${undated} of ${prices} nobody knows when`] : []),
  ];
  return { seen: [span, ...parts].join(", "), isOld: old + undated > 0 };
}

/** Whether a price of a UTC day was read longer ago than it may be. */
export function isOldPrice(day: string, now: number): boolean {
  return daysSince(day, now) > limits.priceAgeDaysMax;
}
