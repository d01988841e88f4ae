/** Several writes that happen together or not at all. */
import type { CancellationReason, ConditionCheck, TransactWriteItem } from "@aws-sdk/client-dynamodb";
import { type Aws, AwsError } from "../../../base/platform/aws.ts";
import { pause } from "../../../base/platform/pause.ts";
import type { Item } from "./attributes.ts";
import { type Change, type Condition, deleteInput, putInput, updateInput } from "./expressions.ts";

/** DynamoDB takes no more actions in one transaction. */
export const actionsMax = 100;
/** How often a transaction is tried that meets other writers or load. */
export const contentionTries = 4;

/** Whether an action's condition failed, and the item it failed on, if there is one. */
export interface ActionOutcome {
  failed: boolean;
  item: Item | undefined;
}

/** Puts an item as part of a transaction. */
export function put(table: string, item: Item, when: Condition[]): TransactWriteItem {
  return { Put: { ...putInput(table, item, when), ReturnValuesOnConditionCheckFailure: "ALL_OLD" } };
}

/** Changes an item as part of a transaction. */
export function update(change: Change): TransactWriteItem {
  return { Update: { ...updateInput(change), ReturnValuesOnConditionCheckFailure: "ALL_OLD" } };
}

/** Removes an item as part of a transaction. */
export function remove(table: string, key: Item, when: Condition[]): TransactWriteItem {
  return { Delete: deleteInput(table, key, when) };
}

/** Changes nothing, and lets a transaction happen only where the conditions hold for the item. */
export function check(table: string, key: Item, when: Condition[]): TransactWriteItem {
  // Every check has conditions, so the expression is there.
  return { ConditionCheck: deleteInput(table, key, when) as ConditionCheck };
}

/**
 * Null when it happened, else an outcome for each action, and nothing happened. Waits out contention, and throws it
 * (`isContention`) when it does not end.
 */
export async function transact(aws: Aws, actions: TransactWriteItem[]): Promise<ActionOutcome[] | null> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transactOnce(aws, actions);
    } catch (error) {
      if (attempt >= contentionTries || !isContention(error)) throw error;
      await pause(contentionPauseMs(attempt));
    }
  }
}

/** As `transact`, but throws contention at once. */
export async function transactOnce(aws: Aws, actions: TransactWriteItem[]): Promise<ActionOutcome[] | null> {
  try {
    // The token makes the client's own repetition after a lost answer harmless.
    await aws("dynamodb", "TransactWriteItems", {
      TransactItems: actions,
      ClientRequestToken: crypto.randomUUID(),
    });
    return null;
  } catch (error) {
    const reasons = reasonsOf(error);
    if (!reasons.some(({ Code }) => Code === "ConditionalCheckFailed")) throw error;
    return reasons.map(({ Code, Item }) => ({ failed: Code === "ConditionalCheckFailed", item: Item }));
  }
}

/**
 * How long a transaction waits before it is tried again after so many attempts: by chance, at most 0.32 s. `random`
 * gives numbers in [0, 1).
 */
export function contentionPauseMs(attempt: number, random: () => number = Math.random): number {
  return random() * 20 * 2 ** Math.min(attempt, contentionTries);
}

/** As `transact`, but contention that does not end is one more outcome: nothing was written. */
export async function unlessContended(
  aws: Aws,
  actions: TransactWriteItem[],
): Promise<ActionOutcome[] | null | "contended"> {
  try {
    return await transact(aws, actions);
  } catch (error) {
    if (isContention(error)) return "contended";
    throw error;
  }
}

/** Whether a transaction was cancelled for other writers or for load alone, so that it may go again. */
export function isContention(error: unknown): boolean {
  const reasons = reasonsOf(error);
  return reasons.length > 0 && reasons.every(({ Code }) => passing.has(Code ?? ""));
}

/** Those of the actions that met others or load in a transaction that was cancelled for it. */
export function contendedOf(error: unknown, actions: readonly TransactWriteItem[]): TransactWriteItem[] {
  const reasons = reasonsOf(error);
  return actions.filter((_, at) => (reasons[at]?.Code ?? "None") !== "None");
}

const passing = new Set(["None", "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"]);

function reasonsOf(error: unknown): CancellationReason[] {
  if (!(error instanceof AwsError) || error.code !== "TransactionCanceledException") return [];
  return (error.body.CancellationReasons as CancellationReason[] | undefined) ?? [];
}
