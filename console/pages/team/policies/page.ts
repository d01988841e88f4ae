import type { PageFacts } from "../../../page.ts";

export const page: PageFacts = {
  path: "/policies",
  title: { en: "Policies", zh: "策略" },
  menu: { group: "team", place: 4, icon: "M9 6h11M9 12h11M9 18h11M4 6l1 1 2-2M4 12l1 1 2-2M4 18l1 1 2-2" },
  right: "see_all_usage",
};
