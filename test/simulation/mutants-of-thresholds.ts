/** Products that tell of a threshold twice, never, or though it is not reached. */
import { certainUse } from "#shared/books/meters/certain.ts";
import { budgetUses, type CertainUse, type Meter } from "#shared/books/meters/meter.ts";
import type { ThresholdStore } from "#shared/people/thresholds/state.ts";
import type { Mutation, Ports } from "./mutation.ts";
import { changing, partitionOf, type Write } from "./rewriting.ts";

/** A state is replaced whatever it is. */
const unasked = (write: Write): void => {
  if (partitionOf(write).startsWith("T#")) write.ConditionExpression = "attribute_not_exists(nothing)";
};

/** Another way of noting and telling in one. */
const telling = (change: (ports: Ports) => ThresholdStore["change"]) => (): Mutation => ({
  ports: (ports, role) =>
    role === "sweep" ? { thresholds: { ...ports.thresholds, change: change(ports) } } : {},
});

/** Another way of measuring a wallet of several shards. */
const measuring = (change: (use: CertainUse, items: Meter[]) => CertainUse) => (): Mutation => ({
  ports: ({ meters }, role) =>
    role === "sweep"
      ? {
          meters: {
            ...meters,
            certainUseOf: async (meter) =>
              change(await meters.certainUseOf(meter), await meters.shardsOf(meter)),
          },
        }
      : {},
});

/** By name, as those of `mutants.ts`. */
export const mutantsOfThresholds: Record<string, () => Mutation> = {
  "tells of a threshold, and notes nothing of it": telling(
    ({ thresholds }) =>
      (before, after, lines) =>
        thresholds.change(before, { ...after, marks: before.marks }, lines),
  ),

  "tells by a state that others have replaced": () => ({
    transport: (inner, role) => (role === "sweep" ? changing(inner, "TransactWriteItems", unasked) : inner),
  }),

  "tells what calls in flight hold as spent": measuring((use, items) => ({
    ...use,
    spent: new Map(
      [...budgetUses(items)].map(([counter, { spent, held }]): [string, bigint] => [counter, spent + held]),
    ),
  })),

  "tells of what one shard has spent": measuring((_use, items) =>
    certainUse(items.slice(-1), items.slice(-1)),
  ),
};
