/** Budgets of an organization's levels as the interface takes and shows them (books/meters/README.md "Budgets of five levels"). */

import { invalidRequest } from "../../base/errors.ts";
import { checkUnicode, type Fields, invalidField, isAbsent, optionalString } from "../../base/json/fields.ts";
import { limits } from "../../base/limits.ts";
import { isId } from "../../base/platform/id.ts";
import {
  type BudgetLevel,
  type BudgetPeriod,
  budgetLevels,
  type LevelBudget,
  type Organization,
} from "../../books/accounts/account.ts";
import { parsePoints } from "../../books/billing/points.ts";
import { accountCounter, showBudget } from "../../books/meters/budget.ts";
import { accountOf } from "../../books/meters/levels.ts";
import type { Meters } from "../../books/meters/meter.ts";
import { readBudgetPeriod, readBudgetPoints } from "./key-limits.ts";
import { isName, nameRule } from "./report-parameters.ts";

/** The budget that a level is to have; without a `limit` it has none. */
export interface BudgetWanted extends Pick<LevelBudget, "level" | "id"> {
  limit?: { points: string; period: BudgetPeriod };
}

/** Whether a row is that of the level's account. */
function isBudgetOf({ level, id }: Pick<LevelBudget, "level" | "id">): (row: LevelBudget) => boolean {
  return (row) => row.level === level && row.id === id;
}

/** The rows with the wanted one in place of an earlier one. Throws `invalid_request` where they would be too many. */
export function withBudget(
  before: readonly LevelBudget[],
  { level, id, limit }: BudgetWanted,
): LevelBudget[] {
  const isSame = isBudgetOf({ level, id });
  const others = before.filter((row) => !isSame(row));
  if (!limit) return others;
  if (others.length >= limits.levelBudgetsMax) {
    const full = `The organization has ${limits.levelBudgetsMax} budgets. Take one away first.`;
    throw invalidRequest(full);
  }
  const rows = [...others, { level, id, ...limit }];
  return budgetLevels.flatMap((each) => rows.filter((row) => row.level === each));
}

/** What readers need to show budgets. */
export interface BudgetReading {
  meters: Pick<Meters, "budgets">;
  now: () => number;
}

/**
 * Budgets as the interface shows them, each with what is used of it on each meter of the organization. For the one of end
 * customers that is what the customer `user` has used, if one is named.
 */
export async function showLevelBudgets(
  { wallet, subscription }: Pick<Organization, "wallet" | "subscription">,
  rows: readonly LevelBudget[],
  user: string | undefined,
  { meters, now }: BudgetReading,
) {
  const metered = [
    ["payg", wallet],
    ["subscription", subscription],
  ] as const;
  const has = metered.flatMap(([mode, own]) => (own && rows.length > 0 ? [[mode, own.meter] as const] : []));
  const uses = await Promise.all(
    has.map(async ([mode, meter]) => [mode, await meters.budgets(meter)] as const),
  );
  const at = now();
  return rows.map(({ level, id, points, period }) => {
    const whose = level === "customer" ? user : id;
    const budget = { points: parsePoints(points), period };
    const used = uses.map(([billing_mode, own]) => {
      const counter = accountCounter(accountOf(level, whose ?? ""), period, at);
      const { period: _, ...shown } = showBudget(budget, own.get(counter) ?? { spent: 0n, held: 0n }, at);
      return { billing_mode, ...shown };
    });
    return {
      object: "budget" as const,
      level,
      id: id === "" ? null : id,
      budget_points: points,
      budget_period: period,
      used: whose === undefined ? [] : used,
    };
  });
}

/** The budget that `level`, `id`, `budget_points` and `budget_period` ask for. Throws `invalid_request`, which names the field. */
export function readBudgetWanted(fields: Fields): BudgetWanted {
  const level = budgetLevels.find((each) => each === fields.level);
  if (!level) throw invalidField("level", `one of ${budgetLevels.join(", ")}`);
  const id = readLevelId(fields, level);
  if (!("budget_points" in fields)) throw invalidField("budget_points", "decimal points, or null for none");
  const { budget_points, budget_period } = fields;
  if (budget_points === null) {
    if (!isAbsent(budget_period)) throw invalidField("budget_period", "absent where there is no budget");
    return { level, id };
  }
  const period = readBudgetPeriod(budget_period, "budget_period");
  // A total would count every customer that there ever was.
  if (level === "customer" && period === "total")
    throw invalidField("budget_period", "`day` or `month` at the level customer");
  return { level, id, limit: { points: readBudgetPoints(budget_points, "budget_points"), period } };
}

/** The `id` of a level's account: a project's name or a member's id, and "" at other levels. Throws `invalid_request`. */
export function readLevelId(fields: Fields, level: BudgetLevel): string {
  const id = optionalString(fields, "id") ?? "";
  const isNamed = level === "project" || level === "member";
  if (!isNamed && id !== "") throw invalidField("id", `absent at the level ${level}`);
  if (level === "project" && (id === "" || !isName(id)))
    throw invalidField("id", `the name of a project: ${nameRule}`);
  checkUnicode(id, "id");
  if (level === "member" && !isId(id, "user")) throw invalidField("id", "the id of a member");
  return id;
}

/** A level's budget before or after a change, for the audit log. */
export function budgetFacts(rows: readonly LevelBudget[], wanted: BudgetWanted) {
  const row = rows.find(isBudgetOf(wanted));
  return { level: wanted.level, budget_points: row?.points ?? null, budget_period: row?.period ?? null };
}
