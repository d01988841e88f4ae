import type { PageFacts } from "../../../page.ts";

export const page: PageFacts = {
  path: "/projects",
  title: { en: "Projects", zh: "项目" },
  menu: { group: "team", place: 2, icon: "M4 7h6l2 2h8v10H4zM4 7V5h6l2 2" },
};
