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
 * Whether a stack that exists uses tables by name. A deployment that names none would create empty ones, and no key
 * would be valid (infra/operator/restore.md "Tables by name"). `resources` are the template's names.
 */
export function usesGivenTables(resources: readonly string[]): boolean {
  return !resources.some((name) => name.startsWith("KeysTable"));
}

/** Whether the stack uses a table `accounts` that the file names no more: nobody could sign in with an empty one. */
export function losesAccounts(
  stack: Pick<Stack, "Outputs"> | undefined,
  resources: readonly string[],
  tables: GivenTables | undefined,
): boolean {
  const has = stack?.Outputs?.some(({ OutputKey }) => OutputKey === outputs.accountsTable) ?? false;
  return has && tables?.accounts === undefined && !resources.some((name) => name.startsWith("AccountsTable"));
}

/** Whether the file names other tables than the stack has: both versions work on their own while one takes over. */
export function changesTables(
  stack: Pick<Stack, "Outputs"> | undefined,
  tables: GivenTables | undefined,
): boolean {
  const isOther = (output: string, table: string | undefined) => {
    const now = stack?.Outputs?.find(({ OutputKey }) => OutputKey === output)?.OutputValue;
    return now !== undefined && table !== undefined && now !== table;
  };
  return isOther(outputs.ledgerTable, tables?.ledger) || isOther(outputs.accountsTable, tables?.accounts);
}
