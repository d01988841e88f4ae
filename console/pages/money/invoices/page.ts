import type { PageFacts } from "../../../page.ts";

export const page: PageFacts = {
  path: "/invoices",
  title: { en: "Invoices", zh: "发票" },
  menu: { group: "pay", place: 3, icon: "M6 3h12v18l-3-2-3 2-3-2-3 2zM9 8h6M9 12h6" },
  right: "see_billing",
};
