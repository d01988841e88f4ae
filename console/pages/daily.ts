/** The pages that one file loads together (registry.ts). */
export { Page as Calls } from "./calls.tsx";
export { Page as Join } from "./join.tsx";
export { Page as Keys } from "./keys.tsx";
export { Page as Limits } from "./limits.tsx";
export { Page as Models } from "./models.tsx";
export * from "./money.ts";
export { Page as Settings } from "./settings.tsx";
export { Page as Usage } from "./usage.tsx";
