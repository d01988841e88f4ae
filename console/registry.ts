/**
 * Every page: the right it wants, its code and its words. Pages are loaded in groups, because many small files are
 * larger than a few when they are compressed.
 */
import type { ComponentType } from "preact";
import type { Right } from "./api-types.ts";
import { type PageProps, type PageRow, page } from "./page-row.ts";
import { Page as Overview } from "./pages/overview.tsx";
import type { PageId } from "./paths.ts";

/** A page of the group that is loaded with the first of its pages. */
function daily<Words>(
  id: PageId,
  pageOf: (pages: typeof import("./pages/daily.ts")) => ComponentType<PageProps<Words>>,
  wordsOf: (words: typeof import("./words/en/daily.ts")) => Words,
  right?: Right,
): PageRow {
  return page({
    id,
    ...(right && { right }),
    load: async () => pageOf(await import("./pages/daily.ts")),
    en: async () => wordsOf(await import("./words/en/daily.ts")),
    zh: async () => wordsOf(await import("./words/zh/daily.ts")),
  });
}

const rows: readonly PageRow[] = [
  page({
    id: "overview",
    load: async () => Overview,
    en: async () => (await import("./words/en/first.ts")).overview,
    zh: async () => (await import("./words/zh/first.ts")).overview,
  }),
  daily(
    "usage",
    (pages) => pages.Usage,
    (words) => words.usage,
  ),
  daily(
    "calls",
    (pages) => pages.Calls,
    (words) => words.calls,
  ),
  daily(
    "limits",
    (pages) => pages.Limits,
    (words) => words.limits,
  ),
  daily(
    "keys",
    (pages) => pages.Keys,
    (words) => words.keys,
    "manage_own_keys",
  ),
  daily(
    "settings",
    (pages) => pages.Settings,
    (words) => words.settings,
  ),
  daily(
    "join",
    (pages) => pages.Join,
    (words) => words.join,
  ),
  daily(
    "models",
    (pages) => pages.Models,
    (words) => words.models,
  ),
  daily(
    "playground",
    (pages) => pages.Playground,
    (words) => words.playground,
    "manage_own_keys",
  ),
  daily(
    "docs",
    (pages) => pages.Docs,
    (words) => words.docs,
  ),
  daily(
    "recharge",
    (pages) => pages.Recharge,
    (words) => words.recharge,
    "see_billing",
  ),
  daily(
    "plan",
    (pages) => pages.Plan,
    (words) => words.plan,
    "see_billing",
  ),
  daily(
    "invoices",
    (pages) => pages.Invoices,
    (words) => words.invoices,
    "see_billing",
  ),
  daily(
    "statements",
    (pages) => pages.Statements,
    (words) => words.statements,
    "see_billing",
  ),
  daily(
    "members",
    (pages) => pages.Members,
    (words) => words.members,
    "manage_members",
  ),
  daily(
    "audit",
    (pages) => pages.Audit,
    (words) => words.audit,
    "see_audit_log",
  ),
];

/** The row of a page. */
export function rowOf(id: PageId): PageRow | undefined {
  return rows.find((row) => row.id === id);
}
