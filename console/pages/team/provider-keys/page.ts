import type { PageFacts } from "../../../page.ts";

export const page: PageFacts = {
  path: "/provider-keys",
  title: { en: "Provider keys", zh: "供应商密钥" },
  menu: { group: "team", place: 5, icon: "M7 14a4 4 0 1 1 3.9-5H21v3h-2v3h-3v-3h-5.1M7 10h.01" },
  right: "manage_all_keys",
};
