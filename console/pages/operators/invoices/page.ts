import type { PageFacts } from "../../../page.ts";

export const page: PageFacts = {
  path: "/operators/invoices",
  title: { en: "Invoices to issue", zh: "待开发票" },
  menu: { group: "work", place: 4, icon: "M6 3h9l4 4v14H6zM14 3v5h5M9 13h6M9 17h6" },
};
