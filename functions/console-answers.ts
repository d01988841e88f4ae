import type { ConsoleAnswers } from "#shared/edges/console/call.ts";
import { invoiceAnswers } from "#shared/edges/console/operations/invoices.ts";
import { organizationAnswers } from "#shared/edges/console/operations/organization.ts";
import { paymentAnswers } from "#shared/edges/console/operations/payments.ts";
import { signInAnswers } from "#shared/edges/console/operations/sign-in.ts";
import { usageAnswers } from "#shared/edges/console/operations/usage.ts";
import type { ConsoleDeps } from "./console-deps.ts";

/** The operations behind the names in the table of the console's routes. */
export function consoleAnswers(deps: ConsoleDeps): ConsoleAnswers {
  return {
    ...signInAnswers(deps),
    ...organizationAnswers(deps.organization),
    ...usageAnswers(deps),
    ...paymentAnswers(deps),
    ...invoiceAnswers(deps),
  };
}
