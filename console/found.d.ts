/** What the build finds in the folders of pages (infra/bundles/console-pages.ts), by the name of the page's folder. */

declare module "found:*/page" {
  export const found: Record<string, import("./page.ts").PageFacts>;
}
declare module "found:*/view" {
  export const found: Record<string, import("preact").ComponentType<import("./page.ts").PageProps<unknown>>>;
}
declare module "found:*/en" {
  export const found: Record<string, unknown>;
}
declare module "found:*/zh" {
  export const found: Record<string, unknown>;
}
