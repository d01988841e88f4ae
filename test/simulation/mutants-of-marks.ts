/** Products that lose the mark of a meter, by which the sweep finds it. */
import { changes } from "./mutants-of-budgets.ts";
import type { Mutation } from "./mutation.ts";

const dayMs = 86_400_000;

/** By name, as those of `mutants.ts`. */
export const mutantsOfMarks: Record<string, () => Mutation> = {
  "marks no meter that takes a call": changes(
    "UpdateItem",
    ({ ExpressionAttributeNames = {} }) => {
      for (const [slot, name] of Object.entries(ExpressionAttributeNames)) {
        if (/^marked?$/.test(name)) ExpressionAttributeNames[slot] = `un${name}`;
      }
    },
    "gateway",
  ),
  "takes the mark of a meter on which a call may come": () => ({
    ports: ({ meters }, role) =>
      role === "sweep"
        ? { meters: { ...meters, unmark: (meter, now) => meters.unmark(meter, now + 3 * dayMs) } }
        : {},
  }),
};
