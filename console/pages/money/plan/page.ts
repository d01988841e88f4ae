import type { PageFacts } from "../../../page.ts";

export const page: PageFacts = {
  path: "/plan",
  title: { en: "Plan", zh: "套餐" },
  menu: { group: "pay", place: 2, icon: "M12 3l9 5-9 5-9-5zM3 13l9 5 9-5" },
  right: "see_billing",
};
