/** What decides whether a deployment is a stage's first, and whether it would take its tables away (deploy.ts). */
import type { Stack } from "@aws-sdk/client-cloudformation";
import type { GivenTables } from "./given-tables.ts";
import { outputs } from "./outputs.ts";

/** Whether the stack has been created. From then on it holds what must not be lost, whatever becomes of an update. */
export function isCreated(stack: Pick<Stack, "StackStatus"> | undefined): boolean {
  return /^(CREATE_COMPLETE$|UPDATE_|IMPORT_)/.test(stack?.StackStatus ?? "");
}

/** Whether the creation of the stack has failed. Such a stack can only be deleted. */
export function isLost(stack: Pick<Stack, "StackStatus"> | undefined): boolean {
  return /^ROLLBACK_(COMPLETE|FAILED)$/.test(stack?.StackStatus ?? "");
}

/**
 * Whether a stack that exists has none of the tables that are kept, because it uses tables by name. A deployment that
 * names none would then create empty ones, and no key would be valid (infra/restore.md "Tables by name"). `resources` are
 * the names in the stack's template.
 */
export function usesGivenTables(resources: readonly string[]): boolean {
  return !resources.some((name) => name.startsWith("KeysTable"));
}

/**
 * Whether the stack works on other tables than the stage's file names. While a new version takes over, both versions of
 * the gateway then work on tables of their own.
 */
export function changesTables(
  stack: Pick<Stack, "Outputs"> | undefined,
  tables: GivenTables | undefined,
): boolean {
  const now = stack?.Outputs?.find(({ OutputKey }) => OutputKey === outputs.ledgerTable)?.OutputValue;
  return tables !== undefined && now !== undefined && now !== tables.ledger;
}
