/** What decides whether a deployment is a stage's first (deploy.ts). */
import type { Stack } from "@aws-sdk/client-cloudformation";

/** Whether the stack has been created. From then on it holds what must not be lost, whatever becomes of an update. */
export function isCreated(stack: Pick<Stack, "StackStatus"> | undefined): boolean {
  return /^(CREATE_COMPLETE$|UPDATE_|IMPORT_)/.test(stack?.StackStatus ?? "");
}

/** Whether the creation of the stack has failed. Such a stack can only be deleted. */
export function isLost(stack: Pick<Stack, "StackStatus"> | undefined): boolean {
  return /^ROLLBACK_(COMPLETE|FAILED)$/.test(stack?.StackStatus ?? "");
}
