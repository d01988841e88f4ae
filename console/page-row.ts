/** A page as the registry lists it. */
import type { ComponentType } from "preact";
import type { Right } from "./api-types.ts";
import type { Locale } from "./locale.ts";
import type { PageId } from "./paths.ts";

/** What every page is given. */
export interface PageProps<Words> {
  words: Words;
  /** What follows the page's own path: the id in `/calls/ID`. */
  rest: string;
}

/** The words of a page, by language. */
interface Loader<Words> extends Record<Locale, () => Promise<Words>> {
  load: () => Promise<ComponentType<PageProps<Words>>>;
}

export interface PageRow extends Loader<unknown> {
  id: PageId;
  /** Who lacks it does not see the page in the navigation, and is told so at its address. */
  right?: Right;
}

/** A row whose page and words fit each other. */
export function page<Words>(row: Omit<PageRow, keyof Loader<unknown>> & Loader<Words>): PageRow {
  return row as unknown as PageRow;
}
