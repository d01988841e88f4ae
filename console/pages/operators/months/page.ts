import type { PageFacts } from "../../../page.ts";

export const page: PageFacts = {
  path: "/operators/months",
  title: { en: "Closed months", zh: "已结账月份" },
  menu: { group: "work", place: 6, icon: "M4 6h16v14H4zM4 10h16M8 3v5M16 3v5M9 15l2 2 4-4" },
};
