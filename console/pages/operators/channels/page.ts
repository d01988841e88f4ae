import type { PageFacts } from "../../../page.ts";

export const page: PageFacts = {
  path: "/operators/channels",
  title: { en: "Channels", zh: "渠道" },
  menu: { group: "catalog", place: 1, icon: "M4 12h4l3-7 3 14 3-7h3" },
};
