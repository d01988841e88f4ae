/** `operator catalog check FILE`: would this file deploy? */
import { CatalogError, parseCatalog } from "../catalog/schema.ts";

export interface CatalogReport {
  ok: boolean;
  /** One line each, path first. */
  problems: readonly string[];
  models: number;
}

/** Checks a catalog file's text: JSON first, then everything the deploy would check. */
export function checkCatalog(text: string): CatalogReport {
  try {
    return { ok: true, problems: [], models: parseCatalog(JSON.parse(text)).models.length };
  } catch (error) {
    if (error instanceof CatalogError) return { ok: false, problems: error.problems, models: 0 };
    if (error instanceof SyntaxError)
      return { ok: false, problems: [`not JSON: ${error.message}`], models: 0 };
    throw error;
  }
}
