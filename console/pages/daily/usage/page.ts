import type { PageFacts } from "../../../page.ts";

export const page: PageFacts = {
  path: "/usage",
  title: { en: "Usage", zh: "用量" },
  menu: { group: "watch", place: 2, icon: "M4 20V10M10 20V4M16 20v-7M21 20H3" },
};
