import type { PageFacts } from "../../../page.ts";

export const page: PageFacts = {
  path: "/statements",
  title: { en: "Statements", zh: "账单" },
  menu: { group: "pay", place: 4, icon: "M5 4h14v16H5zM5 9h14M10 9v11" },
  right: "see_billing",
};
