import type { PageFacts } from "../../../page.ts";

export const page: PageFacts = {
  path: "/operators/models",
  title: { en: "Models", zh: "模型" },
  menu: { group: "catalog", place: 2, icon: "M12 3 4 7.5v9L12 21l8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9" },
};
