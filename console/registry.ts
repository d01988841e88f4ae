/**
 * Every page: the right it wants, its code and its words. Pages are loaded in groups, because many small files are
 * larger than a few when they are compressed.
 */
import { moneyPages } from "./money-registry.ts";
import { type PageRow, page } from "./page-row.ts";
import type { PageId } from "./paths.ts";

const dailyPages = [
  page({
    id: "overview",
    load: async () => (await import("./pages/overview.tsx")).Page,
    en: async () => (await import("./words/en/overview.ts")).words,
    zh: async () => (await import("./words/zh/overview.ts")).words,
  }),
  page({
    id: "usage",
    load: async () => (await import("./pages/daily.ts")).Usage,
    en: async () => (await import("./words/en/daily.ts")).usage,
    zh: async () => (await import("./words/zh/daily.ts")).usage,
  }),
  page({
    id: "calls",
    load: async () => (await import("./pages/daily.ts")).Calls,
    en: async () => (await import("./words/en/daily.ts")).calls,
    zh: async () => (await import("./words/zh/daily.ts")).calls,
  }),
  page({
    id: "limits",
    load: async () => (await import("./pages/daily.ts")).Limits,
    en: async () => (await import("./words/en/daily.ts")).limits,
    zh: async () => (await import("./words/zh/daily.ts")).limits,
  }),
  page({
    id: "keys",
    right: "manage_own_keys",
    load: async () => (await import("./pages/daily.ts")).Keys,
    en: async () => (await import("./words/en/daily.ts")).keys,
    zh: async () => (await import("./words/zh/daily.ts")).keys,
  }),
  page({
    id: "settings",
    load: async () => (await import("./pages/daily.ts")).Settings,
    en: async () => (await import("./words/en/daily.ts")).settings,
    zh: async () => (await import("./words/zh/daily.ts")).settings,
  }),
  page({
    id: "join",
    load: async () => (await import("./pages/daily.ts")).Join,
    en: async () => (await import("./words/en/daily.ts")).join,
    zh: async () => (await import("./words/zh/daily.ts")).join,
  }),
];

const rows: readonly PageRow[] = [...dailyPages, ...moneyPages];

/** The row of a page. */
export function rowOf(id: PageId): PageRow | undefined {
  return rows.find((row) => row.id === id);
}
