/** The languages of the console, and the one that is shown. */
import { signal } from "./state.ts";

export const locales = ["en", "zh"] as const;
export type Locale = (typeof locales)[number];

export const locale = signal<Locale>("en");
