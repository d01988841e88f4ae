import type { PageFacts } from "../../../page.ts";

export const page: PageFacts = {
  path: "/members",
  title: { en: "Members", zh: "成员" },
  menu: {
    group: "team",
    place: 1,
    icon: "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 20a6 6 0 0 1 12 0M16 4.5a3.5 3.5 0 0 1 0 6M18 14.5a6 6 0 0 1 3 5.5",
  },
  right: "manage_members",
};
