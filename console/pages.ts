/** The pages of the customers, as the build found them (infra/bundles/console-pages.ts). */
import { found as daily } from "found:daily/page";
import { found as first } from "found:first/page";
import { found as money } from "found:money/page";
import { found as team } from "found:team/page";
import type { ListedPage, PageFacts } from "./page.ts";
import { signal } from "./state.ts";

/** Pages of a group, by the names of their folders. */
export function listed(group: ListedPage["group"], found: Record<string, PageFacts>): ListedPage[] {
  return Object.entries(found).map(([name, page]) => ({ group, name, page }));
}

/** The pages that there are in this document. The frame of the operators' pages puts those in their place. */
export const pages = signal<readonly ListedPage[]>([
  ...listed("first", first),
  ...listed("daily", daily),
  ...listed("team", team),
  ...listed("money", money),
]);
