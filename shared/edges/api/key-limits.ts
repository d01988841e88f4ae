/** A new key's own limits: their form, and what the plan allows (design §4 "Organization and project"). */

import { type Fields, invalidField, isAbsent, isObject, optionalInteger } from "../../base/json/fields.ts";
import { limits } from "../../base/limits.ts";
import type { BillingMode, BudgetPeriod, KeyLimits, Organization } from "../../books/accounts/account.ts";
import { planAt } from "../../books/accounts/subscription.ts";
import { amountMax, formatPoints, parsePoints } from "../../books/billing/points.ts";
import type { Plan } from "../../books/catalog/catalog.ts";

const rateNames = ["rpm", "tpm", "tpd"] as const;
const budgetPeriods: readonly BudgetPeriod[] = ["day", "month", "total"];
/** The limits of a key, in the interface's order. */
export const keyLimitNames = [...rateNames, "max_concurrency", "budget_points", "budget_period"] as const;
const limitNames: readonly string[] = keyLimitNames;

/** The limits that a request gives; null where it gives none. Throws `invalid_request` with the field's name. */
export function readKeyLimits(value: unknown): KeyLimits | null {
  if (isAbsent(value)) return null;
  if (!isObject(value)) throw invalidField("limits", "an object");
  const named = Object.fromEntries(Object.entries(value).map(([name, limit]) => [`limits.${name}`, limit]));
  const unknown = Object.keys(value).find((name) => !limitNames.includes(name));
  if (unknown !== undefined) throw invalidField(`limits.${unknown}`, "absent");
  const own: KeyLimits = {};
  for (const name of rateNames) {
    const limit = optionalInteger(named, `limits.${name}`, 1);
    if (limit !== undefined) own[name] = limit;
  }
  const cap = optionalInteger(named, "limits.max_concurrency", 1, limits.keyConcurrencyMax);
  if (cap !== undefined) own.max_concurrency = cap;
  Object.assign(own, readBudget(named));
  return Object.keys(own).length === 0 ? null : own;
}

/** A budget needs both its points and its period. */
function readBudget(fields: Fields): Pick<KeyLimits, "budget_points" | "budget_period"> {
  const [points, period] = [fields["limits.budget_points"], fields["limits.budget_period"]];
  if (isAbsent(points) && isAbsent(period)) return {};
  const budget_period = readBudgetPeriod(period, "limits.budget_period");
  if (isAbsent(points)) throw invalidField("limits.budget_points", "given beside `limits.budget_period`");
  return { budget_points: readBudgetPoints(points, "limits.budget_points"), budget_period };
}

/** The period of a budget, of the field `name`. Throws `invalid_request`. */
export function readBudgetPeriod(value: unknown, name: string): BudgetPeriod {
  const period = budgetPeriods.find((each) => each === value);
  const points = name.replace("period", "points");
  if (!period) throw invalidField(name, `\`day\`, \`month\` or \`total\` beside \`${points}\``);
  return period;
}

/** The points of a budget, of the field `name`, without needless zeros. Throws `invalid_request`. */
export function readBudgetPoints(value: unknown, name: string): string {
  if (typeof value !== "string") {
    throw invalidField(name, 'a string of decimal points such as "12.5"; a JSON number could lose digits');
  }
  const points = pointsOf(value);
  if (points === undefined || points <= 0n || points > amountMax) {
    const most = formatPoints(amountMax);
    throw invalidField(name, `decimal points above 0 and up to ${most}, with at most 18 decimals`);
  }
  return formatPoints(points);
}

function pointsOf(text: string): bigint | undefined {
  if (text.length > limits.pointsCharsMax) return undefined;
  try {
    return parsePoints(text);
  } catch {
    return undefined;
  }
}

/** Throws `invalid_request` for limits beyond the plan's at `now` (Unix ms), and for any on a pay-as-you-go key. */
export function checkKeyLimits(
  { limits: own, mode }: { limits: KeyLimits | null; mode: BillingMode },
  { subscription }: Organization,
  planOf: (name: string) => Plan | undefined,
  now: number,
): void {
  const plan = subscription ? planOf(planAt(subscription, now).plan) : undefined;
  for (const name of rateNames) {
    const limit = own?.[name];
    if (limit === undefined) continue;
    if (mode === "payg") throw invalidField(`limits.${name}`, "absent on a pay-as-you-go key");
    const most = plan?.[name] ?? null;
    if (most !== null && limit > most) throw invalidField(`limits.${name}`, `at most the plan's ${most}`);
  }
}
