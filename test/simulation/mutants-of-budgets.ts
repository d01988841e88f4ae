/** Products that count budgets wrongly in one place: those of keys, and those of other levels. */
import type { Transport } from "#shared/base/platform/aws.ts";
import { readBigint } from "#shared/edges/store/dynamodb/attributes.ts";
import type { Mutation } from "./mutation.ts";
import { changing, partitionOf, type Write } from "./rewriting.ts";

type Rewrite = (write: Write) => void;

/** The wrongs that a product can do to counters of such names. */
export function wrongsTo(counter: RegExp) {
  /** The placeholders of the counters that a write names. */
  const slotsOf = ({ ExpressionAttributeNames = {} }: Write): string[] =>
    Object.entries(ExpressionAttributeNames).flatMap(([slot, name]) => (counter.test(name) ? [slot] : []));
  /** Adds to them what is made of the right amount. */
  const recounted =
    (amount: (right: bigint) => bigint): Rewrite =>
    (write) => {
      for (const slot of slotsOf(write)) {
        const value = new RegExp(`${slot} (:\\d+)`).exec(
          write.UpdateExpression?.replace(/^.*ADD /, "") ?? "",
        )?.[1];
        if (value && write.ExpressionAttributeValues)
          write.ExpressionAttributeValues[value] = {
            N: String(amount(readBigint(write.ExpressionAttributeValues[value]))),
          };
      }
    };
  /** Adds nothing to them. */
  const uncounted = recounted(() => 0n);
  const only =
    (isWrong: (write: Write) => boolean): Rewrite =>
    (write) => {
      if (isWrong(write)) uncounted(write);
    };
  return {
    slotsOf,
    recounted,
    uncounted,
    /** Does not ask whether there is room. */
    unasked: ((write) => {
      for (const slot of slotsOf(write)) {
        const asked = new RegExp(` AND (\\(attribute_not_exists\\(${slot}\\) OR )?${slot} <= :\\d+\\)?`);
        write.ConditionExpression = write.ConditionExpression?.replace(asked, "");
      }
    }) satisfies Rewrite,
    uncountedEnd: only(ends),
    uncountedStep: only((write) => /^#\d+ = :\d+ AND #\d+ >= :\d+/.test(write.ConditionExpression ?? "")),
    uncountedCorrection: only((write) => partitionOf(write).startsWith("M#") && !ends(write)),
  };
}

/** Ends a hold, which takes it away. */
export function ends({ UpdateExpression = "" }: Write): boolean {
  return UpdateExpression.includes("REMOVE");
}

/** A product that rewrites such writes, of one role or of all. */
export const changes =
  (action: string, change: Rewrite, only?: string): (() => Mutation) =>
  () => ({
    transport: (inner: Transport, role) =>
      only === undefined || role === only ? changing(inner, action, change) : inner,
  });

const wrong = wrongsTo(/^k[0-9A-Z]{10}:b/);

const [organization, project, member, customer] = [/^O:b/, /^P[\w-]{8}:b/, /^M\w{10}:b/, /^C[\w-]{8}:b/].map(
  wrongsTo,
) as [Wrongs, Wrongs, Wrongs, Wrongs];
type Wrongs = ReturnType<typeof wrongsTo>;
const any = wrongsTo(/^[OPMC][\w-]*:b/);

/** By name, as those of `mutants.ts`. */
export const mutantsOfBudgets: Record<string, () => Mutation> = {
  "admits calls beyond their key's budget": changes("UpdateItem", wrong.unasked, "gateway"),
  "forgets the budget when a call ends": changes("UpdateItem", wrong.uncountedEnd, "gateway"),
  "forgets the budget of a call that died": changes("UpdateItem", wrong.uncountedEnd, "sweep"),
  "forgets the budget when a task ends": changes("TransactWriteItems", wrong.uncountedEnd),
  "raises a hold and not its budget": changes("UpdateItem", wrong.uncountedStep, "gateway"),
  "corrects the ledger and not the budget": changes("TransactWriteItems", wrong.uncountedCorrection),
  "admits calls beyond their organization's budget": changes("UpdateItem", organization.unasked, "gateway"),
  "admits calls beyond their project's budget": changes("UpdateItem", project.unasked, "gateway"),
  "admits calls beyond their member's budget": changes("UpdateItem", member.unasked, "gateway"),
  "admits calls beyond their end customer's budget": changes("UpdateItem", customer.unasked, "gateway"),
  "gives a project nothing back when a call ends": changes("UpdateItem", project.uncountedEnd, "gateway"),
  "gives levels nothing back of a call that died": changes("UpdateItem", any.uncountedEnd, "sweep"),
  "corrects the ledger and not the budgets of levels": changes("TransactWriteItems", any.uncountedCorrection),
};
