/** Products that count keys' budgets wrongly in one place. */
import type { Transport } from "#shared/platform/aws.ts";
import type { Mutation } from "./mutation.ts";
import { changing, partitionOf, type Write } from "./rewriting.ts";

const budgetName = /^k[0-9A-Z]{10}:b/;

/** The placeholders of the budget counters that a write names. */
function slotsOf({ ExpressionAttributeNames = {} }: Write): string[] {
  return Object.entries(ExpressionAttributeNames).flatMap(([slot, name]) =>
    budgetName.test(name) ? [slot] : [],
  );
}

/** Does not ask whether the budget has room. */
function unasked(write: Write): void {
  for (const slot of slotsOf(write)) {
    const asked = new RegExp(` AND (\\(attribute_not_exists\\(${slot}\\) OR )?${slot} <= :\\d+\\)?`);
    write.ConditionExpression = write.ConditionExpression?.replace(asked, "");
  }
}

/** Adds nothing to the budget. */
function uncounted(write: Write): void {
  for (const slot of slotsOf(write)) {
    const value = new RegExp(`${slot} (:\\d+)`).exec(
      write.UpdateExpression?.replace(/^.*ADD /, "") ?? "",
    )?.[1];
    if (value && write.ExpressionAttributeValues) write.ExpressionAttributeValues[value] = { N: "0" };
  }
}

/** Ends a hold, which takes it away. */
function ends({ UpdateExpression = "" }: Write): boolean {
  return UpdateExpression.includes("REMOVE");
}

const uncountedEnd = (write: Write): void => {
  if (ends(write)) uncounted(write);
};

const uncountedStep = (write: Write): void => {
  if (/^#\d+ = :\d+ AND #\d+ >= :\d+/.test(write.ConditionExpression ?? "")) uncounted(write);
};

const uncountedCorrection = (write: Write): void => {
  if (partitionOf(write).startsWith("M#") && !ends(write)) uncounted(write);
};

const changes =
  (action: string, change: (write: Write) => void, only?: string): (() => Mutation) =>
  () => ({
    transport: (inner: Transport, role) =>
      only === undefined || role === only ? changing(inner, action, change) : inner,
  });

/** By name, as those of `mutants.ts`. */
export const mutantsOfBudgets: Record<string, () => Mutation> = {
  "admits calls beyond their key's budget": changes("UpdateItem", unasked, "gateway"),
  "forgets the budget when a call ends": changes("UpdateItem", uncountedEnd, "gateway"),
  "forgets the budget of a call that died": changes("UpdateItem", uncountedEnd, "sweep"),
  "forgets the budget when a task ends": changes("TransactWriteItems", uncountedEnd),
  "raises a hold and not its budget": changes("UpdateItem", uncountedStep, "gateway"),
  "corrects the ledger and not the budget": changes("TransactWriteItems", uncountedCorrection),
};
