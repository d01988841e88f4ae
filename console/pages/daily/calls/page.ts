import type { PageFacts } from "../../../page.ts";

export const page: PageFacts = {
  path: "/calls",
  title: { en: "Calls", zh: "调用" },
  menu: { group: "watch", place: 3, icon: "M4 6h16M4 12h16M4 18h10" },
};
