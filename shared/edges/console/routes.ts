/**
 * The table of the console's own routes. Nothing else knows a path of theirs. Who may call one is said in its row, so
 * that no operation can forget to ask. Errors have the style `standard` on all of them.
 */
import { invoiceRoutes } from "./routes/invoices.ts";
import { organizationRoutes } from "./routes/organization.ts";
import { paymentRoutes } from "./routes/payments.ts";
import { signInRoutes } from "./routes/sign-in.ts";
import { usageRoutes } from "./routes/usage.ts";

export const consoleRoutes = [
  ...signInRoutes,
  ...organizationRoutes,
  ...usageRoutes,
  ...paymentRoutes,
  ...invoiceRoutes,
] as const;

export type ConsoleOperation = (typeof consoleRoutes)[number]["operation"];
