/** The pages of money, members and trying out. */
import { type PageRow, page } from "./page-row.ts";

export const moneyPages: readonly PageRow[] = [
  page({
    id: "playground",
    right: "manage_own_keys",
    load: async () => (await import("./pages/daily.ts")).Playground,
    en: async () => (await import("./words/en/daily.ts")).playground,
    zh: async () => (await import("./words/zh/daily.ts")).playground,
  }),
  page({
    id: "docs",
    load: async () => (await import("./pages/daily.ts")).Docs,
    en: async () => (await import("./words/en/daily.ts")).docs,
    zh: async () => (await import("./words/zh/daily.ts")).docs,
  }),
  page({
    id: "recharge",
    right: "see_billing",
    load: async () => (await import("./pages/daily.ts")).Recharge,
    en: async () => (await import("./words/en/daily.ts")).recharge,
    zh: async () => (await import("./words/zh/daily.ts")).recharge,
  }),
  page({
    id: "plan",
    right: "see_billing",
    load: async () => (await import("./pages/daily.ts")).Plan,
    en: async () => (await import("./words/en/daily.ts")).plan,
    zh: async () => (await import("./words/zh/daily.ts")).plan,
  }),
  page({
    id: "invoices",
    right: "see_billing",
    load: async () => (await import("./pages/daily.ts")).Invoices,
    en: async () => (await import("./words/en/daily.ts")).invoices,
    zh: async () => (await import("./words/zh/daily.ts")).invoices,
  }),
  page({
    id: "statements",
    right: "see_billing",
    load: async () => (await import("./pages/daily.ts")).Statements,
    en: async () => (await import("./words/en/daily.ts")).statements,
    zh: async () => (await import("./words/zh/daily.ts")).statements,
  }),
  page({
    id: "members",
    right: "manage_members",
    load: async () => (await import("./pages/daily.ts")).Members,
    en: async () => (await import("./words/en/daily.ts")).members,
    zh: async () => (await import("./words/zh/daily.ts")).members,
  }),
  page({
    id: "audit",
    right: "see_audit_log",
    load: async () => (await import("./pages/daily.ts")).Audit,
    en: async () => (await import("./words/en/daily.ts")).audit,
    zh: async () => (await import("./words/zh/daily.ts")).audit,
  }),
];
