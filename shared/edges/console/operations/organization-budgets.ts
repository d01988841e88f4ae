/** Budgets of the organization's levels, as its members give and see them. */

import { consoleLimits } from "../../../base/console-limits.ts";
import { jsonReply } from "../../../base/http/message.ts";
import { readQuery } from "../../../base/http/query.ts";
import type { Accounts } from "../../../books/accounts/account.ts";
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

export interface BudgetDeps extends BudgetReading {
  accounts: Pick<Accounts, "organization">;
  members: Pick<Members, "membership" | "changeOrganization">;
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
  let organization: typeof caller.organization | undefined = caller.organization;
  for (let attempt = 1; attempt <= consoleLimits.memberAttemptsMax; attempt++) {
    if (attempt > 1) organization = await deps.accounts.organization(id);
    if (!organization) throw changedMeanwhile();
    const before = organization.budgets ?? [];
    const budgets = withBudget(before, wanted);
    const facts = { before: budgetFacts(before, wanted), after: budgetFacts(budgets, wanted) };
    const subject = wanted.id === "" ? id : wanted.id;
    const entry = entryOf(call, { kind: "budget_changed", subject, ...facts }, deps);
    if (!(await deps.members.changeOrganization({ organization, budgets, entries: [entry] }))) continue;
    const data = await showLevelBudgets(organization, budgets, undefined, deps);
    return listReply(data);
  }
  throw changedMeanwhile();
}

type Shown = Awaited<ReturnType<typeof showLevelBudgets>>;

/** The list, which is always whole. */
function listReply(data: Shown) {
  return jsonReply({ object: "list", data, has_more: false, last_id: data.at(-1)?.id ?? null });
}

type BudgetField = keyof ConsoleBody<"change_budget">;
