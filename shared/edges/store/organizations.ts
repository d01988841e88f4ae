/** The record of an organization. */
import type { Aws } from "../../base/platform/aws.ts";
import type { LevelBudget, Organization } from "../../books/accounts/account.ts";
import { toAttribute, toItem } from "./dynamodb/attributes.ts";
import { absent, type Change, type Condition, equals, exists } from "./dynamodb/expressions.ts";
import { organizationKey, readRecord } from "./dynamodb/item-keys.ts";
import { getItem } from "./dynamodb/items.ts";

/** Reads it, strongly consistent, from a table of keys; undefined where there is none. */
export async function findOrganization(
  aws: Aws,
  table: string,
  id: string,
): Promise<Organization | undefined> {
  return readRecord<Organization>(await getItem(aws, table, organizationKey(id)));
}

/** The change that replaces the budgets of an organization's levels if they are still as `before` says. */
export function budgetsChange(
  table: string,
  id: string,
  before: LevelBudget[] | undefined,
  after: LevelBudget[],
): Change {
  const when = [exists("pk"), budgetsAre(before)];
  return { table, key: organizationKey(id), set: toItem({ budgets: after }), when };
}

/** That the budgets of an organization's levels are still as they were read. */
export function budgetsAre(before: LevelBudget[] | undefined): Condition {
  return before === undefined ? absent("budgets") : equals("budgets", toAttribute(before));
}
