/**
 * The console's own routes and who may call each: nothing else has a path of theirs. Errors have the style `standard`.
 */
import { deviceRoutes } from "./routes/device.ts";
import { invoiceRoutes } from "./routes/invoices.ts";
import { organizationRoutes } from "./routes/organization.ts";
import { passkeyRoutes } from "./routes/passkeys.ts";
import { paymentRoutes } from "./routes/payments.ts";
import { signInRoutes } from "./routes/sign-in.ts";
import { signOnRoutes } from "./routes/sign-on.ts";
import { usageRoutes } from "./routes/usage.ts";
import { webhookRoutes } from "./routes/webhooks.ts";

export const consoleRoutes = [
  ...signInRoutes,
  ...deviceRoutes,
  ...signOnRoutes,
  ...passkeyRoutes,
  ...organizationRoutes,
  ...webhookRoutes,
  ...usageRoutes,
  ...paymentRoutes,
  ...invoiceRoutes,
] as const;

export type ConsoleOperation = (typeof consoleRoutes)[number]["operation"];
