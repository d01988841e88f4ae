/** The order of the navigation. A page without a row in the registry is not shown. */
import type { PageId } from "./paths.ts";

export const navigation = [
  { name: "watch", pages: ["overview", "usage", "calls", "limits"] },
  { name: "build", pages: ["models", "playground", "keys", "docs"] },
  { name: "pay", pages: ["recharge", "plan", "invoices", "statements"] },
  { name: "team", pages: ["members", "audit", "settings"] },
] as const satisfies readonly { name: string; pages: readonly PageId[] }[];
