import type { PageFacts } from "../../../page.ts";

export const page: PageFacts = {
  path: "/playground",
  title: { en: "Playground", zh: "试用" },
  menu: { group: "build", place: 2, icon: "M5 5h14v11H9l-4 4z" },
  right: "manage_own_keys",
};
