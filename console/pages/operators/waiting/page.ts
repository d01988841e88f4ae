import type { PageFacts } from "../../../page.ts";

export const page: PageFacts = {
  path: "/operators",
  title: { en: "What waits", zh: "待处理" },
  menu: { group: "work", place: 1, icon: "M4 13h4l2 3h4l2-3h4M4 13 7 5h10l3 8v6H4z" },
};
