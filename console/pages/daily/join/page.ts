import type { PageFacts } from "../../../page.ts";

export const page: PageFacts = {
  path: "/join",
  title: { en: "Join an organization", zh: "加入组织" },
};
