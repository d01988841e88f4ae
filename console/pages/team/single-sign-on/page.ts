import type { PageFacts } from "../../../page.ts";

export const page: PageFacts = {
  path: "/single-sign-on",
  title: { en: "Company sign-in", zh: "企业登录" },
  menu: {
    group: "team",
    place: 7,
    icon: "M12 3l8 4v5c0 5-3.5 8-8 9-4.5-1-8-4-8-9V7zM9 12l2 2 4-4",
  },
  right: "manage_sign_on",
};
