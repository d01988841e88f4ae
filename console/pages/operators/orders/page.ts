import type { PageFacts } from "../../../page.ts";

export const page: PageFacts = {
  path: "/operators/orders",
  title: { en: "Orders in review", zh: "待核对的订单" },
  menu: { group: "work", place: 3, icon: "M5 4h14v16l-3-2-2 2-2-2-2 2-2-2-3 2zM9 9h6M9 13h4" },
};
