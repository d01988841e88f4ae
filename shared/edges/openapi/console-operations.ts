/** Every operation of the console's document, and the schemas of what they answer. */
import type { ConsoleOperation } from "../console/routes.ts";
import type { ConsoleDescribed } from "./console-operation.ts";
import { deviceOperations, deviceSchemas } from "./console-operations-device.ts";
import { invoiceOperations, invoiceSchemas } from "./console-operations-invoices.ts";
import { organizationOperations, organizationSchemas } from "./console-operations-organization.ts";
import { passkeyOperations, passkeySchemas } from "./console-operations-passkeys.ts";
import { paymentOperations, paymentSchemas } from "./console-operations-payments.ts";
import { signInOperations, signInSchemas } from "./console-operations-sign-in.ts";
import { signOnOperations, signOnSchemas } from "./console-operations-sign-on.ts";
import { usageOperations, usageSchemas } from "./console-operations-usage.ts";
import { webhookOperations, webhookSchemas } from "./console-operations-webhooks.ts";

/** A row of the table of routes without a description here does not compile. */
export const consoleOperations = {
  ...signInOperations,
  ...deviceOperations,
  ...signOnOperations,
  ...passkeyOperations,
  ...organizationOperations,
  ...webhookOperations,
  ...usageOperations,
  ...paymentOperations,
  ...invoiceOperations,
} satisfies Readonly<Record<ConsoleOperation, ConsoleDescribed>>;

export const consoleSchemas = {
  ...signInSchemas,
  ...deviceSchemas,
  ...signOnSchemas,
  ...passkeySchemas,
  ...organizationSchemas,
  ...webhookSchemas,
  ...usageSchemas,
  ...paymentSchemas,
  ...invoiceSchemas,
};
