/**
 * Every page: the right it wants, its code and its words. Pages are loaded in groups, because many small files are
 * larger than a few when they are compressed.
 */
import type { ComponentType } from "preact";
import type { Right } from "./api-types.ts";
import { type PageProps, type PageRow, page } from "./page-row.ts";
import { Page as Overview } from "./pages/overview.tsx";
import type { PageId } from "./paths.ts";

type DailyWords = typeof import("./words/en/daily.ts");

/** The pages of one group by their ids. Each takes its own words. */
type DailyPages = { [Id in keyof DailyWords]: ComponentType<PageProps<DailyWords[Id]>> };

const dailyPages = async (): Promise<DailyPages> => await import("./pages/daily.ts");

/** A page of the group that is loaded with the first of its pages. */
function daily<Id extends keyof DailyWords>(id: Id, right?: Right): PageRow {
  return page<DailyWords[Id]>({
    id,
    ...(right && { right }),
    load: async () => (await dailyPages())[id],
    en: async () => (await import("./words/en/daily.ts"))[id],
    zh: async () => (await import("./words/zh/daily.ts"))[id],
  });
}

const rows: readonly PageRow[] = [
  page({
    id: "overview",
    load: async () => Overview,
    en: async () => (await import("./words/en/first.ts")).overview,
    zh: async () => (await import("./words/zh/first.ts")).overview,
  }),
  daily("usage"),
  daily("calls"),
  daily("limits"),
  daily("keys", "manage_own_keys"),
  daily("settings"),
  daily("join"),
  daily("models"),
  daily("playground", "manage_own_keys"),
  daily("docs"),
  daily("recharge", "see_billing"),
  daily("plan", "see_billing"),
  daily("invoices", "see_billing"),
  daily("statements", "see_billing"),
  daily("members", "manage_members"),
  daily("audit", "see_audit_log"),
];

/** The row of a page. */
export function rowOf(id: PageId): PageRow | undefined {
  return rows.find((row) => row.id === id);
}

/** The order of the navigation. A page without a row above is not shown. */
export const navigation = [
  { name: "watch", pages: ["overview", "usage", "calls", "limits"] },
  { name: "build", pages: ["models", "playground", "keys", "docs"] },
  { name: "pay", pages: ["recharge", "plan", "invoices", "statements"] },
  { name: "team", pages: ["members", "audit", "settings"] },
] as const satisfies readonly { name: string; pages: readonly PageId[] }[];
