import type { PageFacts } from "../../../page.ts";

/** The terminal names this path (shared/edges/console/operations/device-code.ts). */
export const page: PageFacts = {
  path: "/device",
  title: { en: "Sign a program in", zh: "登录程序" },
  right: "manage_own_keys",
};
