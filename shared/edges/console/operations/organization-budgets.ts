/** Budgets of the organization's levels, as its members give and see them. */

import { consoleLimits } from "../../../base/console-limits.ts";
import { jsonReply } from "../../../base/http/message.ts";
import { readQuery } from "../../../base/http/query.ts";
import type { Accounts, Organization } from "../../../books/accounts/account.ts";
import type { AuditEntry, AuditedChange } from "../../../people/identity/audit.ts";
import type { AuditedBudgets } from "../../../people/identity/audited-budgets.ts";
import type { Members } from "../../../people/identity/members.ts";
import {
  type BudgetReading,
  budgetFacts,
  readBudgetWanted,
  showLevelBudgets,
  withBudget,
} from "../../api/level-budgets.ts";
import type { ConsoleBody } from "../../openapi/route-types.ts";
import { readFields } from "../body.ts";
import { type ConsoleCall, callerOf } from "../call.ts";
import { noMember } from "./organization-member-keys.ts";
import { changedMeanwhile, entryOf } from "./organization-members.ts";

/** What a change of an organization's rows needs. */
export interface RowsDeps {
  accounts: Pick<Accounts, "organization">;
  members: Pick<Members, "membership" | "changeOrganization">;
  now: () => number;
}

export interface BudgetDeps extends BudgetReading, RowsDeps {
  auditedBudgets: AuditedBudgets;
}

/** `GET /api/v1/budgets?user=`. */
export async function listBudgets(call: ConsoleCall, deps: BudgetDeps) {
  const { organization } = callerOf(call);
  const { user } = readQuery<{ user: string | undefined }>(call.request.query, {
    user: (given) => given || undefined,
  });
  const data = await showLevelBudgets(organization, organization.budgets ?? [], user, deps);
  return listReply(data);
}

/** `PATCH /api/v1/budgets`: gives one level another budget, or takes it away. The answer is the list as it is then. */
export async function changeBudget(call: ConsoleCall, deps: BudgetDeps) {
  const caller = callerOf(call);
  const wanted = readBudgetWanted(
    readFields<BudgetField>(call.request, ["level", "id", "budget_points", "budget_period"]),
  );
  const { id } = caller.organization;
  // Only who is a member can be given one. It is taken away from anybody.
  if (wanted.level === "member" && wanted.limit && !(await deps.members.membership(id, wanted.id)))
    throw noMember();
  const { organization, rows } = await changeRows(
    call,
    ({ budgets: before = [] }) => {
      const after = withBudget(before, wanted);
      const facts = { before: budgetFacts(before, wanted), after: budgetFacts(after, wanted) };
      const subject = wanted.id === "" ? id : wanted.id;
      return { rows: after, line: { kind: "budget_changed", subject, ...facts } };
    },
    ({ budgets: before }, after, entry) =>
      deps.auditedBudgets.change(id, { before, after, at: entry.at }, entry),
    deps,
  );
  return listReply(await showLevelBudgets(organization, rows, undefined, deps));
}

/**
 * Changes rows of the caller's organization, and gives them with the organization as it was before. `write` writes them with
 * their line, and says whether they were as they were read. `of` is asked again where somebody else changed them meanwhile,
 * and what it throws is thrown. Throws `invalid_state` where that goes on.
 */
export async function changeRows<Rows>(
  call: ConsoleCall,
  of: (organization: Organization) => { rows: Rows; line: AuditedChange },
  write: (organization: Organization, rows: Rows, entry: AuditEntry) => Promise<boolean>,
  deps: Pick<RowsDeps, "accounts" | "now">,
): Promise<{ organization: Organization; rows: Rows }> {
  let organization: Organization | undefined = callerOf(call).organization;
  const { id } = organization;
  for (let attempt = 1; attempt <= consoleLimits.memberAttemptsMax; attempt++) {
    if (attempt > 1) organization = await deps.accounts.organization(id);
    if (!organization) throw changedMeanwhile();
    const { rows, line } = of(organization);
    if (await write(organization, rows, entryOf(call, line, deps))) return { organization, rows };
  }
  throw changedMeanwhile();
}

/** A list, which is always whole. */
export function listReply<Row extends { id: string | null }>(data: readonly Row[]) {
  return jsonReply({ object: "list", data, has_more: false, last_id: data.at(-1)?.id ?? null });
}

type BudgetField = keyof ConsoleBody<"change_budget">;
