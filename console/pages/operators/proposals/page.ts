import type { PageFacts } from "../../../page.ts";

export const page: PageFacts = {
  path: "/operators/proposals",
  title: { en: "Proposed credits", zh: "待复核的入账" },
  menu: {
    group: "work",
    place: 5,
    icon: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6M16 11a3 3 0 1 0 0-6M3 19c0-3 2-5 5-5s5 2 5 5M16 14c3 0 5 2 5 5",
  },
};
