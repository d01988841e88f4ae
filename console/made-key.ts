/** The key that was made last in this tab, so that snippets can have it. It is in memory only. */
import { signal } from "./state.ts";

export const madeKey = signal<{ secret: string; mode: "payg" | "subscription" } | undefined>(undefined);
