/** Composes the orders of the console: their store, the platforms by the secret `platforms`, and the log of changes. */
import type { PaymentAnswerDeps } from "#shared/operations/console/payment-requests.ts";
import { createPaymentPlatforms } from "#shared/payments/platforms.ts";
import type { Aws } from "#shared/platform/aws.ts";
import { required, variables } from "#shared/platform/env.ts";
import type { Log } from "#shared/platform/log.ts";
import { keptSecret } from "#shared/platform/secrets.ts";
import { createAuditLog } from "#shared/store/identity/audit.ts";
import type { OrderTables } from "#shared/store/orders/order-item.ts";
import { createOrders } from "#shared/store/orders/orders.ts";

/** What orders need of AWS and of the environment. Throws when a variable is missing. */
export function paymentDeps(
  aws: Aws,
  tables: OrderTables,
  { log }: { log: Log },
): Pick<PaymentAnswerDeps, "orders" | "platforms" | "audit" | "notifyBase"> {
  return {
    orders: createOrders(aws, tables),
    platforms: createPaymentPlatforms({
      readSettings: keptSecret(aws, required("platformsSecret"), log),
      log,
    }),
    audit: createAuditLog(aws, tables),
    notifyBase: process.env[variables.notifyBase] || undefined,
  };
}
