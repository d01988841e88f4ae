import type { PageFacts } from "../../../page.ts";

export const page: PageFacts = {
  path: "/audit",
  title: { en: "Audit log", zh: "审计日志" },
  menu: { group: "team", place: 8, icon: "M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6zM9 12l2 2 4-4" },
  right: "see_audit_log",
};
