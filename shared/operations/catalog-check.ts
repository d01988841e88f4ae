/** `operator catalog check FILE`: would this file deploy, and how old are its prices? */
import { dayMs } from "../billing/period.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { CatalogError, parseCatalog } from "../catalog/schema.ts";
import { limits } from "../limits.ts";

export interface CatalogReport {
  ok: boolean;
  /** One line each, path first. */
  problems: readonly string[];
  /** What does not keep the file from being deployed: one line for each price that is old or of unknown age. */
  warnings: readonly string[];
  models: number;
}

/** Checks a catalog file's text at `now` (Unix ms): JSON first, then everything the deploy would check. */
export function checkCatalog(text: string, now: number): CatalogReport {
  try {
    const catalog = parseCatalog(JSON.parse(text));
    return { ok: true, problems: [], warnings: oldPrices(catalog, now), models: catalog.models.length };
  } catch (error) {
    const refused = { ok: false, warnings: [], models: 0 };
    if (error instanceof CatalogError) return { ...refused, problems: error.problems };
    if (error instanceof SyntaxError) return { ...refused, problems: [`not JSON: ${error.message}`] };
    throw error;
  }
}

/** A line for each model whose price was read more than `limits.priceAgeDaysMax` days ago, or nobody knows when. */
function oldPrices({ models }: Catalog, now: number): string[] {
  return models.flatMap(({ id, price_source }) => {
    if (!price_source) return [`${id}: its price has no price_source`];
    const { source, as_of } = price_source;
    const days = Math.floor((now - Date.parse(`${as_of}T00:00:00.000Z`)) / dayMs);
    return days > limits.priceAgeDaysMax
      ? [`${id}: its price is of ${as_of}, ${days} days old (${source})`]
      : [];
  });
}
