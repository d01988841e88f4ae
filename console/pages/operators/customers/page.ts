import type { PageFacts } from "../../../page.ts";

export const page: PageFacts = {
  path: "/operators/customers",
  title: { en: "Customers", zh: "客户" },
  menu: { group: "work", place: 2, icon: "M4 20V6l8-3 8 3v14M9 20v-5h6v5M8 9h.1M12 9h.1M16 9h.1" },
};
