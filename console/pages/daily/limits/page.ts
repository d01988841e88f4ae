import type { PageFacts } from "../../../page.ts";

export const page: PageFacts = {
  path: "/limits",
  title: { en: "Limits", zh: "限额" },
  menu: { group: "watch", place: 4, icon: "M4 17a8 8 0 1 1 16 0M12 17l4-6" },
};
