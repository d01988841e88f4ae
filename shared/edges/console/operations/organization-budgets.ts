/** Budgets of the organization's levels, as its members give and see them. */

import { consoleLimits } from "../../../base/console-limits.ts";
import { jsonReply } from "../../../base/http/message.ts";
import { readQuery } from "../../../base/http/query.ts";
import type { Accounts, Organization } from "../../../books/accounts/account.ts";
import type { AuditedChange } from "../../../people/identity/audit.ts";
import type { Members, OrganizationChanges } from "../../../people/identity/members.ts";
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

export type BudgetDeps = BudgetReading & RowsDeps;

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
      return { rows: { budgets: after }, line: { kind: "budget_changed", subject, ...facts } };
    },
    deps,
  );
  return listReply(await showLevelBudgets(organization, rows.budgets, undefined, deps));
}

/** Rows of an organization's levels as a change leaves them. */
type Rows = Pick<OrganizationChanges, "budgets" | "policies">;

/**
 * Changes rows of the caller's organization, and gives them with the organization as it was before. `of` is asked again
 * where somebody else changed them meanwhile, and what it throws is thrown. Throws `invalid_state` where that goes on.
 */
export async function changeRows<Changed extends Rows>(
  call: ConsoleCall,
  of: (organization: Organization) => { rows: Changed; line: AuditedChange },
  deps: RowsDeps,
): Promise<{ organization: Organization; rows: Changed }> {
  let organization: Organization | undefined = callerOf(call).organization;
  const { id } = organization;
  for (let attempt = 1; attempt <= consoleLimits.memberAttemptsMax; attempt++) {
    if (attempt > 1) organization = await deps.accounts.organization(id);
    if (!organization) throw changedMeanwhile();
    const { rows, line } = of(organization);
    const entries = [entryOf(call, line, deps)];
    if (await deps.members.changeOrganization({ organization, ...rows, entries }))
      return { organization, rows };
  }
  throw changedMeanwhile();
}

/** A list, which is always whole. */
export function listReply<Row extends { id: string | null }>(data: readonly Row[]) {
  return jsonReply({ object: "list", data, has_more: false, last_id: data.at(-1)?.id ?? null });
}

type BudgetField = keyof ConsoleBody<"change_budget">;
