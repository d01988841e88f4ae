import type { PageFacts } from "../../../page.ts";

export const page: PageFacts = {
  path: "/docs",
  title: { en: "Docs", zh: "文档" },
  menu: { group: "build", place: 4, icon: "M6 3h9l4 4v14H6zM14 3v5h5M9 13h7M9 17h7" },
};
