/** Composes the orders of the console: their store, the platforms by the secret `platforms`, and the log of changes. */

import type { Aws } from "#shared/base/platform/aws.ts";
import { required, variables } from "#shared/base/platform/env.ts";
import type { Log } from "#shared/base/platform/log.ts";
import { keptSecret } from "#shared/base/platform/secrets.ts";
import type { PaymentAnswerDeps } from "#shared/edges/console/operations/payment-requests.ts";
import { createAuditLog } from "#shared/edges/store/identity/audit.ts";
import type { OrderTables } from "#shared/edges/store/orders/order-item.ts";
import { createOrders } from "#shared/edges/store/orders/orders.ts";
import { createPaymentPlatforms } from "#shared/people/payments/platforms.ts";

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
