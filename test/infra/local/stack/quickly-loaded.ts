/** For `quick-load.test.ts`: a module that asks what a module can ask. */
import { ulid } from "ulid";
import { region } from "#infra/local/stack/template.ts";

export const folder = import.meta.dirname;
export const address = import.meta.url;
export const isMain = Boolean(import.meta.main);
export const imported = region;
export const id = ulid();
