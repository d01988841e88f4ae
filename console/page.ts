/** What a page says of itself, and what it is given. */
import type { Right } from "./api-types.ts";
import type { Locale } from "./locale.ts";

/** The `page` of a page's folder (console/README.md "A new page"): what is known of it before it is loaded. */
export interface PageFacts {
  /** Its place in the address bar, and what stands before its own part of a path: `/calls` and `/calls/req_1`. */
  path: string;
  title: Record<Locale, string>;
  /** Its line in the navigation: the group, the place among the group's pages, and the strokes of its drawing. */
  menu?: { group: keyof typeof import("./words/en/frame.ts").words["groups"]; place: number; icon: string };
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
  group: "first" | "daily" | "money" | "team";
  name: string;
  page: PageFacts;
}

/** The page at a path, and what follows its own path: `/calls/req_1` is `calls` with `req_1`. Undefined: there is none. */
export function pageAt(
  pages: readonly ListedPage[],
  path: string,
): (ListedPage & { rest: string }) | undefined {
  const [, first = "", ...others] = path.split("/");
  const found = pages.find(({ page }) => page.path === `/${first}`);
  return found && { ...found, rest: others.join("/") };
}
