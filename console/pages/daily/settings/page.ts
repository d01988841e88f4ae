import type { PageFacts } from "../../../page.ts";

export const page: PageFacts = {
  path: "/settings",
  title: { en: "Settings", zh: "设置" },
  menu: { group: "team", place: 9, icon: "M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4" },
};
