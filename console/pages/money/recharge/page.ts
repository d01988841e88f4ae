import type { PageFacts } from "../../../page.ts";

export const page: PageFacts = {
  path: "/recharge",
  title: { en: "Recharge", zh: "充值" },
  menu: { group: "pay", place: 1, icon: "M3 7h18v12H3zM3 11h18M7 15h4" },
  right: "see_billing",
};
