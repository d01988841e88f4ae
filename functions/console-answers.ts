import type { ConsoleAnswers } from "#shared/console/call.ts";
import { invoiceAnswers } from "#shared/operations/console/invoices.ts";
import { organizationAnswers } from "#shared/operations/console/organization.ts";
import { paymentAnswers } from "#shared/operations/console/payments.ts";
import { signInAnswers } from "#shared/operations/console/sign-in.ts";
import { usageAnswers } from "#shared/operations/console/usage.ts";
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
