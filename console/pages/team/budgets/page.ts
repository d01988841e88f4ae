import type { PageFacts } from "../../../page.ts";

export const page: PageFacts = {
  path: "/budgets",
  title: { en: "Budgets", zh: "预算" },
  menu: { group: "team", place: 3, icon: "M12 3v18M16 7h-6a3 3 0 0 0 0 6h4a3 3 0 0 1 0 6H7" },
  right: "see_all_usage",
};
