import type { PageFacts } from "../../../page.ts";

export const page: PageFacts = {
  path: "/",
  title: { en: "Overview", zh: "总览" },
  menu: { group: "watch", place: 1, icon: "M3 11.5 12 4l9 7.5M6 10v9h12v-9" },
};
