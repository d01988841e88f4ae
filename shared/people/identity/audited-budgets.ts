/** Changes of the budgets of an organization's levels, each with its line of the audit log. */
import type { Organization } from "../../books/accounts/account.ts";
import type { BudgetsChange } from "../../books/accounts/rows.ts";
import type { AuditEntry } from "./audit.ts";

/** The store of budgets whose changes leave lines. */
export interface AuditedBudgets {
  /**
   * Changes the budgets of an organization (`Accounts.changeBudgets`), with a line. False if they are not as they were read:
   * then nothing was written.
   */
  change(
    organization: string,
    change: BudgetsChange<Organization["budgets"]>,
    entry: AuditEntry,
  ): Promise<boolean>;
}
