import type { PageFacts } from "../../../page.ts";

export const page: PageFacts = {
  path: "/keys",
  title: { en: "API keys", zh: "API 密钥" },
  menu: { group: "build", place: 3, icon: "M14 10a4 4 0 1 0-3.5 4L13 16.5h2V19h2.5v-2.5L14 13M7.5 9.5h.01" },
  right: "manage_own_keys",
};
