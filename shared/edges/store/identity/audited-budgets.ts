/** Budgets of levels and their lines on DynamoDB: the organization's record, its meters, and the audit log in one transaction. */
import type { Aws } from "../../../base/platform/aws.ts";
import type { AuditedBudgets } from "../../../people/identity/audited-budgets.ts";
import type { TableNames } from "../dynamodb/item-keys.ts";
import { changeBudgets } from "../level-budgets.ts";
import { auditWrite } from "./audit.ts";

/** The budgets of these tables. */
export function createAuditedBudgets(
  aws: Aws,
  tables: Pick<TableNames, "accounts" | "keys" | "counters">,
): AuditedBudgets {
  return {
    change: (organization, change, entry) =>
      changeBudgets(aws, tables, organization, change, [auditWrite(tables, entry)]),
  };
}
