import type { PageFacts } from "../../../page.ts";

/** Where an identity provider leads back to: the organization's id follows. It has no line in the navigation. */
export const page: PageFacts = {
  path: "/sign-on",
  title: { en: "Signing in", zh: "正在登录" },
};
