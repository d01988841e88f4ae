/** The words of the pages in pages/daily.ts. */
export { words as calls } from "./calls-pages.ts";
export { words as join } from "./join.ts";
export { words as keys } from "./keys.ts";
export { words as limits } from "./limits.ts";
export { words as models } from "./models.ts";
export * from "./money.ts";
export { words as settings } from "./settings.ts";
export { words as usage } from "./usage.ts";
