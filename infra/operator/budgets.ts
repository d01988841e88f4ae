/** The operator's commands on the budgets of an organization's levels. */

import { budgetLevels, type LevelBudget, type Organization } from "#shared/books/accounts/account.ts";
import {
  budgetFacts,
  readBudgetWanted,
  showLevelBudgets,
  withBudget,
} from "#shared/edges/api/level-budgets.ts";
import { writeLine } from "./audit-lines.ts";
import { choice, command, flag, needed } from "./command.ts";
import { id, sample } from "./organization-change.ts";
import { organizationOf, type Stores, storesOf } from "./stores.ts";

/** How the command shows budgets: in a table, without what nobody reads there. */
async function shown(
  organization: Organization,
  rows: readonly LevelBudget[],
  user: string | undefined,
  stores: Stores,
) {
  return { value: await showLevelBudgets(organization, rows, user, stores) };
}

/** `org budgets`. */
export const budgets = command({
  words: "org budgets",
  what: "lists the budgets of the organization, its projects, members and end customers, and what is left of them",
  operands: [id],
  flags: { user: flag("U", "the end customer whose use is shown") },
  examples: { [sample]: "all budgets of one organization" },
  async run(call) {
    const stores = await storesOf(call);
    const organization = await organizationOf(stores, call.operand);
    return await shown(organization, organization.budgets ?? [], call.flags.user, stores);
  },
});

/** `org budget`. */
export const budget = command({
  words: "org budget",
  what: "gives one level a budget, another one, or none",
  more: "Without --points the level has none any more. Calls that had a budget go by the new one at once. The first budget of a call's levels acts within half a minute.",
  operands: [id],
  flags: {
    level: needed(choice(budgetLevels, "whose calls it bounds; customer is each end customer")),
    of: flag("NAME", "the project's name or the member's id, at those levels"),
    points: flag("X", "points that its calls can spend in a period"),
    period: choice(["day", "month", "total"], "the period, in UTC"),
  },
  examples: {
    [`${sample} --level project --of search --points 50 --period month`]: "at most 50 points a month",
    [`${sample} --level organization`]: "no budget of the whole organization",
  },
  async run(call) {
    const { level, of, points, period } = call.flags;
    const fields = { level, id: of, budget_points: points ?? null, budget_period: period };
    const wanted = readBudgetWanted(fields);
    const stores = await storesOf(call);
    const organization = await organizationOf(stores, call.operand);
    const before = organization.budgets;
    const rows = withBudget(before ?? [], wanted);
    const change = { before, after: rows, at: stores.now() };
    if (!(await stores.accounts.changeBudgets(organization.id, change)))
      throw new Error("somebody else changed the budgets at the same time: repeat the command");
    const facts = { before: budgetFacts(before ?? [], wanted), after: budgetFacts(rows, wanted) };
    await writeLine(organization, { kind: "budget_changed", ...facts }, stores);
    return await shown(organization, rows, undefined, stores);
  },
});
