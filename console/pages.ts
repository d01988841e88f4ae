/** Every page, as the build found it (infra/bundles/console-pages.ts). */
import { found as daily } from "found:daily/page";
import { found as first } from "found:first/page";
import { found as money } from "found:money/page";
import { found as team } from "found:team/page";
import type { ListedPage, PageFacts } from "./page.ts";

function listed(group: ListedPage["group"], found: Record<string, PageFacts>): ListedPage[] {
  return Object.entries(found).map(([name, page]) => ({ group, name, page }));
}

export const pages = [
  ...listed("first", first),
  ...listed("daily", daily),
  ...listed("team", team),
  ...listed("money", money),
];
