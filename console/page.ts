/** What a page says of itself, and what it is given. */
import type { Right } from "./api-types.ts";
import type { Locale } from "./locale.ts";

type CustomersMenu = keyof typeof import("./words/en/frame.ts").words["groups"];
type OperatorsMenu = keyof typeof import("./pages/operators/frame/en.ts").words["groups"];

/** The `page` of a page's folder (console/README.md "A new page"): what is known of it before it is loaded. */
export interface PageFacts {
  /** Its place in the address bar, and what stands before its own part of a path: `/calls` and `/calls/req_1`. */
  path: string;
  title: Record<Locale, string>;
  /** Its line in the navigation: the group, the place among the group's pages, and the strokes of its drawing. */
  menu?: { group: CustomersMenu | OperatorsMenu; place: number; icon: string };
  /** Who lacks it does not see the page in the navigation, and is told so at its address. */
  right?: Right;
}

export interface PageProps<Words> {
  words: Words;
  /** What follows the page's own path: the id in `/calls/ID`. */
  rest: string;
}

export interface ListedPage {
  /** The folder of `pages/` whose pages are loaded together, and the page's own in it. */
  group: "first" | "daily" | "money" | "team" | "operators";
  name: string;
  page: PageFacts;
}

/**
 * The first page whose path a path begins with, and what follows: `/calls/req_1` is `calls` with `req_1`. Undefined:
 * there is none.
 */
export function pageAt(
  pages: readonly ListedPage[],
  path: string,
): (ListedPage & { rest: string }) | undefined {
  const found = pages.find(({ page }) => `${path}/`.startsWith(`${page.path}/`));
  return found && { ...found, rest: path.slice(found.page.path.length + 1) };
}
