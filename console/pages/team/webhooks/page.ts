import type { PageFacts } from "../../../page.ts";

export const page: PageFacts = {
  path: "/webhooks",
  title: { en: "Webhooks", zh: "Webhook 通知" },
  menu: {
    group: "team",
    place: 6,
    icon: "M12 3a4 4 0 0 1 3 6.6l3 5.4M9 9.6 6 15M6 19h12M4 19a2 2 0 1 0 4 0M16 19a2 2 0 1 0 4 0",
  },
  right: "manage_members",
};
