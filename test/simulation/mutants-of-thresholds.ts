/** Products that tell of a threshold twice, never, or though it is not reached. */
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

/** By name, as those of `mutants.ts`. */
export const mutantsOfThresholds: Record<string, () => Mutation> = {
  "tells of a threshold, and notes nothing of it": telling(
    ({ thresholds }) =>
      (before, { samples }, lines) =>
        thresholds.change(before, { samples, marks: before.marks }, lines),
  ),

  "tells by a state that others have replaced": () => ({
    transport: (inner, role) => (role === "sweep" ? changing(inner, "TransactWriteItems", unasked) : inner),
  }),

  "tells what calls in flight hold as spent": () => ({
    ports: ({ meters }, role) =>
      role === "sweep"
        ? {
            meters: {
              ...meters,
              steadyShardsOf: async (meter) =>
                (await meters.steadyShardsOf(meter))?.map((item) => ({ ...item, holds: new Map() })),
            },
          }
        : {},
  }),

  "tells of what one shard has spent": () => ({
    ports: ({ meters }, role) =>
      role === "sweep"
        ? {
            meters: {
              ...meters,
              steadyShardsOf: async (meter) => (await meters.steadyShardsOf(meter))?.slice(-1),
            },
          }
        : {},
  }),
};
